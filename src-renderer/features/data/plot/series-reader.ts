import type { DataCalls, SourceName } from '../../../shared/machine/data/data-calls.ts';
import {
  restOf,
  SeriesValues,
  slicesOf,
  timeOfStretch,
  type Grid,
  type Slice,
} from '../../../shared/plot/series-grid.ts';

export interface SeriesRequest {
  readonly source: SourceName;
  readonly path: readonly string[];
  readonly grid: Grid;
  /** Approximate number of readings in the time range of the grid. */
  readonly readings: number;
}

/** The values of a series so far. */
export interface SeriesProgress {
  readonly values: SeriesValues;
  /** Share of the stretches that are done, 0 to 1. */
  readonly share: number;
  /** Slices that the hub could not finish: one stretch has too many readings for its time limit. */
  readonly left: readonly Slice[];
}

/**
 * Reads one field of a source over a time range, in slices. A response of the hub ends after some seconds; further
 * calls read the rest of the slice. Yields the values so far after each response.
 */
export async function* readSeries(
  calls: Pick<DataCalls, 'series'>,
  { source, path, grid, readings }: SeriesRequest,
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
