/**
 * Number of label colours in tokens.css (`--label-1` and on). With more classes, some share a colour; each box has its
 * name.
 */
export const labelColours = 8;

/** Number of classes that have a digit key. */
export const digits = 9;

/** Number of the colour of a class, from 1. */
export function colourOf(label: string, classes: readonly string[]): number {
  return (Math.max(0, classes.indexOf(label)) % labelColours) + 1;
}

/** Classes in the order in which they were first seen; new ones come last, so that each keeps its digit. */
export function classOrder(kept: readonly string[], found: readonly string[]): readonly string[] {
  const known = new Set(kept);
  return [...kept, ...[...new Set(found)].filter((label) => !known.has(label)).sort()];
}

/** Parses the stored classes. Invalid entries are left out: another version of the page may have written them. */
export function keptClasses(text: string | null): readonly string[] {
  let kept: unknown;
  try {
    kept = JSON.parse(text ?? '[]');
  } catch {
    return [];
  }
  if (!Array.isArray(kept)) return [];
  return [...new Set(kept.filter((label): label is string => typeof label === 'string' && label !== ''))];
}
