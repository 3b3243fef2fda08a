import { ref, type Ref } from 'vue';
import { endTime, sampleTime, steppedTime, type ReadLine } from './plot-reading.ts';
import type { PlotView } from './plot-view.ts';

type Cursor = 'a' | 'b';

/** The times that are read from a plot: where somebody points, and two cursors. Machine time, ms. */
export interface PlotReading {
  /**
   * A time, not a place on the screen: while new samples arrive, what is read stays the same, and its mark moves with
   * the lines.
   */
  readonly at: Readonly<Ref<number | undefined>>;
  readonly a: Readonly<Ref<number | undefined>>;
  readonly b: Readonly<Ref<number | undefined>>;
  /** Reads at the sample before this time; undefined ends the reading. */
  readonly point: (at: number | undefined) => void;
  /** Moves by samples; begins with the last one if nothing is read. */
  readonly step: (by: number) => void;
  readonly stepToEnd: (end: 'first' | 'last') => void;
  /** Puts a cursor where is read, or else at the last sample. Returns its time; undefined without samples. */
  readonly put: (cursor: Cursor) => number | undefined;
  /** Puts A, then B, then A anew. */
  readonly putNext: (at: number) => void;
  readonly clear: () => void;
  /** Ends the reading once it is not in the view any more. */
  readonly dropIfGone: () => void;
}

export function usePlotReading(shown: () => PlotView | undefined, lines: () => readonly ReadLine[]): PlotReading {
  const at = ref<number>();
  const cursors = { a: ref<number>(), b: ref<number>() };

  function point(wanted: number | undefined): void {
    const view = shown();
    at.value = wanted === undefined || view === undefined ? undefined : sampleTime(lines(), wanted, view);
  }

  return {
    at,
    ...cursors,
    point,
    step: (by) => {
      const view = shown();
      if (view === undefined) return;
      at.value = at.value === undefined ? endTime(lines(), 'last', view) : steppedTime(lines(), at.value, by, view);
    },
    stepToEnd: (end) => {
      const view = shown();
      if (view !== undefined) at.value = endTime(lines(), end, view) ?? at.value;
    },
    put: (cursor) => {
      const view = shown();
      const time = at.value ?? (view === undefined ? undefined : endTime(lines(), 'last', view));
      if (time !== undefined) cursors[cursor].value = time;
      return time;
    },
    putNext: (wanted) => {
      const view = shown();
      if (view === undefined) return;
      const time = sampleTime(lines(), wanted, view);
      if (cursors.a.value !== undefined && cursors.b.value === undefined) cursors.b.value = time;
      else {
        cursors.a.value = time;
        cursors.b.value = undefined;
      }
    },
    clear: () => {
      cursors.a.value = undefined;
      cursors.b.value = undefined;
    },
    dropIfGone: () => {
      const view = shown();
      if (at.value !== undefined && view !== undefined && at.value < view.to - view.windowMs) at.value = undefined;
    },
  };
}
