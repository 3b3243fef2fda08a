import { formatTime } from './age.ts';

/** Local time with date: `2026-11-21 10:42:07.120`. */
export function localTime(at: number): string {
  return `${localDay(at)} ${formatTime(at)}`;
}

export function isSameDay(at: number, other: number): boolean {
  return localDay(at) === localDay(other);
}

/** Local date: `2026-11-21`. */
export function localDay(at: number): string {
  const date = new Date(at);
  const pad = (value: number): string => String(value).padStart(2, '0');
  return `${date.getFullYear()}-${pad(date.getMonth() + 1)}-${pad(date.getDate())}`;
}

/** Value of a `datetime-local` field, to the second. */
export function fieldTime(at: number | undefined): string {
  return at === undefined ? '' : localTime(at).replace(' ', 'T').slice(0, 19);
}

export function timeOfField(value: string): number | undefined {
  const at = value === '' ? NaN : new Date(value).getTime();
  return Number.isNaN(at) ? undefined : at;
}
