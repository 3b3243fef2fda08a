import type { TextChange } from '../../../../shared/text-change.ts';
import { childrenAt, locate, type JsonPath } from './json-scan.ts';

/**
 * Moves an item of the array at a path from one index to another. The text of each item stays as it is; the commas and
 * white space between the items stay at their places, so moving it back gives the same text. The change covers all
 * items that shift. Undefined if there is nothing to move.
 */
export function movedItem(text: string, path: JsonPath, from: number, to: number): TextChange | undefined {
  const holder = locate(text, path);
  if (holder === undefined || text[holder.start] !== '[') return undefined;
  const items = childrenAt(text, holder.start);
  const low = Math.min(from, to);
  const high = Math.max(from, to);
  const [first, last] = [items[low], items[high]];
  if (from === to || first === undefined || last === undefined) return undefined;
  const places = items.slice(low, high + 1);
  const order = places.map(({ start, end }) => text.slice(start, end));
  order.splice(to - low, 0, ...order.splice(from - low, 1));
  const inserted = places
    .map(({ end }, index) => (order[index] ?? '') + text.slice(end, places[index + 1]?.start ?? end))
    .join('');
  return { from: first.start, removed: text.slice(first.start, last.end), inserted };
}
