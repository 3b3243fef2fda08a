/** One line of a comparison. */
export interface DiffLine {
  readonly kind: 'same' | 'removed' | 'added' | 'skipped';
  /** The line; for `skipped`, how many equal lines are left out. */
  readonly text: string;
}

/** Above this many cells the middle is shown as one block removed and one added: no wait on huge texts. */
const cellLimit = 4_000_000;

/**
 * What leads from one text to another, by lines, with `context` equal lines
 * around each change and the rest of the equal lines counted.
 */
export function diffLines(from: string, to: string, context: number): readonly DiffLine[] {
  const left = from.split('\n');
  const right = to.split('\n');
  let head = 0;
  while (head < left.length && head < right.length && left[head] === right[head]) head += 1;
  let tail = 0;
  while (
    tail < left.length - head &&
    tail < right.length - head &&
    left[left.length - 1 - tail] === right[right.length - 1 - tail]
  ) {
    tail += 1;
  }
  const same = (text: string): DiffLine => ({ kind: 'same', text });
  return folded(
    [
      ...left.slice(0, head).map(same),
      ...middle(left.slice(head, left.length - tail), right.slice(head, right.length - tail)),
      ...left.slice(left.length - tail).map(same),
    ],
    context,
  );
}

function middle(left: readonly string[], right: readonly string[]): DiffLine[] {
  const removed = (text: string): DiffLine => ({ kind: 'removed', text });
  const added = (text: string): DiffLine => ({ kind: 'added', text });
  if (left.length * right.length > cellLimit) return [...left.map(removed), ...right.map(added)];
  const width = right.length + 1;
  const common = new Uint32Array((left.length + 1) * width);
  for (let row = left.length - 1; row >= 0; row -= 1) {
    for (let column = right.length - 1; column >= 0; column -= 1) {
      common[row * width + column] =
        left[row] === right[column]
          ? (common[(row + 1) * width + column + 1] ?? 0) + 1
          : Math.max(common[(row + 1) * width + column] ?? 0, common[row * width + column + 1] ?? 0);
    }
  }
  const lines: DiffLine[] = [];
  let row = 0;
  let column = 0;
  while (row < left.length && column < right.length) {
    if (left[row] === right[column]) {
      lines.push({ kind: 'same', text: left[row] ?? '' });
      row += 1;
      column += 1;
    } else if ((common[(row + 1) * width + column] ?? 0) >= (common[row * width + column + 1] ?? 0)) {
      lines.push(removed(left[row] ?? ''));
      row += 1;
    } else {
      lines.push(added(right[column] ?? ''));
      column += 1;
    }
  }
  return [...lines, ...left.slice(row).map(removed), ...right.slice(column).map(added)];
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
