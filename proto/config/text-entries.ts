import { joinPointer } from './json-pointer.ts';
import { readJsonText, type JsonValue } from './json-text.ts';
import { canonicalApi, fullName } from './names.ts';

type JsonObject = Readonly<Record<string, JsonValue>>;

/** A component, service or module of a configuration, or one of its other keys, and where it stands. */
export interface TextEntry {
  readonly value: JsonValue;
  readonly pointer: string;
}

/**
 * A configuration by what it is about: full names of resources (`core:component:motor/left`), `module/<name>`, other keys
 * of the document. Undefined where the text is no JSON object.
 */
export function textEntries(text: string): ReadonlyMap<string, TextEntry> | undefined {
  const root = readJsonText(text).root?.value;
  if (!isJsonObject(root)) return undefined;
  const entries = new Map<string, TextEntry>();
  for (const [key, value] of Object.entries(root)) {
    const list = Array.isArray(value) && ['components', 'services', 'modules'].includes(key) ? value : undefined;
    if (list === undefined) entries.set(key, { value, pointer: joinPointer('', key) });
    list?.forEach((item, index) => {
      const pointer = joinPointer(joinPointer('', key), index);
      const subject = isJsonObject(item) ? subjectOf(key, item) : undefined;
      // Of two with one name the machine keeps the first.
      if (subject !== undefined && !entries.has(subject)) entries.set(subject, { value: item, pointer });
    });
  }
  return entries;
}

function subjectOf(list: string, { name, api, type, namespace }: JsonObject): string | undefined {
  if (typeof name !== 'string') return undefined;
  if (list === 'modules') return `module/${name}`;
  const family = list === 'components' ? 'component' : 'service';
  const space = typeof namespace === 'string' && namespace !== '' ? namespace : 'core';
  const text = typeof api === 'string' ? api : `${space}:${family}:${typeof type === 'string' ? type : 'unknown'}`;
  return fullName(canonicalApi(text) ?? text, name);
}

export function isJsonObject(value: JsonValue | undefined): value is { [key: string]: JsonValue } {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Order of keys means nothing. */
export function isSameValue(a: JsonValue | undefined, b: JsonValue | undefined): boolean {
  if (a === b) return true;
  if (Array.isArray(a) && Array.isArray(b)) {
    return a.length === b.length && a.every((item, index) => isSameValue(item, b[index]));
  }
  if (!isJsonObject(a) || !isJsonObject(b)) return false;
  const keys = Object.keys(a);
  return (
    keys.length === Object.keys(b).length && keys.every((key) => Object.hasOwn(b, key) && isSameValue(a[key], b[key]))
  );
}
