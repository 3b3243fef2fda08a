import type { LocationQuery } from 'vue-router';
import { gridOf, type Grid } from '../../shared/plot/series-grid.ts';
import type { TimeWindow } from '../../shared/plot/time-window.ts';

/** Lengths of time that end now, ms. */
export const ranges = { minutes10: 600_000, hour: 3_600_000, day: 86_400_000 } as const;
export type RangeName = keyof typeof ranges;

/** What is shown, as the address of the page says it. */
export interface Shown {
  readonly range: RangeName;
  /** A fixed time instead of the range; undefined for the range that ends now. */
  readonly window: TimeWindow | undefined;
  /** Undefined for the usual ones. */
  readonly metrics: readonly string[] | undefined;
}

/** The most stretches in a plot: no screen shows more. */
const MAX_STRETCHES = 720;
const MAX_METRICS = 64;

export function readAddress(query: LocationQuery): Shown {
  const metrics = [query['metric'] ?? []].flat().filter((name): name is string => typeof name === 'string');
  const range = Object.keys(ranges).find((name) => name === query['range']) as RangeName | undefined;
  const [from, to] = [Number(query['from'] ?? Number.NaN), Number(query['to'] ?? Number.NaN)];
  return {
    range: range ?? 'minutes10',
    window: from < to ? { from, to } : undefined,
    metrics: metrics.length === 0 ? undefined : [...new Set(metrics)].slice(0, MAX_METRICS),
  };
}

export function addressOf({ range, window, metrics }: Shown): Record<string, string | string[]> {
  return {
    ...(range === 'minutes10' ? {} : { range }),
    ...(window === undefined ? {} : { from: String(window.from), to: String(window.to) }),
    ...(metrics === undefined ? {} : { metric: [...metrics] }),
  };
}

/** The grid of what is shown. Its stretches are whole seconds, so that one sample a second leaves none empty. */
export function gridFor({ range, window }: Shown, now: number): Grid {
  if (window !== undefined) return wholeSeconds(window);
  // The last stretch is the one that new samples go to.
  const length = ranges[range];
  const { stretchMs, count } = wholeSeconds({ from: 0, to: length });
  return { from: (Math.floor(now / stretchMs) + 1 - count) * stretchMs, stretchMs, count };
}

function wholeSeconds({ from, to }: TimeWindow): Grid {
  const { stretchMs } = gridOf(from, to, MAX_STRETCHES);
  const whole = Math.ceil(stretchMs / 1_000) * 1_000;
  const begin = Math.floor(from / whole) * whole;
  return { from: begin, stretchMs: whole, count: Math.max(2, Math.ceil((to - begin) / whole)) };
}
