import { csvLine } from '../../../shared/files/csv-line.ts';
import type { ReadingItem } from '../../../shared/machine/data/data-calls.ts';
import { fieldName, fieldPointer, leavesOf } from '../../../shared/readings/fields.ts';

/** The columns of a file of readings: the time, then one for each field path. They only grow. */
export class CsvColumns {
  readonly #names: string[] = [];
  readonly #places = new Map<string, number>();

  get count(): number {
    return this.#names.length;
  }

  header(): string {
    return csvLine(['time', ...this.#names]);
  }

  /**
   * Adds columns for the fields of a reading.
   * @returns the number of new columns
   */
  add(payload: unknown): number {
    const before = this.#names.length;
    for (const { path } of leavesOf(payload)) {
      const pointer = fieldPointer(path);
      if (this.#places.has(pointer)) continue;
      this.#places.set(pointer, this.#names.length);
      this.#names.push(fieldName(path));
    }
    return this.#names.length - before;
  }

  /** A reading as a line; undefined where it has a field without a column. */
  line({ at, payload }: Pick<ReadingItem, 'at' | 'payload'>): string | undefined {
    const fields = new Array<string>(this.#names.length + 1).fill('');
    fields[0] = new Date(at).toISOString();
    for (const { path, value } of leavesOf(payload)) {
      const place = this.#places.get(fieldPointer(path));
      if (place === undefined) return undefined;
      fields[place + 1] = csvText(value);
    }
    return csvLine(fields);
  }
}

/** A value as the text of a field; '' for null and undefined. */
export function csvText(value: unknown): string {
  if (value === null || value === undefined) return '';
  return typeof value === 'string' ? value : JSON.stringify(value);
}
