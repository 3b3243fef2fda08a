/** Edges of a box as fractions of the picture's width and height, 0 to 1. */
export interface Edges {
  readonly left: number;
  readonly top: number;
  readonly right: number;
  readonly bottom: number;
}

/** A point in the same fractions. */
export interface Point {
  readonly x: number;
  readonly y: number;
}

/** Pixels of a picture. */
export interface Size {
  readonly width: number;
  readonly height: number;
}

/** The edges that a handle moves. */
export interface Grip {
  readonly x: 'left' | 'right' | undefined;
  readonly y: 'top' | 'bottom' | undefined;
}

/** All handles of a box: corners and sides. */
export const grips: readonly Grip[] = [
  { x: 'left', y: 'top' },
  { x: undefined, y: 'top' },
  { x: 'right', y: 'top' },
  { x: 'right', y: undefined },
  { x: 'right', y: 'bottom' },
  { x: undefined, y: 'bottom' },
  { x: 'left', y: 'bottom' },
  { x: 'left', y: undefined },
];

/** Share of the picture that a new box has in each direction. */
const NEW_BOX = 0.25;

const fraction = (value: number): number => Math.min(1, Math.max(0, value));

/** The box between two points, in any order, within the picture. */
export function boxBetween(one: Point, other: Point): Edges {
  return {
    left: fraction(Math.min(one.x, other.x)),
    top: fraction(Math.min(one.y, other.y)),
    right: fraction(Math.max(one.x, other.x)),
    bottom: fraction(Math.max(one.y, other.y)),
  };
}

/** Moves a box within the picture; its size stays. */
export function moved({ left, top, right, bottom }: Edges, dx: number, dy: number): Edges {
  const x = Math.min(1 - right, Math.max(-left, dx));
  const y = Math.min(1 - bottom, Math.max(-top, dy));
  return {
    left: fraction(left + x),
    top: fraction(top + y),
    right: fraction(right + x),
    bottom: fraction(bottom + y),
  };
}

/** Moves the edges of a handle. The box keeps at least a pixel in each direction, and never turns inside out. */
export function resized(edges: Edges, { x, y }: Grip, dx: number, dy: number, { width, height }: Size): Edges {
  const [thin, flat] = [1 / width, 1 / height];
  const next = { ...edges };
  if (x === 'left') next.left = Math.max(0, Math.min(edges.left + dx, edges.right - thin));
  if (x === 'right') next.right = Math.min(1, Math.max(edges.right + dx, edges.left + thin));
  if (y === 'top') next.top = Math.max(0, Math.min(edges.top + dy, edges.bottom - flat));
  if (y === 'bottom') next.bottom = Math.min(1, Math.max(edges.bottom + dy, edges.top + flat));
  return next;
}

/** Whether a drawn box is large enough to be intended, not just a click that slipped. */
export function isDrawn({ left, top, right, bottom }: Edges, least: Size): boolean {
  return right - left >= least.width && bottom - top >= least.height;
}

/** A new box in the middle of the visible part of the picture. */
export function newBoxIn({ left, top, right, bottom }: Edges): Edges {
  const [width, height] = [(right - left) * NEW_BOX, (bottom - top) * NEW_BOX];
  const middle = { x: (left + right) / 2, y: (top + bottom) / 2 };
  return boxBetween(
    { x: middle.x - width / 2, y: middle.y - height / 2 },
    { x: middle.x + width / 2, y: middle.y + height / 2 },
  );
}

/** The smallest box that contains a point, so that a box inside another can be selected. */
export function boxAt<Box extends { readonly edges: Edges }>(boxes: readonly Box[], { x, y }: Point): Box | undefined {
  const area = ({ edges }: Box): number => (edges.right - edges.left) * (edges.bottom - edges.top);
  return boxes
    .filter(({ edges }) => edges.left <= x && x <= edges.right && edges.top <= y && y <= edges.bottom)
    .sort((a, b) => area(a) - area(b))[0];
}
