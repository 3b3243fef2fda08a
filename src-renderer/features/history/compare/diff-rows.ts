import type { DiffLine } from '../../../../proto/config/text/line-diff.ts';

/** A line of one text, with its number from 1. */
export interface NumberedLine {
  readonly number: number;
  readonly text: string;
}

/** A row of a comparison: the line of each side, or how many equal lines are left out. */
export type DiffRow =
  | {
      readonly kind: 'same' | 'changed';
      readonly from: NumberedLine | undefined;
      readonly to: NumberedLine | undefined;
    }
  | { readonly kind: 'skipped'; readonly count: number };

/** Lines of a comparison with their numbers; where `isBeside`, what was removed stands beside what was added for it. */
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
