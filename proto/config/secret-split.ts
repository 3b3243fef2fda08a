import { isSecretKey, isSecretPointer, MASK } from './secrets.ts';
import { joinPointer } from './text/json-pointer.ts';
import { readJsonText, type JsonNode } from './text/json-text.ts';

/** A text in two halves: `pieces[0] secrets[0] pieces[1] ...` is the text, byte for byte. */
export interface SplitText {
  /** One more than there are secrets. */
  readonly pieces: readonly string[];
  /** Values as they stand in the text, quotes included. */
  readonly secrets: readonly string[];
}

/** Takes the secret values out of a configuration. A text that is no JSON is a secret as a whole. */
export function splitSecrets(text: string): SplitText {
  const { root } = readJsonText(text);
  if (root === undefined) return { pieces: ['', ''], secrets: [text] };
  // The reader's offsets start after a byte order mark.
  const shift = text.startsWith('\uFEFF') ? 1 : 0;
  const pieces: string[] = [];
  const secrets: string[] = [];
  let from = 0;
  const visit = (node: JsonNode, pointer: string): void => {
    if (isSecretPointer(pointer)) {
      pieces.push(text.slice(from, node.start + shift));
      secrets.push(text.slice(node.start + shift, node.end + shift));
      from = node.end + shift;
      return;
    }
    for (const [key, child] of node.properties ?? []) visit(child, joinPointer(pointer, key));
    node.items?.forEach((child, index) => visit(child, joinPointer(pointer, index)));
  };
  visit(root, '');
  pieces.push(text.slice(from));
  return { pieces, secrets };
}

/** The text of two halves, or undefined where they do not belong together. */
export function joinSecrets({ pieces, secrets }: SplitText): string | undefined {
  if (pieces.length !== secrets.length + 1) return undefined;
  return pieces.map((piece, index) => piece + (secrets[index] ?? '')).join('');
}

/**
 * A configuration for somebody who may read but not change it: a key under `auth` would give them the owner's rights.
 * Only secret values are replaced. A text that is not faultless JSON becomes an empty document.
 */
export function maskSecrets(text: string): string {
  if (text === '') return '';
  const { root, faults } = readJsonText(text);
  if (root === undefined || faults.length > 0) return '{}';
  const shift = text.startsWith('\uFEFF') ? 1 : 0;
  let masked = '';
  let from = 0;
  const visit = (node: JsonNode, pointer: string): void => {
    const isLeaf = node.properties === undefined && node.items === undefined;
    if (isLeaf && isSecretPointer(pointer)) {
      masked += text.slice(from, node.start + shift) + JSON.stringify(MASK);
      from = node.end + shift;
    }
    for (const [key, child] of node.properties ?? []) visit(child, joinPointer(pointer, key));
    node.items?.forEach((child, index) => visit(child, joinPointer(pointer, index)));
  };
  visit(root, '');
  return masked + text.slice(from);
}

/**
 * The texts that {@link maskSecrets} hides, without what a module is given in variables that are not named like secrets:
 * those are often words that appear anywhere. Of a text that is no JSON, none are known.
 */
export function secretValues(text: string): readonly string[] {
  const { root } = readJsonText(text);
  const found: string[] = [];
  const visit = (node: JsonNode, pointer: string, key: string): void => {
    if (typeof node.value === 'string' && isSecretPointer(pointer)) {
      if (!isVariableOfModule(pointer) || isSecretKey(key)) found.push(node.value);
    }
    for (const [name, child] of node.properties ?? []) visit(child, joinPointer(pointer, name), name);
    node.items?.forEach((child, index) => visit(child, joinPointer(pointer, index), key));
  };
  if (root !== undefined) visit(root, '', '');
  return found;
}

const isVariableOfModule = (pointer: string): boolean => /^\/modules\/[^/]+\/env\//i.test(pointer);
