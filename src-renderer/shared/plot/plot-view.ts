import type { PlotBuffer } from './plot-buffer.ts';
import type { TimeWindow } from './time-window.ts';

/** The time that a plot shows: machine time at its right edge, and its length, both in ms. */
export interface PlotView {
  readonly to: number;
  readonly windowMs: number;
}

/** The shortest time that a plot shows: a few samples of the fastest poll. */
const MIN_WINDOW_MS = 20;

/** The time of which samples are kept; undefined if there are none. */
export function keptTime(buffers: Iterable<PlotBuffer>): TimeWindow | undefined {
  let from = Number.POSITIVE_INFINITY;
  let to = Number.NEGATIVE_INFINITY;
  for (const buffer of buffers) {
    if (buffer.length === 0) continue;
    from = Math.min(from, buffer.timeAt(0));
    to = Math.max(to, buffer.timeAt(buffer.length - 1));
  }
  return from <= to ? { from, to } : undefined;
}

/** Time of the latest dropped sample that the view would show; undefined if it shows all there was. */
export function droppedIn({ to, windowMs }: PlotView, buffers: Iterable<PlotBuffer>): number | undefined {
  let latest = Number.NEGATIVE_INFINITY;
  for (const { droppedTo } of buffers) latest = Math.max(latest, droppedTo);
  return latest >= to - windowMs ? latest : undefined;
}

/**
 * The time within which a view may be moved: what is kept, and at least the time that is shown live, which is partly
 * empty at first.
 */
export function reachOf(kept: TimeWindow, liveMs: number): TimeWindow {
  return { from: Math.min(kept.from, kept.to - liveMs), to: kept.to };
}

/** The view moved and shortened as little as needed to be within `reach`. */
export function within({ to, windowMs }: PlotView, reach: TimeWindow): PlotView {
  const length = Math.min(Math.max(windowMs, MIN_WINDOW_MS), Math.max(reach.to - reach.from, MIN_WINDOW_MS));
  return { to: Math.min(Math.max(to, reach.from + length), Math.max(reach.to, reach.from + length)), windowMs: length };
}

/** The view `factor` times as long, in which the time `at` keeps its place on the screen, where there is room. */
export function zoomedAt(view: PlotView, factor: number, at: number, reach: TimeWindow): PlotView {
  const longest = Math.max(reach.to - reach.from, MIN_WINDOW_MS);
  const windowMs = Math.min(Math.max(view.windowMs * factor, MIN_WINDOW_MS), longest);
  const share = (view.to - at) / view.windowMs;
  return within({ to: at + share * windowMs, windowMs }, reach);
}

/** The view moved to later times by `byMs`, or to earlier ones if that is negative. */
export function pannedBy({ to, windowMs }: PlotView, byMs: number, reach: TimeWindow): PlotView {
  return within({ to: to + byMs, windowMs }, reach);
}

/** The view of the time between two times, in any order. */
export function viewOf(one: number, other: number, reach: TimeWindow): PlotView {
  return within({ to: Math.max(one, other), windowMs: Math.abs(one - other) }, reach);
}
