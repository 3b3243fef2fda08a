import { niceScale, type Scale } from '../../../shared/plot/plot-scale.ts';

/** The value of a metric in one epoch. */
export interface CurvePoint {
  readonly epoch: number;
  readonly value: number;
}

/** A line of a plot: a metric over the epochs of one training. */
export interface Curve {
  readonly label: string;
  /** Sorted by epoch. */
  readonly points: readonly CurvePoint[];
}

/** Width and height of the drawing, which is stretched to its place. */
export const side = 1_000;

/** Shares use the whole range from 0 to 1, so that the plots of several runs look alike. */
const shares: Scale = { min: 0, max: 1, step: 0.25 };

/** The points with a finite value. */
function drawn({ points }: Curve): readonly CurvePoint[] {
  return points.filter(({ value }) => Number.isFinite(value));
}

/** A scale from 0, or from the least value if that is below 0; `kind` says whether the values are shares. */
export function scaleOf(curves: readonly Curve[], kind: 'loss' | 'share'): Scale {
  const values = curves.flatMap((curve) => drawn(curve).map(({ value }) => value));
  const [least, most] = [Math.min(0, ...values), Math.max(...values)];
  if (kind === 'share' && least >= 0 && most <= 1) return shares;
  return niceScale(least, most);
}

/** The number of epochs that the plot has room for: at least `expectedEpochs`, and at least two. */
export function epochsOf(curves: readonly Curve[], expectedEpochs: number): number {
  return Math.max(2, expectedEpochs, ...curves.map(({ points }) => points.at(-1)?.epoch ?? 0));
}

/** Position of an epoch from the left; the first is at the left edge. */
export function xOf(epoch: number, epochs: number): number {
  return ((epoch - 1) / (epochs - 1)) * side;
}

/** Position of a value from the top. */
export function yOf(value: number, { min, max }: Scale): number {
  return ((max - value) / (max - min)) * side;
}

/** The line as the `d` of a path. A value that is not finite makes a gap; a point between gaps is a dot. */
export function curveLine({ points }: Curve, epochs: number, scale: Scale): string {
  let line = '';
  let isOpen = false;
  for (const { epoch, value } of points) {
    if (!Number.isFinite(value)) {
      isOpen = false;
      continue;
    }
    const place = `${round(xOf(epoch, epochs))} ${round(yOf(value, scale))}`;
    // The round ends of a line of length 0 draw a dot.
    line += isOpen ? `L${place}` : `M${place}h0`;
    isOpen = true;
  }
  return line;
}

/** The epoch of a curve nearest to a position, which is a share of the width. */
export function epochAt(curves: readonly Curve[], share: number, epochs: number): number | undefined {
  const wanted = 1 + share * (epochs - 1);
  let nearest: number | undefined;
  for (const { points } of curves) {
    for (const { epoch } of points) {
      if (nearest === undefined || Math.abs(epoch - wanted) < Math.abs(nearest - wanted)) nearest = epoch;
    }
  }
  return nearest;
}

export function valueAt({ points }: Curve, epoch: number): number | undefined {
  return points.find((point) => point.epoch === epoch)?.value;
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}
