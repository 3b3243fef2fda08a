/** Cells one below the other: no column without words, no white space at the ends of lines. */
export function textColumns(rows: readonly (readonly string[])[], indent = '  '): string[] {
  const widths: number[] = [];
  for (const row of rows) row.forEach((cell, index) => (widths[index] = Math.max(widths[index] ?? 0, cell.length)));
  const isFilled = (_: string, index: number): boolean => (widths[index] ?? 0) > 0;
  return rows.map((row) => {
    const cells = row.map((cell, index) => cell.padEnd(widths[index] ?? 0)).filter(isFilled);
    return `${indent}${cells.join('  ')}`.trimEnd();
  });
}
