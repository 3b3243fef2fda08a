import { joinPointer } from '../../../../proto/config/text/json-pointer.ts';
import type { JsonNode, JsonValue } from '../../../../proto/config/text/json-text.ts';
import { nearest } from '../../../../proto/config/nearest.ts';
import { replacePlaceholders } from '../../../../proto/config/placeholders.ts';

/** A text value of the document that names variables. */
export interface ExpandedText {
  readonly pointer: string;
  readonly written: string;
  readonly became: string;
  /** Variables without a value or default: the placeholders as written, and a variable with a similar name. */
  readonly unset: readonly { readonly text: string; readonly name: string; readonly nearest: string | undefined }[];
}

/**
 * Replaces `${VAR}`, `${VAR-default}` and `${VAR:-default}` in every text value of a document, as the public server
 * does with files: by the environment variable, else by the default; with a colon, also if the variable is empty. Keys
 * are not changed, nor are variables that are not set and have no default. The result keeps the places of the given
 * node.
 */
export function expandVariables(
  root: JsonNode,
  environment: Readonly<Record<string, string | undefined>>,
): { readonly root: JsonNode; readonly texts: readonly ExpandedText[] } {
  const texts: ExpandedText[] = [];
  const expand = (node: JsonNode, pointer: string): JsonNode => {
    if (typeof node.value === 'string') {
      if (!node.value.includes('${')) return node;
      const text = expandText(node.value, pointer, environment);
      if (text === undefined) return node;
      texts.push(text);
      return { ...node, value: text.became };
    }
    if (node.items !== undefined) {
      const items = node.items.map((item, index) => expand(item, joinPointer(pointer, index)));
      if (items.every((item, index) => item === node.items?.[index])) return node;
      return { ...node, items, value: items.map(({ value }) => value) };
    }
    if (node.properties === undefined) return node;
    const properties = new Map<string, JsonNode>();
    let isChanged = false;
    for (const [key, child] of node.properties) {
      const expanded = expand(child, joinPointer(pointer, key));
      isChanged ||= expanded !== child;
      properties.set(key, expanded);
    }
    if (!isChanged) return node;
    const value: Record<string, JsonValue> = Object.fromEntries([...properties].map(([key, one]) => [key, one.value]));
    return { ...node, properties, value };
  };
  return { root: expand(root, ''), texts };
}

function expandText(
  written: string,
  pointer: string,
  environment: Readonly<Record<string, string | undefined>>,
): ExpandedText | undefined {
  const unset: ExpandedText['unset'][number][] = [];
  const became = replacePlaceholders(written, (found) => {
    if (found.kind !== 'variable') return undefined;
    const { name, text, fallback, isForEmpty } = found;
    const value = Object.hasOwn(environment, name) ? environment[name] : undefined;
    if (value !== undefined && !(isForEmpty && value === '')) return value;
    if (fallback !== undefined) return fallback;
    unset.push({ text, name, nearest: nearest(name, Object.keys(environment)) });
    return undefined;
  });
  return became === written && unset.length === 0 ? undefined : { pointer, written, became, unset };
}
