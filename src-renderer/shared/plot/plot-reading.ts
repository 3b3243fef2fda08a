import type { PlotBuffer } from './plot-buffer.ts';
import type { PlotView } from './plot-view.ts';

/** The samples of a line. */
export interface ReadLine {
  readonly buffer: PlotBuffer;
  /** Whether a value holds until the next one, however late that is. */
  readonly isStepped: boolean;
}

/** What changed between two cursors. */
export interface Change {
  readonly difference: number;
  /** Difference per second; undefined for cursors at the same time. */
  readonly perSecond: number | undefined;
}

/** The value of the last sample at or before a time; undefined before the first one and in a gap. */
export function valueAt(buffer: PlotBuffer, at: number): number | undefined {
  const index = buffer.indexAt(at);
  const value = index < 0 ? Number.NaN : buffer.valueAt(index);
  return Number.isNaN(value) ? undefined : value;
}

/**
 * The time of the latest sample at or before `at` among the lines that have a value there: a reading is at a sample, not
 * between two. `at` itself if there is none in the view. A held value does not count, because it may be hours old.
 */
export function sampleTime(lines: readonly ReadLine[], at: number, { to, windowMs }: PlotView): number {
  let latest = Number.NEGATIVE_INFINITY;
  for (const { buffer, isStepped } of lines) {
    const index = isStepped ? -1 : buffer.indexAt(at);
    if (index >= 0 && !Number.isNaN(buffer.valueAt(index))) latest = Math.max(latest, buffer.timeAt(index));
  }
  return latest >= to - windowMs ? latest : at;
}

/** The time of the next sample after `at`, or before it, among all lines; undefined if there is none. */
function neighbour(lines: readonly ReadLine[], at: number, isLater: boolean): number | undefined {
  let nearest: number | undefined;
  for (const { buffer } of lines) {
    let index = isLater ? buffer.indexAt(at) + 1 : buffer.indexFrom(at) - 1;
    while (index >= 0 && index < buffer.length && Number.isNaN(buffer.valueAt(index))) index += isLater ? 1 : -1;
    if (index < 0 || index >= buffer.length) continue;
    const time = buffer.timeAt(index);
    if (nearest === undefined || (isLater ? time < nearest : time > nearest)) nearest = time;
  }
  return nearest;
}

/** The time `steps` samples after `at`, or before it if that is negative; it stops at the last sample of the view. */
export function steppedTime(lines: readonly ReadLine[], at: number, steps: number, { to, windowMs }: PlotView): number {
  let time = at;
  for (let step = 0; step < Math.abs(steps); step++) {
    const next = neighbour(lines, time, steps > 0);
    if (next === undefined || next > to || next < to - windowMs) break;
    time = next;
  }
  return time;
}

/** The time of the first or the last sample in the view; undefined if it shows none. */
export function endTime(
  lines: readonly ReadLine[],
  end: 'first' | 'last',
  { to, windowMs }: PlotView,
): number | undefined {
  const from = to - windowMs;
  const time = end === 'first' ? neighbour(lines, from - 1e-3, true) : neighbour(lines, to + 1e-3, false);
  return time !== undefined && time >= from && time <= to ? time : undefined;
}

/**
 * The change from cursor A to cursor B; undefined if a value is missing.
 * @param lengthMs time from A to B, negative if B is earlier
 */
export function changeBetween(a: number | undefined, b: number | undefined, lengthMs: number): Change | undefined {
  if (a === undefined || b === undefined) return undefined;
  const difference = b - a;
  return { difference, perSecond: lengthMs === 0 ? undefined : difference / (lengthMs / 1_000) };
}
