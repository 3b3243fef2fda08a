import { formatAge, formatTime } from '../../shared/timing/age.ts';
import { isSameDay, localDay } from '../../shared/timing/local-time.ts';

/** How times are shown: local time, UTC, or age. */
export const timeModes = ['local', 'utc', 'age'] as const;
export type TimeMode = (typeof timeModes)[number];

export function timeModeOf(kept: string | null): TimeMode {
  return timeModes.find((mode) => mode === kept) ?? 'local';
}

const dayMs = 24 * 60 * 60 * 1000;

/** Time of a line, with its day if that is not the day of `now`. */
export function lineTime(at: number, mode: TimeMode, now: number): string {
  switch (mode) {
    case 'local':
      return isSameDay(at, now) ? formatTime(at) : `${localDay(at)} ${formatTime(at)}`;
    case 'utc': {
      const text = new Date(at).toISOString();
      const time = text.slice(11, -1);
      return Math.floor(at / dayMs) === Math.floor(now / dayMs) ? `${time}Z` : `${text.slice(0, 10)} ${time}Z`;
    }
    case 'age':
      return formatAge(now - at);
  }
}
