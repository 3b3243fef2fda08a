import { decimalsFor, formatNumber } from '../format-number.ts';

/** One value of a sensor. */
export interface ReadingRow {
  /** `temperature`, or `position.x` for a value inside another. */
  readonly name: string;
  readonly value: unknown;
}

/** Key on the wire that names the kind of a compound value; not a value itself. */
const typeKey = '_type';

/**
 * The values of a reading by name, values inside objects by path. Sorted, because readings arrive in no fixed order and
 * the rows of a table must not change places.
 */
export function readingRows(readings: Readonly<Record<string, unknown>>, prefix = ''): readonly ReadingRow[] {
  const sorted = Object.entries(readings).sort(([left], [right]) => left.localeCompare(right, 'en', { numeric: true }));
  return sorted.flatMap(([key, value]) => {
    if (key === typeKey) return [];
    const name = prefix + key;
    return isRecord(value) ? readingRows(value, `${name}.`) : [{ name, value }];
  });
}

/** Formats a value for display. */
export function readingText(value: unknown): string {
  if (typeof value === 'number') return formatNumber(value, decimalsFor(value));
  return typeof value === 'string' ? value : JSON.stringify(value);
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
