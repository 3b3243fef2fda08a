import { FILE_ENDING } from './file/format.ts';

/** The name of a file: `bench-2026-11-27T12-04-07Z.recording.ndjson`. @param startedAt wall-clock ms */
export function recordingFileName(machine: string, startedAt: number, ending: string = FILE_ENDING): string {
  const time = new Date(startedAt).toISOString().slice(0, 19).replaceAll(':', '-');
  const name = machine.replace(/[^\p{L}\p{N}_-]+/gu, '-').replace(/^-+|-+$/g, '');
  return `${name === '' ? 'machine' : name}-${time}Z${ending}`;
}
