/** One value of a sensor as it is shown. */
export interface ReadingRow {
  /** `temperature`, or `position.x` for a value inside another. */
  readonly name: string;
  readonly value: string;
  /** What can be drawn; undefined for a value that is no number. */
  readonly number: number | undefined;
}

/** Names the kind of a compound value on the wire, and is no value itself. */
const typeKey = '_type';

/** The values of a reading, those inside objects by their path, in the order they came. */
export function readingRows(readings: Readonly<Record<string, unknown>>, prefix = ''): readonly ReadingRow[] {
  return Object.entries(readings).flatMap(([key, value]) => {
    if (key === typeKey) return [];
    const name = prefix + key;
    if (isRecord(value)) return readingRows(value, `${name}.`);
    return [{ name, value: shown(value), number: typeof value === 'number' ? value : undefined }];
  });
}

function shown(value: unknown): string {
  if (typeof value === 'number') return value.toLocaleString('en-US', { maximumFractionDigits: 3 }).replace('-', '−');
  return typeof value === 'string' ? value : JSON.stringify(value);
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
