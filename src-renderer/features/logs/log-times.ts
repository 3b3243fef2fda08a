import { formatAge, formatTime } from '../../shared/timing/age.ts';

/** How times are shown: of this computer, of the world, or as an age. */
export const timeModes = ['local', 'utc', 'age'] as const;
export type TimeMode = (typeof timeModes)[number];

export function timeModeOf(kept: string | null): TimeMode {
  return timeModes.find((mode) => mode === kept) ?? 'local';
}

const dayMs = 24 * 60 * 60 * 1000;

/** Time of a line; with its day where that is not the day of `now`. */
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

/** `2026-11-21 10:42:07.120`, of this computer. */
export function localTime(at: number): string {
  return `${localDay(at)} ${formatTime(at)}`;
}

export function isSameDay(at: number, other: number): boolean {
  return localDay(at) === localDay(other);
}

function localDay(at: number): string {
  const date = new Date(at);
  const pad = (value: number): string => String(value).padStart(2, '0');
  return `${date.getFullYear()}-${pad(date.getMonth() + 1)}-${pad(date.getDate())}`;
}

/** Value of a `datetime-local` field, to the second, and back. */
export function fieldTime(at: number | undefined): string {
  return at === undefined ? '' : localTime(at).replace(' ', 'T').slice(0, 19);
}

export function timeOfField(value: string): number | undefined {
  const at = value === '' ? NaN : new Date(value).getTime();
  return Number.isNaN(at) ? undefined : at;
}
