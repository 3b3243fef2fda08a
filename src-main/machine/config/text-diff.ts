/** Beyond so many lines on a side, everything counts as replaced. */
const MOST_LINES = 2_000;

/**
 * Line by line difference of two texts: lines of both with two spaces in
 * front, removed ones with `- `, added ones with `+ `. Unchanged lines further
 * than `context` from a change are left out, with `  ...` in their place.
 */
export function diffLines(before: readonly string[], after: readonly string[], context: number): readonly string[] {
  if (before.length > MOST_LINES || after.length > MOST_LINES) {
    return [...before.map((line) => `- ${line}`), ...after.map((line) => `+ ${line}`)];
  }
  return cutUnchanged(mark(before, after), context);
}

function mark(before: readonly string[], after: readonly string[]): readonly string[] {
  const common = longestCommon(before, after);
  const marked: string[] = [];
  let left = 0;
  let right = 0;
  while (left < before.length || right < after.length) {
    const a = before[left];
    const b = after[right];
    if (a !== undefined && a === b) {
      marked.push(`  ${a}`);
      left++;
      right++;
    } else if (b === undefined || (a !== undefined && common(left + 1, right) >= common(left, right + 1))) {
      marked.push(`- ${a ?? ''}`);
      left++;
    } else {
      marked.push(`+ ${b}`);
      right++;
    }
  }
  return marked;
}

/** Length of the longest common subsequence from each pair of places on. */
function longestCommon(a: readonly string[], b: readonly string[]): (left: number, right: number) => number {
  const width = b.length + 1;
  const lengths = new Uint16Array((a.length + 1) * width);
  for (let left = a.length - 1; left >= 0; left--) {
    for (let right = b.length - 1; right >= 0; right--) {
      const at = left * width + right;
      lengths[at] =
        a[left] === b[right]
          ? (lengths[at + width + 1] ?? 0) + 1
          : Math.max(lengths[at + width] ?? 0, lengths[at + 1] ?? 0);
    }
  }
  return (left, right) => lengths[left * width + right] ?? 0;
}

function cutUnchanged(lines: readonly string[], context: number): readonly string[] {
  const isKept = lines.map((_, index) =>
    lines.slice(Math.max(0, index - context), index + context + 1).some((line) => !line.startsWith('  ')),
  );
  return lines.flatMap((line, index) => {
    if (isKept[index] === true) return [line];
    return index > 0 && isKept[index - 1] !== true ? [] : ['  ...'];
  });
}
