import { niceScale, niceStep, smallest, type Scale } from './plot-scale.ts';

/** Which of the two scales a line uses. */
export type Side = 'left' | 'right';

/** The scales of a plot; undefined on a side without a line. */
export type Scales = Readonly<Partial<Record<Side, Scale>>>;

/** Lowest and highest value of the lines of a side; `min` is more than `max` if there are no values. */
export interface Extent {
  readonly min: number;
  readonly max: number;
}

/** A scale is kept while it is at most this much larger than needed, so that lines do not jump at small changes. */
const MAX_KEPT_SCALE_FACTOR = 2.2;
const MAX_STEPS = 6;
/** How well a number of steps suits a plot of this height, by the number. */
const suits = [0, 0, 0.85, 0.95, 1, 0.95, 0.85] as const;

const hasValues = ({ min, max }: Extent): boolean => min <= max && Number.isFinite(max - min);
const holdsZero = ({ min, max }: Extent): boolean => min <= 0 && max >= 0;
const contains = (scale: Scale, { min, max }: Extent): boolean => scale.min <= min && scale.max >= max;

/**
 * The scales of the two sides. Both have the same number of steps, so that the numbers of both are at the lines of the
 * grid; and where both contain 0, it is at the same height.
 * @param kept the scales until now; the same objects are returned while they fit
 */
export function fitScales(extents: Readonly<Partial<Record<Side, Extent>>>, kept: Scales): Scales {
  const { left, right } = extents;
  if (areFilled(extents, kept)) return kept;
  const wanted = left !== undefined && right !== undefined ? pairFor(left, right) : singleFor(extents);
  for (const side of ['left', 'right'] as const) {
    const [extent, now, next] = [extents[side], kept[side], wanted[side]];
    if (extent === undefined || next === undefined) continue;
    if (now === undefined) return wanted;
    if (!hasValues(extent)) continue;
    if (!contains(now, extent) || now.max - now.min > MAX_KEPT_SCALE_FACTOR * (next.max - next.min)) return wanted;
  }
  return kept;
}

/** Whether the values fill so much of the scales that no others can be wanted: most frames need no search. */
function areFilled(extents: Readonly<Partial<Record<Side, Extent>>>, kept: Scales): boolean {
  for (const side of ['left', 'right'] as const) {
    const [extent, now] = [extents[side], kept[side]];
    if (extent === undefined) continue;
    if (now === undefined || !contains(now, extent)) return false;
    if (now.max - now.min > MAX_KEPT_SCALE_FACTOR * (extent.max - extent.min)) return false;
  }
  return true;
}

function singleFor({ left, right }: Readonly<Partial<Record<Side, Extent>>>): Scales {
  return {
    ...(left === undefined ? {} : { left: niceScale(left.min, left.max) }),
    ...(right === undefined ? {} : { right: niceScale(right.min, right.max) }),
  };
}

function pairFor(one: Extent, other: Extent): Scales {
  const nothing: Extent = { min: 0, max: 0 };
  const left = hasValues(one) ? one : nothing;
  const right = hasValues(other) ? other : nothing;
  return holdsZero(left) && holdsZero(right) ? pairAtZero(left, right) : pairOfSteps(left, right);
}

const isZero = ({ min, max }: Extent): boolean => max - min < smallest;

/** Two scales with 0 on the same line: of all numbers of lines below and above it, those that waste least room. */
function pairAtZero(left: Extent, right: Extent): Scales {
  let best: Scales = { left: { min: -1, max: 1, step: 1 }, right: { min: -1, max: 1, step: 1 } };
  let bestScore = 0;
  if (isZero(left) && isZero(right)) return best;
  for (let below = 0; below <= MAX_STEPS; below++) {
    for (let above = 0; below + above <= MAX_STEPS; above++) {
      const [one, other] = [scaleAround(left, below, above), scaleAround(right, below, above)];
      if (one === undefined || other === undefined) continue;
      const score = filled(one, left) * filled(other, right) * (suits[below + above] ?? 0);
      if (score <= bestScore) continue;
      bestScore = score;
      best = { left: one, right: other };
    }
  }
  return best;
}

/** The scale with so many steps below and above 0 that contains the values; undefined if none can. */
function scaleAround({ min, max }: Extent, below: number, above: number): Scale | undefined {
  if (isZero({ min, max })) return { min: below === 0 ? 0 : -below, max: above, step: 1 };
  if ((min < 0 && below === 0) || (max > 0 && above === 0)) return undefined;
  const step = niceStep(Math.max(below > 0 ? -min / below : 0, above > 0 ? max / above : 0));
  return { min: below === 0 ? 0 : -below * step, max: above * step, step };
}

/** Two scales with the same number of steps: of all numbers of steps, the one that wastes least room. */
function pairOfSteps(left: Extent, right: Extent): Scales {
  let best: Scales = {};
  let bestScore = 0;
  for (let count = 2; count <= MAX_STEPS; count++) {
    const [one, other] = [scaleOf(left, count), scaleOf(right, count)];
    const score = filled(one, left) * filled(other, right) * (suits[count] ?? 0);
    if (score <= bestScore) continue;
    bestScore = score;
    best = { left: one, right: other };
  }
  return best;
}

/** The scale of so many steps that contains the values. */
function scaleOf({ min, max }: Extent, count: number): Scale {
  const size = Math.max(Math.abs(min), Math.abs(max));
  // A difference in the last digits is rounding, not a signal.
  const isFlat = max - min <= Math.max(size * 1e-9, smallest);
  let step = isFlat ? (size < smallest ? 1 : niceStep(size / 10)) : niceStep((max - min) / count);
  if (isFlat) {
    const low = Math.round(min / step) - Math.floor(count / 2);
    return { min: low * step, max: (low + count) * step, step };
  }
  for (;;) {
    const low = Math.floor(min / step + 1e-9);
    if ((low + count) * step >= max - step * 1e-9) return { min: low * step, max: (low + count) * step, step };
    step = niceStep(step * 1.5);
  }
}

/** The share of the scale that the values fill; equal values fill any scale alike. */
function filled(scale: Scale, { min, max }: Extent): number {
  const size = Math.max(Math.abs(min), Math.abs(max));
  return max - min <= Math.max(size * 1e-9, smallest) ? 1 : (max - min) / (scale.max - scale.min);
}
