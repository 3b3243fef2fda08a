import { niceScale, type Scale } from '../../../shared/plot/plot-scale.ts';

/** What a figure was in one epoch. */
export interface CurvePoint {
  readonly epoch: number;
  readonly value: number;
}

/** A line of a plot: a figure over the epochs of one training. */
export interface Curve {
  readonly label: string;
  /** By epoch, rising. */
  readonly points: readonly CurvePoint[];
}

/** Sides of the picture that curves are drawn in: it is stretched to its place. */
export const side = 1_000;

/** Shares are told over the whole of what they can be, so that plots of several runs look alike. */
const shares: Scale = { min: 0, max: 1, step: 0.25 };

/** Numbers that a line can be drawn to. */
function drawn({ points }: Curve): readonly CurvePoint[] {
  return points.filter(({ value }) => Number.isFinite(value));
}

/** From 0, or from the least where that is below it; `kind` says whether they are shares. */
export function scaleOf(curves: readonly Curve[], kind: 'loss' | 'share'): Scale {
  const values = curves.flatMap((curve) => drawn(curve).map(({ value }) => value));
  const [least, most] = [Math.min(0, ...values), Math.max(...values)];
  if (kind === 'share' && least >= 0 && most <= 1) return shares;
  return niceScale(least, most);
}

/** Epochs that the plot has room for: as many as may come, and two at least. */
export function epochsOf(curves: readonly Curve[], atMost: number): number {
  return Math.max(2, atMost, ...curves.map(({ points }) => points.at(-1)?.epoch ?? 0));
}

/** Where an epoch is, from the left; the first is at the left edge. */
export function xOf(epoch: number, epochs: number): number {
  return ((epoch - 1) / (epochs - 1)) * side;
}

/** Where a value is, from the top. */
export function yOf(value: number, { min, max }: Scale): number {
  return ((max - value) / (max - min)) * side;
}

/** The line, as the `d` of a path. What is no number is a gap; a point between gaps is a dot. */
export function curveLine({ points }: Curve, epochs: number, scale: Scale): string {
  let line = '';
  let isOpen = false;
  for (const { epoch, value } of points) {
    if (!Number.isFinite(value)) {
      isOpen = false;
      continue;
    }
    const place = `${round(xOf(epoch, epochs))} ${round(yOf(value, scale))}`;
    // A length of nothing is drawn as a dot by the ends of the line.
    line += isOpen ? `L${place}` : `M${place}h0`;
    isOpen = true;
  }
  return line;
}

/** The epoch that is nearest to a share of the width, among those that a curve has. */
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
