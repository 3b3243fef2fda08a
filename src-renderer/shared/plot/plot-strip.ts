import type { PlotBuffer } from './plot-buffer.ts';
import type { PathFrame, PathSink } from './plot-path.ts';

/** Where a line can be taken up again, and how long it is up to there: its dashes go on from it. */
export interface LineAnchor {
  /** Of the sample, machine time in ms. */
  readonly at: number;
  /** Pixels from the beginning of the line, which a gap ends. */
  readonly length: number;
}

/** A line without a gap that is to be stroked. */
export interface StripLine<Path> {
  readonly path: Path;
  readonly dashOffset: number;
}

/**
 * Takes a whole line, and keeps what can be seen right of a limit. It knows the length of what it leaves out: the
 * dashes of the rest are where they were.
 */
export class StripSink<Path extends PathSink> implements PathSink {
  readonly lines: StripLine<Path>[] = [];
  readonly #limit: number;
  readonly #newPath: () => Path;
  #hasBegun = false;
  #x = 0;
  #y = 0;
  #length: number;
  #path: Path | undefined;
  #anchor: LineAnchor | undefined;

  /**
   * @param limit of what ends left of it nothing is kept, px
   * @param length of the line before its first corner, px
   */
  constructor(limit: number, length: number, newPath: () => Path) {
    this.#limit = limit;
    this.#length = length;
    this.#newPath = newPath;
  }

  /** The last sample left of the picture. */
  get anchor(): LineAnchor | undefined {
    return this.#anchor;
  }

  moveTo(x: number, y: number): void {
    if (this.#hasBegun) this.#length = 0;
    this.#hasBegun = true;
    this.#path = undefined;
    this.#x = x;
    this.#y = y;
  }

  lineTo(x: number, y: number): void {
    if (x >= this.#limit) {
      this.#path ??= this.#begin(y);
      this.#path.lineTo(x, y);
    }
    this.#length += Math.hypot(x - this.#x, y - this.#y);
    this.#x = x;
    this.#y = y;
  }

  mark(at: number): void {
    if (this.#x <= 0) this.#anchor = { at, length: this.#length };
  }

  #begin(nextY: number): Path {
    const path = this.#newPath();
    // A value that holds for hours is a line of hours: what cannot be seen of it would be dashed all the same.
    const hidden = nextY === this.#y ? Math.max(0, this.#limit - this.#x) : 0;
    path.moveTo(this.#x + hidden, this.#y);
    this.lines.push({ path, dashOffset: this.#length + hidden });
    return path;
  }
}

/** What was drawn of a channel last. */
export interface DrawnChannel {
  /** Time of the last sample that was drawn, ms; NaN is none. */
  readonly lastAt: number;
  readonly anchor: LineAnchor | undefined;
}

/** A picture of some channels: whole pixels of the clock, so that a sample stays in its place in one as they move. */
export interface Columns {
  readonly msPerPixel: number;
  readonly width: number;
  /** Pixels of the clock from its zero to the right edge. */
  readonly right: number;
}

export function columnsOf(to: number, windowMs: number, width: number): Columns {
  const msPerPixel = windowMs / width;
  return { msPerPixel, width, right: Math.floor(to / msPerPixel) };
}

/** The frame of these columns; `y` is from a value to pixels. */
export function frameOf({ msPerPixel, width, right }: Columns, y: (value: number) => number): PathFrame {
  const left = right - width;
  return { from: left * msPerPixel, to: right * msPerPixel, msPerPixel, x: (at) => at / msPerPixel - left, y };
}

/** The latest sample before the right edge, ms; NaN is none. */
export function lastBefore(buffer: PlotBuffer, to: number): number {
  return buffer.timeAt(buffer.indexFrom(to) - 1);
}

/**
 * The first pixel, from the left edge, in which a channel differs from what was drawn of it; undefined where all of it
 * may. A line that ended goes on from its last pixel, whose samples were not all there; a value that holds, from the
 * edge that it was drawn to.
 */
export function firstChanged(
  buffer: PlotBuffer,
  { lastAt }: DrawnChannel,
  isStepped: boolean,
  columns: Columns,
  drawnRight: number,
): number | undefined {
  const known = Number.isNaN(lastAt) ? -1 : buffer.indexFrom(lastAt);
  // What was drawn is not there any more: the samples are others.
  if (known >= 0 && buffer.timeAt(known) !== lastAt) return undefined;
  const left = columns.right - columns.width;
  const newAt = known + 1 < buffer.length ? buffer.timeAt(known + 1) : Number.POSITIVE_INFINITY;
  if (isStepped) return Math.min(drawnRight, Math.floor(newAt / columns.msPerPixel)) - left;
  if (newAt > columns.right * columns.msPerPixel) return columns.width;
  return Math.floor((known >= 0 ? lastAt : newAt) / columns.msPerPixel) - left;
}
