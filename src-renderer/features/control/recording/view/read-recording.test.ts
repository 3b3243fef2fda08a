import { describe, expect, it } from 'vitest';
import { RecordingWriter } from '../file/recording-writer.ts';
import { readRecording } from './read-recording.ts';
import { recordingCsv } from './recording-csv.ts';

const started = '2026-11-27T12:04:00.000Z';
const channel = { name: 'печь.°C', resource: 'core:component:sensor/печь', unit: '°C' };

/** A file of more than one piece, whose letters have two bytes. */
function fileOf(count: number): Blob {
  const lines: string[] = [];
  const writer = new RecordingWriter((line) => lines.push(line));
  writer.header({ machine: 'bench', started, hz: 10, program: '' });
  for (let step = 0; step < count; step++) writer.values(step * 100, [{ channel, value: step }]);
  return new Blob(lines);
}
const never = new AbortController().signal;

describe('a file of many pieces', () => {
  it('is read whole, in turns, and written as a table', async () => {
    const content = fileOf(60_000);
    const shares: number[] = [];
    const recording = await readRecording(content, (share) => shares.push(share), never);
    if (!('channels' in recording)) throw new Error('it is no recording');
    expect(content.size).toBeGreaterThan(1_500_000);
    expect(recording).toMatchObject({ problem: undefined, leftOut: 0 });
    expect(recording.channels.map(({ name, buffer }) => [name, buffer.length, buffer.last?.value])).toEqual([
      [channel.name, 60_000, 59_999],
    ]);
    expect(shares).toEqual([...shares].sort((one, other) => one - other));
    const table = await recordingCsv(recording.channels, { to: recording.to, windowMs: recording.to - recording.from });
    const rows = (await table.text()).trimEnd().split('\r\n');
    expect(rows).toHaveLength(60_001);
    expect(rows.slice(0, 2)).toEqual(['time,seconds,печь.°C (°C)', `${started},0,0`]);
  });

  it('is not read on once another one is opened', async () => {
    const opening = new AbortController();
    const reading = readRecording(fileOf(200_000), () => opening.abort(), opening.signal);
    await expect(reading).rejects.toThrow();
  });
});
