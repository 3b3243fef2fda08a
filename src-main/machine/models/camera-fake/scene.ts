import { createHash } from 'node:crypto';

/** What a fake camera sees. */
export interface SceneSettings {
  /** Pixels. */
  readonly width: number;
  readonly height: number;
  /** How many shapes there are. */
  readonly shapes: number;
  readonly seed: number;
}

/** A shape by the box around it, in whole pixels from the top left corner of the picture. */
export interface Shape {
  readonly kind: ShapeKind;
  readonly color: ShapeColor;
  readonly left: number;
  readonly top: number;
  readonly width: number;
  readonly height: number;
}

export type ShapeKind = (typeof kinds)[number];
export type ShapeColor = (typeof colors)[number];

const kinds = ['rectangle', 'circle'] as const;
const colors = ['red', 'green', 'blue', 'yellow', 'purple'] as const;
/** Shortest time in which a shape crosses the picture, ms. */
const FASTEST_CROSSING_MS = 3_000;
const SLOWEST_CROSSING_MS = 9_000;

/**
 * The positions of the shapes at a time. A pure function of its arguments. Each shape moves back and forth across the
 * whole width in its own lane, so that shapes never overlap: each is fully visible in every picture.
 * @param timeMs since any fixed moment
 */
export function scene(settings: SceneSettings, timeMs: number): readonly Shape[] {
  return Array.from({ length: settings.shapes }, (_, index) => shapeAt(settings, index, timeMs));
}

function shapeAt({ width, height, shapes, seed }: SceneSettings, index: number, timeMs: number): Shape {
  const share = sharesOf(seed, index);
  const lane = Math.floor(height / shapes);
  const kind = pick(kinds, share());
  const color = pick(colors, share());
  const size = Math.max(1, Math.round(Math.min(lane, width) * between(0.45, 0.9, share())));
  const widthPx = kind === 'circle' ? size : Math.min(width, Math.round(size * between(1, 1.8, share())));
  const crossingMs = between(FASTEST_CROSSING_MS, SLOWEST_CROSSING_MS, share());
  const bobbingMs = between(FASTEST_CROSSING_MS, SLOWEST_CROSSING_MS, share());
  return {
    kind,
    color,
    left: Math.round((width - widthPx) * toAndFro(timeMs / crossingMs + 2 * share())),
    top: lane * index + Math.round((lane - size) * toAndFro(timeMs / bobbingMs + 2 * share())),
    width: widthPx,
    height: size,
  };
}

/** Pseudo-random numbers in [0, 1), the same ones for the same seed and shape. */
function sharesOf(seed: number, index: number): () => number {
  const bytes = createHash('sha256').update(`${seed} ${index}`).digest();
  let at = 0;
  return () => bytes.readUInt16LE(2 * at++) / 2 ** 16;
}

function pick<T>(choices: readonly [T, ...T[]], share: number): T {
  return choices[Math.floor(share * choices.length)] ?? choices[0];
}

function between(least: number, most: number, share: number): number {
  return least + (most - least) * share;
}

/** Moves from 0 to 1 and back repeatedly; each direction has length 1. */
function toAndFro(way: number): number {
  const along = way % 2;
  return along <= 1 ? along : 2 - along;
}
