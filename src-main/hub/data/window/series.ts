import type { SeriesBucket } from '../../../../proto/gen/core/hub/v1/data.ts';
import type { Clock } from '../../../base/clock.ts';
import type { Queries } from '../../storage/tables.ts';
import type { CaptureSpan } from '../query/pages.ts';
import { readingsInOrder } from '../tabular/reading-rows.ts';

/** Time limit of one answer: the next call reads the rest. */
const MAX_SEARCH_MS = 5_000;

export interface SeriesQuery {
  /** Path of the number in a reading. */
  readonly path: readonly string[];
  /** Wall-clock milliseconds; the start is included, the end is not. */
  readonly startMs: number;
  readonly endMs: number;
  /** Number of stretches. */
  readonly pixels: number;
}

export interface Series {
  readonly buckets: readonly SeriesBucket[];
  /** Time of the last reading that was read, wall-clock milliseconds; undefined if all were read. */
  readonly searchedTo: number | undefined;
}

interface Bucket {
  min: number;
  max: number;
  sum: number;
  count: number;
}

/**
 * Minimum, maximum and mean of one number of many readings, in stretches of equal length. It reads each reading once,
 * page by page, instead of using SQL, because the JSON functions of databases differ.
 */
export async function readSeries(
  spans: readonly CaptureSpan[],
  query: SeriesQuery,
  db: Queries,
  clock: Clock,
  signal: AbortSignal,
): Promise<Series> {
  const { path, startMs, endMs, pixels } = query;
  const endsAt = clock.monotonic() + MAX_SEARCH_MS;
  const buckets = new Map<number, Bucket>();
  let searchedTo: number | undefined;
  for await (const rows of readingsInOrder(spans, { startMs, endMs }, db)) {
    for (const { receivedAt, payload } of rows) {
      const value = numberAt(payload, path);
      if (value === undefined) continue;
      addTo(buckets, Math.floor(((receivedAt - startMs) * pixels) / (endMs - startMs)), value);
    }
    if (!signal.aborted && clock.monotonic() < endsAt) continue;
    searchedTo = rows.at(-1)?.receivedAt;
    break;
  }
  return {
    searchedTo,
    buckets: [...buckets].map(([index, { min, max, sum, count }]) => ({
      index,
      min,
      max,
      average: sum / count,
      count: BigInt(count),
    })),
  };
}

function addTo(buckets: Map<number, Bucket>, index: number, value: number): void {
  const bucket = buckets.get(index);
  if (bucket === undefined) {
    buckets.set(index, { min: value, max: value, sum: value, count: 1 });
    return;
  }
  bucket.min = Math.min(bucket.min, value);
  bucket.max = Math.max(bucket.max, value);
  bucket.sum += value;
  bucket.count++;
}

/** The number at a path of JSON text; true is 1, false is 0; undefined if there is no number. */
export function numberAt(payload: string, path: readonly string[]): number | undefined {
  let value: unknown = JSON.parse(payload);
  for (const step of path) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, step)) return undefined;
    if (Array.isArray(value) && step === 'length') return undefined;
    value = (value as Record<string, unknown>)[step];
  }
  if (typeof value === 'boolean') return value ? 1 : 0;
  return typeof value === 'number' ? value : undefined;
}
