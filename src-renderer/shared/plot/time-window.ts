/** A time range in wall-clock ms: `from` inclusive, `to` exclusive. */
export interface TimeWindow {
  readonly from: number;
  readonly to: number;
}

/** A time range that may be open at either side, as in an address. */
export interface OpenWindow {
  readonly from: number | undefined;
  readonly to: number | undefined;
}

/** The shortest window when zooming in. */
const MIN_WINDOW_MS = 10;

/** The time range to draw: an open side ends where the readings end. */
export function windowOf({ from, to }: OpenWindow, all: TimeWindow): TimeWindow {
  const begin = from ?? Math.min(all.from, to === undefined ? all.from : to - 1);
  return { from: begin, to: Math.max(to ?? all.to, begin + 1) };
}

/**
 * A window `factor` times as long around the same middle. On a side where it was within the readings it does not extend
 * beyond them. Open on both sides if it would contain everything.
 */
export function zoomed({ from, to }: TimeWindow, factor: number, all: TimeWindow): OpenWindow {
  const middle = (from + to) / 2;
  const half = Math.max(((to - from) * factor) / 2, MIN_WINDOW_MS / 2);
  const [begin, end] = [Math.round(middle - half), Math.round(middle + half)];
  if (begin <= all.from && end >= all.to) return { from: undefined, to: undefined };
  return { from: from >= all.from ? Math.max(begin, all.from) : begin, to: to <= all.to ? Math.min(end, all.to) : end };
}

/** A window of the same length, shifted by a share of its length. */
export function shifted({ from, to }: TimeWindow, share: number): TimeWindow {
  const by = Math.round((to - from) * share);
  return { from: from + by, to: to + by };
}

/** Approximate number of readings in a window, assuming that all are spread evenly. */
export function readingsIn({ from, to }: TimeWindow, all: TimeWindow, count: number): number {
  const lengthMs = Math.max(1, all.to - all.from);
  const sharedMs = Math.max(0, Math.min(to, all.to) - Math.max(from, all.from));
  return Math.ceil((count * sharedMs) / lengthMs);
}

const dayMs = 86_400_000;

/**
 * Labels of the ticks of a time axis: as precise as their distance needs, with the day when it changes.
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
