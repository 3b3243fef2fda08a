/** A time: from, and before; wall-clock ms. */
export interface TimeWindow {
  readonly from: number;
  readonly to: number;
}

/** A time that may be open at either side, as it stands in an address. */
export interface OpenWindow {
  readonly from: number | undefined;
  readonly to: number | undefined;
}

/** Nothing is looked at more closely than this. */
const shortestMs = 10;

/** The time that is drawn: what is open ends where the readings do. */
export function windowOf({ from, to }: OpenWindow, all: TimeWindow): TimeWindow {
  const begin = from ?? Math.min(all.from, to === undefined ? all.from : to - 1);
  return { from: begin, to: Math.max(to ?? all.to, begin + 1) };
}

/**
 * A window around the same middle, so many times as long, but not beyond the readings on a side where it is within them;
 * all where it would hold everything.
 */
export function zoomed({ from, to }: TimeWindow, factor: number, all: TimeWindow): OpenWindow {
  const middle = (from + to) / 2;
  const half = Math.max(((to - from) * factor) / 2, shortestMs / 2);
  const [begin, end] = [Math.round(middle - half), Math.round(middle + half)];
  if (begin <= all.from && end >= all.to) return { from: undefined, to: undefined };
  return { from: from >= all.from ? Math.max(begin, all.from) : begin, to: to <= all.to ? Math.min(end, all.to) : end };
}

/** A window of the same length, later by a share of it. */
export function shifted({ from, to }: TimeWindow, share: number): TimeWindow {
  const by = Math.round((to - from) * share);
  return { from: from + by, to: to + by };
}

/** Readings in a window, about, where all of them are spread evenly. */
export function readingsIn({ from, to }: TimeWindow, all: TimeWindow, count: number): number {
  const lengthMs = Math.max(1, all.to - all.from);
  const sharedMs = Math.max(0, Math.min(to, all.to) - Math.max(from, all.from));
  return Math.ceil((count * sharedMs) / lengthMs);
}

const dayMs = 86_400_000;

/**
 * Words under the ticks of a time axis: as exact as their distance needs, the day where it is another than before.
 * @param stepMs between two ticks
 */
export function tickWords(ticks: readonly number[], stepMs: number): string[] {
  let before = '';
  return ticks.map((at) => {
    const date = new Date(at);
    const pad = (value: number, length = 2): string => String(value).padStart(length, '0');
    const day = `${date.getFullYear()}-${pad(date.getMonth() + 1)}-${pad(date.getDate())}`;
    if (stepMs >= dayMs) return day;
    const seconds = stepMs < 60_000 ? `:${pad(date.getSeconds())}` : '';
    const parts = stepMs < 1_000 ? `.${pad(date.getMilliseconds(), 3)}` : '';
    const words = `${pad(date.getHours())}:${pad(date.getMinutes())}${seconds}${parts}`;
    const isOther = day !== before;
    before = day;
    return isOther ? `${words}\n${day}` : words;
  });
}
