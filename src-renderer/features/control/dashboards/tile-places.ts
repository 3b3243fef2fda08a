/** The box of a tile on the screen, px. */
export interface Box {
  readonly left: number;
  readonly top: number;
  readonly right: number;
  readonly bottom: number;
}

/** Where a dragged tile would go. */
export interface TilePlace {
  /** The index that it gets. */
  readonly index: number;
  /** The tile beside which the mark is drawn, and on which side of it. */
  readonly beside: number;
  readonly side: 'before' | 'after';
}

/**
 * Where a tile that is dragged to a point goes: beside the nearest tile, before it where the point is in its left half.
 * @param boxes of all tiles, in their order
 * @param from index of the dragged tile
 */
export function placeAt(boxes: readonly Box[], from: number, x: number, y: number): TilePlace | undefined {
  let nearest = -1;
  let least = Number.POSITIVE_INFINITY;
  for (const [index, { left, top, right, bottom }] of boxes.entries()) {
    // A tile in the same row is nearer than one above or below it.
    const distance = Math.hypot(beyond(x, left, right), 3 * beyond(y, top, bottom));
    if (distance < least) [nearest, least] = [index, distance];
  }
  const box = boxes[nearest];
  if (box === undefined) return undefined;
  // Tiles that fill the row are told apart by height.
  const fillsRow = boxes.every(
    (other, index) => index === nearest || other.bottom <= box.top || other.top >= box.bottom,
  );
  const isBefore = fillsRow ? y < (box.top + box.bottom) / 2 : x < (box.left + box.right) / 2;
  const gap = isBefore ? nearest : nearest + 1;
  return { index: gap > from ? gap - 1 : gap, beside: nearest, side: isBefore ? 'before' : 'after' };
}

function beyond(value: number, low: number, high: number): number {
  return Math.max(low - value, 0, value - high);
}
