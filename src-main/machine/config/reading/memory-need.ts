import { getHeapStatistics } from 'node:v8';

/**
 * Heap bytes that a value of a document needs when read, checked and planned; that an entry of a list (a resource, a
 * module) needs in addition when it runs; and that a character needs. Measured with Node 24 on documents of 4 MB: two
 * million numbers took 65 bytes a character; 20,000 motors ran in 250 MB and failed in 150.
 */
const VALUE_BYTES = 400;
const ENTRY_BYTES = 5_000;
const CHARACTER_BYTES = 6;
/** An object in a list in the document: `{ [ { `. */
const ENTRY_DEPTH = 3;
/** Memory kept free for everything but the configuration. */
const SHARE = 0.8;

/**
 * Memory that a configuration needs, estimated from its commas and brackets. It creates no objects from the text, so it
 * works even if reading the text would end the program.
 */
export function memoryNeed(text: string): number {
  let values = 1;
  let entries = 0;
  let depth = 0;
  for (let at = 0; at < text.length; at++) {
    switch (text.charCodeAt(at)) {
      case 0x22: // "
        at = endOfString(text, at);
        break;
      case 0x2c: // ,
        values++;
        break;
      case 0x5b: // [
      case 0x7b: // {
        values++;
        if (++depth === ENTRY_DEPTH) entries++;
        break;
      case 0x5d: // ]
      case 0x7d: // }
        depth--;
    }
  }
  return values * VALUE_BYTES + entries * ENTRY_BYTES + text.length * CHARACTER_BYTES;
}

/**
 * A document with only these members of a larger one, as written there. For a text that is too large to parse: the rest
 * is skipped without creating objects.
 */
export function membersAlone(text: string, names: readonly string[]): string {
  const found = new Map<string, string>();
  let depth = 0;
  let lastString = '';
  let name: string | undefined;
  let start = 0;
  for (let at = 0; at < text.length; at++) {
    const character = text[at];
    if (character === '"') {
      const end = endOfString(text, at);
      if (depth === 1 && name === undefined) lastString = text.slice(at, end + 1);
      at = end;
    } else if (character === ':' && depth === 1 && name === undefined) {
      name = lastString;
      start = at + 1;
    } else if (character === '[' || character === '{') {
      depth++;
    } else if (character === ']' || character === '}' || (character === ',' && depth === 1)) {
      if (depth === 1 && name !== undefined) found.set(name, text.slice(start, at));
      if (depth === 1) name = undefined;
      if (character !== ',') depth--;
    }
  }
  const members = names.map((one) => JSON.stringify(one)).filter((one) => found.has(one));
  return `{${members.map((one) => `${one}:${found.get(one)}`).join(',')}}`;
}

/** Bytes of heap that this program can still use for a configuration. */
export function memoryForConfig(): number {
  const { heap_size_limit: limit, used_heap_size: used } = getHeapStatistics();
  return Math.max(0, (limit - used) * SHARE);
}

function endOfString(text: string, start: number): number {
  let end = text.indexOf('"', start + 1);
  while (end !== -1 && isEscaped(text, end)) end = text.indexOf('"', end + 1);
  return end === -1 ? text.length : end;
}

function isEscaped(text: string, at: number): boolean {
  let slashes = 0;
  while (text.charCodeAt(at - 1 - slashes) === 0x5c) slashes++;
  return slashes % 2 === 1;
}
