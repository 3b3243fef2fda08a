import { csvLine } from '../../../shared/files/csv-line.ts';
import { decimalsFor, formatNumber } from '../../../shared/format-number.ts';
import type { QueryTable } from '../../../shared/machine/data/data-calls.ts';
import { LineIndex, type TextPosition } from '../../../../proto/config/text/text-position.ts';
import { csvText } from '../export/csv.ts';

/** A position in a text, with the text of its line. */
export interface TextPlace extends TextPosition {
  readonly text: string;
}

/** @param position number of characters before the place */
export function placeIn(text: string, position: number): TextPlace {
  const { line, column } = new LineIndex(text).at(position);
  return { line, column, text: text.split(/\r\n|\n|\r/)[line - 1] ?? '' };
}

/** Whether the values of a column are numbers. The table right-aligns them. */
export function isNumeric(type: string): boolean {
  return /^(U?(TINY|SMALL|BIG|HUGE)?INT(EGER)?|UINTEGER|DOUBLE|FLOAT|DECIMAL\b.*)$/.test(type);
}

/** A value of a result, formatted for display. */
export function valueWords(value: unknown): string {
  return typeof value === 'number' ? formatNumber(value, decimalsFor(value)) : csvText(value);
}

/** A result as CSV (RFC 4180). Numbers and times stay as the hub wrote them. */
export function resultCsv({ columns, rows }: Pick<QueryTable, 'columns' | 'rows'>): string {
  const lines = rows.map((row) => csvLine(row.map(csvText)));
  return csvLine(columns.map(({ name }) => name)) + lines.join('');
}
