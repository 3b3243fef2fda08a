import type { PlotBuffer } from './plot-buffer.ts';

/** Receives the points of a line. */
export interface PathSink {
  moveTo(x: number, y: number): void;
  lineTo(x: number, y: number): void;
  /** The last point is that of a sample at this time; the line can be traced again from there. */
  mark?(at: number): void;
}

/** Maps times and values to pixels. */
export interface PathFrame {
  readonly from: number;
  readonly to: number;
  readonly msPerPixel: number;
  readonly x: (at: number) => number;
  readonly y: (value: number) => number;
}

/** Index of the last sample before a time: the line enters from there. */
export function indexBefore(buffer: PlotBuffer, at: number): number {
  return Math.max(0, buffer.indexFrom(at) - 1);
}

/**
 * Draws the line through the samples of a time. In each pixel column it goes
 * through the first, lowest, highest and last sample, so that no peak is lost and a
 * long time costs little more to draw than a short one. The columns are fixed to
 * the clock, not to the screen, so that a moving line keeps its shape.
 */
export function traceLine(
  buffer: PlotBuffer,
  frame: PathFrame,
  sink: PathSink,
  begin = indexBefore(buffer, frame.from),
): void {
  let isDown = false;
  let isAlone = false;
  let column = Number.NaN;
  let columnX = 0;
  let low = 0;
  let high = 0;
  let last = 0;
  const lineTo = (x: number, y: number): void => {
    sink.lineTo(x, y);
    isAlone = false;
  };
  const endColumn = (): void => {
    if (Number.isNaN(column)) return;
    if (high !== low) {
      lineTo(columnX, low);
      lineTo(columnX, high);
    }
    if (last !== high) lineTo(columnX, last);
    column = Number.NaN;
  };
  const endLine = (): void => {
    endColumn();
    // A single value is drawn as a dot.
    if (isAlone) lineTo(columnX + 0.5, last);
    isDown = false;
  };
  for (let index = begin; index < buffer.length; index++) {
    const at = buffer.timeAt(index);
    if (at > frame.to) break;
    const value = buffer.valueAt(index);
    if (Number.isNaN(value)) {
      endLine();
      continue;
    }
    const y = frame.y(value);
    const ownColumn = Math.floor(at / frame.msPerPixel);
    if (isDown && ownColumn === column) {
      low = Math.min(low, y);
      high = Math.max(high, y);
      last = y;
      continue;
    }
    endColumn();
    const x = frame.x(at);
    if (isDown) {
      lineTo(x, y);
    } else {
      sink.moveTo(x, y);
      isAlone = true;
    }
    sink.mark?.(at);
    isDown = true;
    column = ownColumn;
    columnX = x;
    low = high = last = y;
  }
  endLine();
}

/** Draws the line of values that hold until the next one, up to the end of the time. */
export function traceSteps(
  buffer: PlotBuffer,
  frame: PathFrame,
  sink: PathSink,
  begin = indexBefore(buffer, frame.from),
): void {
  let held = Number.NaN;
  for (let index = begin; index < buffer.length; index++) {
    const at = buffer.timeAt(index);
    if (at > frame.to) break;
    const x = frame.x(at);
    const value = buffer.valueAt(index);
    if (!Number.isNaN(held)) sink.lineTo(x, frame.y(held));
    if (!Number.isNaN(value)) {
      if (Number.isNaN(held)) sink.moveTo(x, frame.y(value));
      else sink.lineTo(x, frame.y(value));
      sink.mark?.(at);
    }
    held = value;
  }
  if (!Number.isNaN(held)) sink.lineTo(frame.x(frame.to), frame.y(held));
}

/** Lowest and highest value of a time; undefined if none. With `isStepped`, includes the value held from before. */
export function extentOf(
  buffer: PlotBuffer,
  from: number,
  to: number,
  isStepped: boolean,
): { readonly min: number; readonly max: number } | undefined {
  let min = Number.POSITIVE_INFINITY;
  let max = Number.NEGATIVE_INFINITY;
  for (let index = Math.max(0, buffer.indexFrom(from) - (isStepped ? 1 : 0)); index < buffer.length; index++) {
    if (buffer.timeAt(index) > to) break;
    const value = buffer.valueAt(index);
    if (value < min) min = value;
    if (value > max) max = value;
  }
  return min <= max ? { min, max } : undefined;
}
