/** A length of time as on a clock: `0:05`, `3:41`, or `1:02:05` from an hour on. */
export function formatDuration(ms: number): string {
  const seconds = Math.floor(Math.max(ms, 0) / 1000);
  const pad = (value: number): string => String(value).padStart(2, '0');
  const [hours, minutes, rest] = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60, seconds % 60];
  return hours > 0 ? `${hours}:${pad(minutes)}:${pad(rest)}` : `${minutes}:${pad(rest)}`;
}
