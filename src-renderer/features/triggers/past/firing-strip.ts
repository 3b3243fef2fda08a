/** Stretches of the last day in the strip. */
export const stretches = 144;

/** How many firings each stretch of a time has: [from, to) in equal parts. */
export function firingCounts(firings: readonly number[], from: number, to: number): readonly number[] {
  const counts = new Array<number>(stretches).fill(0);
  for (const time of firings) {
    const index = Math.floor(((time - from) / (to - from)) * stretches);
    const at = Math.min(Math.max(index, 0), stretches - 1);
    counts[at] = (counts[at] ?? 0) + 1;
  }
  return counts;
}

export interface StripPoint {
  /** Stretch, from 0. */
  readonly index: number;
  readonly value: number;
}

export interface StripLine {
  /** Of SVG, in a box of `stretches` by 100. */
  readonly path: string;
  /** Height of the value that is compared with; undefined where there is none. */
  readonly threshold: number | undefined;
}

/** A line of means, in a box of `stretches` by 100; a gap where nothing was captured. Undefined without any. */
export function stripLine(points: readonly StripPoint[], threshold: number | undefined): StripLine | undefined {
  if (points.length === 0) return undefined;
  const values = [...points.map(({ value }) => value), ...(threshold === undefined ? [] : [threshold])];
  const [least, most] = [Math.min(...values), Math.max(...values)];
  const height = (value: number): number =>
    most === least ? 50 : Math.round((10 + (80 * (most - value)) / (most - least)) * 10) / 10;
  const sorted = [...points].sort((a, b) => a.index - b.index);
  const path = sorted
    .map(({ index, value }, at) => {
      const isNext = at > 0 && index - (sorted[at - 1]?.index ?? 0) <= mostGap;
      return `${isNext ? 'L' : 'M'}${index + 0.5} ${height(value)}${isNext ? '' : `h0.01`}`;
    })
    .join('');
  return { path, threshold: threshold === undefined ? undefined : height(threshold) };
}

/** Stretches without a reading that a line goes over: 30 minutes. */
const mostGap = 3;
