/** Colours that boxes are told apart by: `--label-1` and on, of tokens.css. More classes than that share them, and each box has its name on it. */
export const labelColours = 8;

/** Classes that have a digit. */
export const digits = 9;

/** Number of the colour of a class, from 1. */
export function colourOf(label: string, classes: readonly string[]): number {
  return (Math.max(0, classes.indexOf(label)) % labelColours) + 1;
}

/** Classes in the order in which they were first seen, so that a digit stays the same: what is new comes last. */
export function classOrder(kept: readonly string[], found: readonly string[]): readonly string[] {
  const known = new Set(kept);
  return [...kept, ...[...new Set(found)].filter((label) => !known.has(label)).sort()];
}

/** The kept order, without what is none: another version may have written it, or a hand. */
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
