import type { PlotBuffer } from './plot-buffer.ts';
import type { PathFrame, PathSink } from './plot-path.ts';

/** A point where a line can be continued, with its length up to there, so that the dashes continue too. */
export interface LineAnchor {
  /** Machine time of the sample, ms. */
  readonly at: number;
  /** Pixels from the start of the line or from its last gap. */
  readonly length: number;
}

/** A line without a gap, to be stroked. */
export interface StripLine<Path> {
  readonly path: Path;
  readonly dashOffset: number;
}

/**
 * Takes a whole line and keeps what is visible right of a limit. It counts the length of the part that it leaves out,
 * so that the dashes of the rest stay in place.
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
   * @param limit segments that end left of it are left out, px
   * @param length length of the line before its first point, px
   */
  constructor(limit: number, length: number, newPath: () => Path) {
    this.#limit = limit;
    this.#length = length;
    this.#newPath = newPath;
  }

  /** The last sample to the left of the picture. */
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
    // A value that holds for hours is a very long line: without this, its hidden part would be dashed too.
    const hidden = nextY === this.#y ? Math.max(0, this.#limit - this.#x) : 0;
    path.moveTo(this.#x + hidden, this.#y);
    this.lines.push({ path, dashOffset: this.#length + hidden });
    return path;
  }
}

/** What was last drawn of a channel. */
export interface DrawnChannel {
  /** Time of the last drawn sample, ms; NaN for none. */
  readonly lastAt: number;
  readonly anchor: LineAnchor | undefined;
}

/** The pixel columns of a picture. They are fixed to the clock, so that a sample keeps its place within a column. */
export interface Columns {
  readonly msPerPixel: number;
  readonly width: number;
  /** Columns from the zero of the clock to the right edge. */
  readonly right: number;
}

export function columnsOf(to: number, windowMs: number, width: number): Columns {
  const msPerPixel = windowMs / width;
  return { msPerPixel, width, right: Math.floor(to / msPerPixel) };
}

/** The frame of these columns; `y` maps a value to pixels. */
export function frameOf({ msPerPixel, width, right }: Columns, y: (value: number) => number): PathFrame {
  const left = right - width;
  return { from: left * msPerPixel, to: right * msPerPixel, msPerPixel, x: (at) => at / msPerPixel - left, y };
}

/** Time of the latest sample before the right edge, ms; NaN for none. */
export function lastBefore(buffer: PlotBuffer, to: number): number {
  return buffer.timeAt(buffer.indexFrom(to) - 1);
}

/**
 * The first pixel, from the left edge, in which a channel may differ from what was drawn; undefined if all of it may
 * differ. A line continues in its last pixel, which did not have all its samples; a held value at the edge that it was
 * drawn to.
 */
export function firstChanged(
  buffer: PlotBuffer,
  { lastAt }: DrawnChannel,
  isStepped: boolean,
  columns: Columns,
  drawnRight: number,
): number | undefined {
  const known = Number.isNaN(lastAt) ? -1 : buffer.indexFrom(lastAt);
  // The drawn sample does not exist any more: the samples were replaced.
  if (known >= 0 && buffer.timeAt(known) !== lastAt) return undefined;
  const left = columns.right - columns.width;
  const newAt = known + 1 < buffer.length ? buffer.timeAt(known + 1) : Number.POSITIVE_INFINITY;
  if (isStepped) return Math.min(drawnRight, Math.floor(newAt / columns.msPerPixel)) - left;
  if (newAt > columns.right * columns.msPerPixel) return columns.width;
  return Math.floor((known >= 0 ? lastAt : newAt) / columns.msPerPixel) - left;
}
