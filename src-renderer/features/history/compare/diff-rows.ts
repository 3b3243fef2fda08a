import type { DiffLine } from '../../../../proto/config/text/line-diff.ts';

/** A line of a text with its number, from 1. */
export interface NumberedLine {
  readonly number: number;
  readonly text: string;
}

/** A row of a comparison: a line of each side, or the number of equal lines that are left out. */
export type DiffRow =
  | {
      readonly kind: 'same' | 'changed';
      readonly from: NumberedLine | undefined;
      readonly to: NumberedLine | undefined;
    }
  | { readonly kind: 'skipped'; readonly count: number };

/** The rows of a comparison. If `isBeside`, removed lines are beside the lines added in their place. */
export function diffRows(lines: readonly DiffLine[], isBeside: boolean): readonly DiffRow[] {
  const rows: DiffRow[] = [];
  let removed: NumberedLine[] = [];
  let added: NumberedLine[] = [];
  let from = 0;
  let to = 0;
  function flush(): void {
    if (isBeside) {
      for (let index = 0; index < Math.max(removed.length, added.length); index++) {
        rows.push({ kind: 'changed', from: removed[index], to: added[index] });
      }
    } else {
      for (const line of removed) rows.push({ kind: 'changed', from: line, to: undefined });
      for (const line of added) rows.push({ kind: 'changed', from: undefined, to: line });
    }
    removed = [];
    added = [];
  }
  for (const { kind, text } of lines) {
    if (kind === 'removed') removed.push({ number: ++from, text });
    else if (kind === 'added') added.push({ number: ++to, text });
    else {
      flush();
      if (kind === 'same') {
        rows.push({ kind, from: { number: ++from, text }, to: { number: ++to, text } });
      } else {
        const count = Number(text);
        from += count;
        to += count;
        rows.push({ kind, count });
      }
    }
  }
  flush();
  return rows;
}
