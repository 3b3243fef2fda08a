import { shallowRef, type Ref, type ShallowRef } from 'vue';
import type { PlotBuffer } from './plot-buffer.ts';
import { keptTime, pannedBy, reachOf, viewOf, zoomedAt, type PlotView } from './plot-view.ts';

/** What time a plot shows: the last seconds, or a time that is held. */
export interface PlotViews {
  /** The held view; undefined while the plot is live. */
  readonly held: Readonly<ShallowRef<PlotView | undefined>>;
  /** What is shown now; undefined before the first sample. */
  readonly shown: () => PlotView | undefined;
  /** Holds the picture up to the latest sample, or exactly the view that is given: what is drawn. */
  readonly hold: (drawn?: PlotView) => void;
  readonly goLive: () => void;
  /** Holds the time between two times. */
  readonly select: (one: number, other: number) => void;
  /** Holds a view `factor` times as long, about a time. */
  readonly zoom: (factor: number, at: number) => void;
  /** Holds a view that is moved to later times by `byMs`. */
  readonly pan: (byMs: number) => void;
  /** Holds the chosen time again, up to the moment of the pause; does nothing while live. */
  readonly showWhole: () => void;
}

/** @param now machine time, ms; undefined before the first sample */
export function usePlotView(
  windowMs: Readonly<Ref<number>>,
  now: () => number | undefined,
  buffers: () => readonly PlotBuffer[],
): PlotViews {
  const held = shallowRef<PlotView>();
  /** The latest sample when the plot was paused. */
  let heldTo = Number.NaN;

  function shown(): PlotView | undefined {
    if (held.value !== undefined) return held.value;
    const to = now();
    return to === undefined ? undefined : { to, windowMs: windowMs.value };
  }

  /** Holds what `next` makes of the view that is shown. */
  function change(next: (view: PlotView, reach: ReturnType<typeof reachOf>) => PlotView): void {
    const view = shown();
    const kept = keptTime(buffers());
    if (view === undefined || kept === undefined) return;
    if (held.value === undefined) heldTo = kept.to;
    // Now is a little later than the latest sample.
    held.value = next(view, reachOf({ from: kept.from, to: Math.max(kept.to, view.to) }, windowMs.value));
  }

  return {
    held,
    shown,
    hold: (drawn) => {
      if (held.value !== undefined) return;
      // Up to the latest sample, not to now: a sample that is still on its way would change the held picture.
      change(({ windowMs: length }) => drawn ?? { to: heldTo, windowMs: length });
    },
    goLive: () => void (held.value = undefined),
    select: (one, other) => change((_view, reach) => viewOf(one, other, reach)),
    zoom: (factor, at) => change((view, reach) => zoomedAt(view, factor, at, reach)),
    pan: (byMs) => change((view, reach) => pannedBy(view, byMs, reach)),
    showWhole: () => {
      if (held.value !== undefined) held.value = { to: heldTo, windowMs: windowMs.value };
    },
  };
}
