export interface ColumnOptions {
  /** Before each line. */
  readonly indent?: string;
  /** Columns of numbers, counted from 0: right-aligned. */
  readonly isNumber?: (column: number) => boolean;
}

/** Aligns cells in columns: no empty columns, no white space at the ends of lines. */
export function textColumns(
  rows: readonly (readonly string[])[],
  { indent = '  ', isNumber = () => false }: ColumnOptions = {},
): string[] {
  const widths: number[] = [];
  for (const row of rows) row.forEach((cell, index) => (widths[index] = Math.max(widths[index] ?? 0, cell.length)));
  const isFilled = (_: string, index: number): boolean => (widths[index] ?? 0) > 0;
  const padded = (cell: string, index: number): string => {
    const width = widths[index] ?? 0;
    return isNumber(index) ? cell.padStart(width) : cell.padEnd(width);
  };
  return rows.map((row) => `${indent}${row.map(padded).filter(isFilled).join('  ')}`.trimEnd());
}
