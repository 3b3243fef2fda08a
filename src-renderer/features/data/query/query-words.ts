import { decimalsFor, formatNumber } from '../../../shared/format-number.ts';
import type { QueryTable } from '../../../shared/machine/data/data-calls.ts';
import { csvLine } from '../export/csv.ts';

/** A place in a text, both counted from 1, and the line itself. */
export interface TextPlace {
  readonly line: number;
  readonly column: number;
  readonly text: string;
}

/** @param position characters before it */
export function placeIn(text: string, position: number): TextPlace {
  const before = text.slice(0, position).split('\n');
  const column = (before.at(-1)?.length ?? 0) + 1;
  return { line: before.length, column, text: text.split('\n')[before.length - 1] ?? '' };
}

/** Whether values of a column are numbers, which are aligned and written as such. */
export function isNumeric(type: string): boolean {
  return /^(U?(TINY|SMALL|BIG|HUGE)?INT(EGER)?|UINTEGER|DOUBLE|FLOAT|DECIMAL\b.*)$/.test(type);
}

/** A value of a result for people. */
export function valueWords(value: unknown): string {
  if (value === null || value === undefined) return '';
  if (typeof value === 'number') return formatNumber(value, decimalsFor(value));
  return plainText(value);
}

/** A result as a table for other programs: RFC 4180, numbers and times as the hub wrote them. */
export function resultCsv({ columns, rows }: Pick<QueryTable, 'columns' | 'rows'>): string {
  const lines = rows.map((row) => csvLine(row.map((value) => (value === null ? '' : plainText(value)))));
  return csvLine(columns.map(({ name }) => name)) + lines.join('');
}

function plainText(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}
