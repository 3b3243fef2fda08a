import { locate, type JsonPath } from './json-scan.ts';
import { lineIndent } from './json-style.ts';

/** A value as written in a JSON text, without the indentation of its place; '' if there is none. */
export function spelledAt(text: string, path: JsonPath): string {
  const place = locate(text, path);
  if (place === undefined) return '';
  return text.slice(place.start, place.end).replaceAll(`\n${lineIndent(text, place.start)}`, '\n');
}
