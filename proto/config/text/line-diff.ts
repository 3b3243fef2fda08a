import { diffArrays } from 'diff/lib/diff/array.js';

/** One line of a comparison. */
export interface DiffLine {
  readonly kind: 'same' | 'removed' | 'added' | 'skipped';
  /** The line; for `skipped`, how many equal lines are left out. */
  readonly text: string;
}

/**
 * After so many steps of the search, about 0.1 s, the middle is shown as one block removed and one added. The search
 * takes one step for each edit and diagonal; there are at most as many diagonals as edits, or twice the shorter side.
 */
const mostSteps = 1_000_000;
const mostEdits = 1_000;

/**
 * The differences between two texts, line by line, with `context` equal lines
 * around each change and a count of the other equal lines.
 */
export function diffLines(from: readonly string[], to: readonly string[], context: number): readonly DiffLine[] {
  const shorter = Math.min(from.length, to.length);
  let head = 0;
  while (head < shorter && from[head] === to[head]) head += 1;
  let tail = 0;
  while (tail < shorter - head && from.at(-1 - tail) === to.at(-1 - tail)) tail += 1;
  const same = (text: string): DiffLine => ({ kind: 'same', text });
  return folded(
    [
      ...from.slice(0, head).map(same),
      ...middle(from.slice(head, from.length - tail), to.slice(head, to.length - tail)),
      ...from.slice(from.length - tail).map(same),
    ],
    context,
  );
}

function middle(from: string[], to: string[]): DiffLine[] {
  const shorter = Math.min(from.length, to.length);
  const parts = diffArrays(from, to, { maxEditLength: Math.max(mostEdits, mostSteps / (2 * shorter)) }) ?? [
    { value: from, removed: true, added: false },
    { value: to, removed: false, added: true },
  ];
  return parts.flatMap(({ value, removed, added }) => {
    const kind = removed ? 'removed' : added ? 'added' : 'same';
    return value.map((text) => ({ kind, text }) as const);
  });
}

function folded(lines: readonly DiffLine[], context: number): DiffLine[] {
  const result: DiffLine[] = [];
  let run: DiffLine[] = [];
  const flush = (isLast: boolean): void => {
    const before = result.length === 0 ? 0 : context;
    const after = isLast ? 0 : context;
    const hidden = run.length - before - after;
    if (hidden > 1) {
      const rest = run.slice(run.length - after);
      result.push(...run.slice(0, before), { kind: 'skipped', text: String(hidden) }, ...(after === 0 ? [] : rest));
    } else {
      result.push(...run);
    }
    run = [];
  };
  for (const line of lines) {
    if (line.kind === 'same') {
      run.push(line);
    } else {
      flush(false);
      result.push(line);
    }
  }
  flush(true);
  return result;
}
