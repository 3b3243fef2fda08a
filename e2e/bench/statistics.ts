import type { Row } from './measure.ts';

/** The middle value; of an even number of values the upper of the two. */
export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
}

/** The value below which a share (0 to 1) of the values lies; they may be in any order. */
export function quantile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? Number.NaN;
}

/** Figures of the rounds, ours and the peer's, in the order of the rounds. */
export interface Rounds {
  readonly ours: readonly number[];
  readonly peer: readonly number[];
}

/**
 * A row from the figures of each round. Its ratio is the median of the ratios within each round, so that a slowdown of
 * a whole round cancels out.
 */
export function rowOf(
  heading: Pick<Row, 'name' | 'what' | 'unit' | 'target'>,
  rounds: Rounds,
  details: Row['details'],
): Row {
  const ratios = rounds.ours.map((ours, index) => ours / (rounds.peer[index] ?? Number.NaN));
  return {
    ...heading,
    ours: median(rounds.ours),
    peer: median(rounds.peer),
    ratio: median(ratios),
    lowest: Math.min(...ratios),
    highest: Math.max(...ratios),
    details,
  };
}

/** Whether a row meets its target; undefined where it has none. */
export function keepsTarget({ ratio, ours, target }: Row): boolean | undefined {
  if (target === undefined) return undefined;
  const figure = target.of === 'ours' ? ours : ratio;
  return target.kind === 'at least' ? figure >= target.value : figure <= target.value;
}
