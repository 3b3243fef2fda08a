import type { SeriesBucket } from '../../../../proto/gen/core/hub/v1/data.ts';
import type { Clock } from '../../../base/clock.ts';
import type { Queries } from '../../storage/tables.ts';
import type { CaptureSpan } from '../query/pages.ts';
import { readingsInOrder } from '../tabular/reading-rows.ts';

/** An answer takes no longer: what is left is for the next call. */
const SEARCH_MS = 5_000;

export interface SeriesQuery {
  /** Where the number is in a reading. */
  readonly path: readonly string[];
  /** Wall-clock milliseconds: from, and before. */
  readonly startMs: number;
  readonly endMs: number;
  readonly pixels: number;
}

export interface Series {
  readonly buckets: readonly SeriesBucket[];
  /** Readings before it were looked at; undefined where all were. */
  readonly searchedTo: number | undefined;
}

interface Bucket {
  min: number;
  max: number;
  sum: number;
  count: number;
}

/**
 * Least, greatest and mean of one number of many readings, in stretches of equal length. Reads each reading once, a page
 * at a time, because what SQL can do with JSON differs from database to database: so this is the same for all of them.
 */
export async function readSeries(
  spans: readonly CaptureSpan[],
  query: SeriesQuery,
  db: Queries,
  clock: Clock,
  signal: AbortSignal,
): Promise<Series> {
  const { path, startMs, endMs, pixels } = query;
  const endsAt = clock.monotonic() + SEARCH_MS;
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

/** The number at a path of JSON text: true is 1, false is 0; undefined for what is none. */
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
