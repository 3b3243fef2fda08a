import type { DataCalls, SourceName } from '../../../shared/machine/data/data-calls.ts';
import {
  restOf,
  SeriesValues,
  slicesOf,
  timeOfStretch,
  type Grid,
  type Slice,
} from '../../../shared/plot/series-grid.ts';

export interface SeriesWanted {
  readonly source: SourceName;
  readonly path: readonly string[];
  readonly grid: Grid;
  /** Readings that the time has, about. */
  readonly readings: number;
}

/** What is known of a series so far. */
export interface SeriesProgress {
  readonly values: SeriesValues;
  /** Share of the stretches that were asked for, 0 to 1. */
  readonly share: number;
  /** The hub gave up in these: so many readings are in one stretch that its time is too short for them. */
  readonly left: readonly Slice[];
}

/**
 * Reads one field of a source over a time, in slices: an answer of the hub ends after some seconds, and is continued
 * until all of its slice was looked at. Tells what is there after each answer.
 */
export async function* readSeries(
  calls: Pick<DataCalls, 'series'>,
  { source, path, grid, readings }: SeriesWanted,
  signal: AbortSignal,
): AsyncGenerator<SeriesProgress> {
  const values = new SeriesValues(grid.count);
  const left: Slice[] = [];
  let done = 0;
  for (const slice of slicesOf(grid, readings)) {
    for (let rest: Slice | undefined = slice; rest !== undefined;) {
      const { start, end }: Slice = rest;
      const span = { from: timeOfStretch(grid, start), to: timeOfStretch(grid, end), pixels: end - start };
      const { buckets, searchedTo } = await calls.series({ source, path, ...span }, signal);
      signal.throwIfAborted();
      values.put(rest, buckets);
      const next: Slice | undefined = searchedTo === undefined ? undefined : restOf(grid, rest, searchedTo);
      if (searchedTo !== undefined && next === undefined) left.push(rest);
      done += (next?.start ?? end) - start;
      rest = next;
      yield { values, share: done / grid.count, left };
    }
  }
}
