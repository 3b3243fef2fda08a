import { describe, expect, it } from 'vitest';
import { formatDuration } from '../../../shared/timing/duration.ts';
import { recordingFileName } from './recording-words.ts';

describe('the words of a recording', () => {
  it.each([
    [0, '0:00'],
    [5_999, '0:05'],
    [724_000, '12:04'],
    [3_727_000, '1:02:07'],
  ])('tell a length of %d ms as %s', (ms, text) => {
    expect(formatDuration(ms)).toBe(text);
  });

  it('name a file that every system can have', () => {
    const at = Date.UTC(2026, 10, 27, 12, 4, 7);
    expect(recordingFileName('Lab 1 / bench', at)).toBe('Lab-1-bench-2026-11-27T12-04-07Z.recording.ndjson');
    expect(recordingFileName('', at, '.csv')).toBe('machine-2026-11-27T12-04-07Z.csv');
  });
});
