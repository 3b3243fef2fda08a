/** One value of a sensor as it is shown. */
export interface ReadingRow {
  /** `temperature`, or `position.x` for a value inside another. */
  readonly name: string;
  readonly value: string;
}

/** Names the kind of a compound value on the wire, and is no value itself. */
const typeKey = '_type';

/** The values of a reading, those inside objects by their path, in the order they came. */
export function readingRows(readings: Readonly<Record<string, unknown>>, prefix = ''): readonly ReadingRow[] {
  return Object.entries(readings).flatMap(([key, value]) => {
    if (key === typeKey) return [];
    const name = prefix + key;
    return isRecord(value) ? readingRows(value, `${name}.`) : [{ name, value: shown(value) }];
  });
}

function shown(value: unknown): string {
  if (typeof value === 'number') return value.toLocaleString(undefined, { maximumFractionDigits: 3 });
  return typeof value === 'string' ? value : JSON.stringify(value);
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
