/** Number of stretches in the strip of the last day. */
export const stretches = 144;

/** How many firings are in each stretch of the time from `from` to `to`. */
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
  /** Index of the stretch. */
  readonly index: number;
  readonly value: number;
}

export interface StripLine {
  /** The `d` of an SVG path, in a box of `stretches` by 100. */
  readonly path: string;
  /** Position of the compared value from the top; undefined if there is none. */
  readonly threshold: number | undefined;
}

/** A line through mean values, with gaps where nothing was captured. Undefined without points. */
export function stripLine(points: readonly StripPoint[], threshold: number | undefined): StripLine | undefined {
  if (points.length === 0) return undefined;
  const values = [...points.map(({ value }) => value), ...(threshold === undefined ? [] : [threshold])];
  const [least, most] = [Math.min(...values), Math.max(...values)];
  const height = (value: number): number =>
    most === least ? 50 : Math.round((10 + (80 * (most - value)) / (most - least)) * 10) / 10;
  const sorted = [...points].sort((a, b) => a.index - b.index);
  const path = sorted
    .map(({ index, value }, at) => {
      const isNext = at > 0 && index - (sorted[at - 1]?.index ?? 0) <= MAX_GAP_STRETCHES;
      return `${isNext ? 'L' : 'M'}${index + 0.5} ${height(value)}${isNext ? '' : `h0.01`}`;
    })
    .join('');
  return { path, threshold: threshold === undefined ? undefined : height(threshold) };
}

/** The line continues over this many stretches, 30 minutes: a longer step is a gap. */
const MAX_GAP_STRETCHES = 3;
