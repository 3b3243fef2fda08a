import { FILE_ENDING } from './file/format.ts';

/** A length of time as on a clock: `0:05`, `12:04`, `1:02:07`. */
export function lengthText(ms: number): string {
  const seconds = Math.floor(Math.max(0, ms) / 1_000);
  const pad = (value: number): string => String(value).padStart(2, '0');
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return `${minutes}:${pad(seconds % 60)}`;
  return `${Math.floor(minutes / 60)}:${pad(minutes % 60)}:${pad(seconds % 60)}`;
}

/** The name of a file: `bench-2026-11-27T12-04-07Z.recording.ndjson`. @param startedAt wall-clock ms */
export function recordingFileName(machine: string, startedAt: number, ending: string = FILE_ENDING): string {
  const time = new Date(startedAt).toISOString().slice(0, 19).replaceAll(':', '-');
  const name = machine.replace(/[^\p{L}\p{N}_-]+/gu, '-').replace(/^-+|-+$/g, '');
  return `${name === '' ? 'machine' : name}-${time}Z${ending}`;
}
