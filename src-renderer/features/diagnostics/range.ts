import type { LocationQuery } from 'vue-router';
import { gridOf, type Grid } from '../../shared/plot/series-grid.ts';
import type { TimeWindow } from '../../shared/plot/time-window.ts';

/** Lengths of time that end now, ms. Each has whole seconds in a stretch of the plots. */
export const ranges = { minutes10: 600_000, hour: 3_600_000, day: 86_400_000 } as const;
export type RangeName = keyof typeof ranges;

/** What is looked at, as it stands in the address. */
export interface Shown {
  readonly range: RangeName;
  /** A fixed time in place of the range; undefined follows the present. */
  readonly window: TimeWindow | undefined;
  /** Undefined: those that are usual. */
  readonly metrics: readonly string[] | undefined;
}

/** Stretches of a plot: no screen has more to see. */
const stretches = 720;
const mostMetrics = 64;

export function readAddress(query: LocationQuery): Shown {
  const metrics = [query['metric'] ?? []].flat().filter((name): name is string => typeof name === 'string');
  const range = Object.keys(ranges).find((name) => name === query['range']) as RangeName | undefined;
  const [from, to] = [Number(query['from'] ?? Number.NaN), Number(query['to'] ?? Number.NaN)];
  return {
    range: range ?? 'minutes10',
    window: from < to ? { from, to } : undefined,
    metrics: metrics.length === 0 ? undefined : [...new Set(metrics)].slice(0, mostMetrics),
  };
}

export function addressOf({ range, window, metrics }: Shown): Record<string, string | string[]> {
  return {
    ...(range === 'minutes10' ? {} : { range }),
    ...(window === undefined ? {} : { from: String(window.from), to: String(window.to) }),
    ...(metrics === undefined ? {} : { metric: [...metrics] }),
  };
}

/** The stretches of what is shown: whole seconds, so that a sample each second leaves none empty. */
export function gridFor({ range, window }: Shown, now: number): Grid {
  if (window !== undefined) return wholeSeconds(window);
  // The newest stretch is the one that is being filled.
  const length = ranges[range];
  const { stretchMs, count } = wholeSeconds({ from: 0, to: length });
  return { from: (Math.floor(now / stretchMs) + 1 - count) * stretchMs, stretchMs, count };
}

function wholeSeconds({ from, to }: TimeWindow): Grid {
  const { stretchMs } = gridOf(from, to, stretches);
  const whole = Math.ceil(stretchMs / 1_000) * 1_000;
  const begin = Math.floor(from / whole) * whole;
  return { from: begin, stretchMs: whole, count: Math.max(2, Math.ceil((to - begin) / whole)) };
}
