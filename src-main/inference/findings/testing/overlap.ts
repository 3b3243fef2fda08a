import type { Box } from '../finding.ts';

/** Area that both boxes have, over the area that either has. */
export function overlapOf(one: Box | undefined, other: Box): number {
  if (one === undefined) return 0;
  const along = (from: number, to: number): number => Math.max(0, to - from);
  const width = along(Math.max(one.xMin, other.xMin), Math.min(one.xMax, other.xMax));
  const height = along(Math.max(one.yMin, other.yMin), Math.min(one.yMax, other.yMax));
  const areaOf = ({ xMin, yMin, xMax, yMax }: Box): number => (xMax - xMin) * (yMax - yMin);
  return (width * height) / (areaOf(one) + areaOf(other) - width * height);
}
