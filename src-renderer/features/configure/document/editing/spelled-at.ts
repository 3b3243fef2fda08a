import { locate, type JsonPath } from './json-scan.ts';
import { lineIndent } from './json-style.ts';

/** A value as it is written in a text, without the indentation of its place; '' where there is none. The text must be JSON. */
export function spelledAt(text: string, path: JsonPath): string {
  const place = locate(text, path);
  if (place === undefined) return '';
  return text.slice(place.start, place.end).replaceAll(`\n${lineIndent(text, place.start)}`, '\n');
}
