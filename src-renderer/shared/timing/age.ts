import { formatFixed } from '../format-number.ts';

/** A short age with its unit: `40 ms`, `3.2 s`, `45 s`, `2 min`, `5 h`, `3 d`. */
export function formatAge(ageMs: number): string {
  const ms = Math.max(ageMs, 0);
  if (ms < 1000) return `${Math.round(ms / 10) * 10} ms`;
  const seconds = ms / 1000;
  if (seconds < 10) return `${formatFixed(seconds, 1)} s`;
  if (seconds < 60) return `${Math.floor(seconds)} s`;
  const minutes = seconds / 60;
  if (minutes < 60) return `${Math.floor(minutes)} min`;
  const hours = minutes / 60;
  return hours < 48 ? `${Math.floor(hours)} h` : `${Math.floor(hours / 24)} d`;
}

/** Local time of day at which something began: `10:42`; with the date if that was another day. */
export function formatSince(at: number, now: number): string {
  const date = new Date(at);
  const pad = (value: number): string => String(value).padStart(2, '0');
  const time = `${pad(date.getHours())}:${pad(date.getMinutes())}`;
  if (date.toDateString() === new Date(now).toDateString()) return time;
  return `${date.getFullYear()}-${pad(date.getMonth() + 1)}-${pad(date.getDate())} ${time}`;
}

/** Local time of day with milliseconds: `10:42:07.120`. */
export function formatTime(at: number): string {
  const date = new Date(at);
  const pad = (value: number, length: number): string => String(value).padStart(length, '0');
  const time = [date.getHours(), date.getMinutes(), date.getSeconds()].map((part) => pad(part, 2)).join(':');
  return `${time}.${pad(date.getMilliseconds(), 3)}`;
}
