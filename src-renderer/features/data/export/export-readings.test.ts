import { describe, expect, it } from 'vitest';
import { CaptureMetadata } from '../../../../proto/gen/core/app/data/v1/data.ts';
import type { ExportedReading } from '../../../shared/machine/data/data-calls.ts';
import { exportName, exportReadings, type ExportProgress } from './export-readings.ts';
import type { ExportFormat, FileSink } from '../../../shared/files/file-sink.ts';
import { ExportStopped, MAX_COLUMNS } from './reading-file.ts';

const source = {
  partId: 'p',
  componentType: 'core:component:sensor',
  componentName: 'climate',
  methodName: 'Readings',
};
const filter = { source, from: undefined, to: 5_000, tags: [] };

const origin: CaptureMetadata = {
  ...CaptureMetadata.fromPartial({ robotName: 'press', partName: 'main' }),
  ...{ componentName: 'climate', componentType: source.componentType, methodName: 'Readings' },
};

function reading(at: number, payload: Record<string, unknown>, tags: string[] = []): ExportedReading {
  return { at, requestedAt: at, payload, tags, origin };
}

/** A file in memory that counts its writes and restarts. */
class TestFile implements FileSink {
  limitBytes: number | undefined;
  text = '';
  writes = 0;
  restarts = 0;
  async write(piece: string | Uint8Array<ArrayBuffer>): Promise<void> {
    this.text += typeof piece === 'string' ? piece : new TextDecoder('latin1').decode(piece);
    this.writes += 1;
  }
  async restart(): Promise<void> {
    this.text = '';
    this.restarts += 1;
  }
  async finish(): Promise<void> {}
  async abort(): Promise<void> {}
}

async function write(
  readings: readonly ExportedReading[],
  format: ExportFormat,
  sink = new TestFile(),
  signal = new AbortController().signal,
): Promise<{ sink: TestFile; progress: ExportProgress }> {
  const calls = {
    async *exportReadings() {
      yield* readings;
    },
  };
  const progress = await exportReadings(calls, { filter, format, sink, signal, onProgress: () => undefined });
  return { sink, progress };
}

describe('an export', () => {
  it('of readings with the same fields is written in one pass', async () => {
    const { sink, progress } = await write([reading(0, { c: 1 }), reading(1, { c: 2 })], 'csv');
    expect(sink.text).toBe('time,c\r\n1970-01-01T00:00:00.000Z,1\r\n1970-01-01T00:00:00.001Z,2\r\n');
    expect(progress).toEqual({ readings: 2, bytes: sink.text.length, at: 1, restarts: 0 });
  });

  it('has a column for every field, wherever it appears first', async () => {
    const { sink, progress } = await write(
      [reading(0, { c: 1 }), reading(1, { d: 'é' }), reading(2, { c: 3, e: { f: true } })],
      'csv',
    );
    expect(sink.text).toBe(
      'time,c,d,e.f\r\n' +
        '1970-01-01T00:00:00.000Z,1,,\r\n' +
        '1970-01-01T00:00:00.001Z,,é,\r\n' +
        '1970-01-01T00:00:00.002Z,3,,true\r\n',
    );
    expect([sink.restarts, progress.restarts]).toEqual([1, 1]);
  });

  it('as JSON lines has unchanged readings, with their origin', async () => {
    const { sink } = await write([reading(0, { a: [1, null] }, ['dusk']), reading(1, {})], 'jsonl');
    expect(
      sink.text
        .split('\n')
        .slice(0, 2)
        .map((line) => JSON.parse(line) as unknown),
    ).toEqual([
      {
        time: '1970-01-01T00:00:00.000Z',
        machine: 'press',
        part: 'main',
        resource: 'climate',
        type: 'core:component:sensor',
        method: 'Readings',
        tags: ['dusk'],
        payload: { a: [1, null] },
      },
      expect.objectContaining({ time: '1970-01-01T00:00:00.001Z', payload: {} }),
    ]);
  });

  it('is written in large pieces, not line by line', async () => {
    const many = Array.from({ length: 20_000 }, (_, index) => reading(index, { c: index, text: 'x'.repeat(40) }));
    const { sink, progress } = await write(many, 'csv');
    expect(sink.text.trimEnd().split('\r\n')).toHaveLength(20_001);
    expect(sink.writes).toBeLessThan(20);
    expect(progress.bytes).toBe(sink.text.length);
  });

  it('stops where memory is full, where there are too many columns, and when it is cancelled', async () => {
    const small = new TestFile();
    small.limitBytes = 10;
    await expect(write([reading(0, { c: 1 })], 'csv', small)).rejects.toEqual(new ExportStopped('memory'));
    const ids = Array.from({ length: MAX_COLUMNS + 1 }, (_, index) => reading(index, { [`id${index}`]: 1 }));
    await expect(write(ids, 'csv')).rejects.toEqual(new ExportStopped('columns'));
    await expect(write([reading(0, {})], 'csv', undefined, AbortSignal.abort())).rejects.toThrow();
  });

  it('has a file name that is valid on every system', () => {
    const now = Date.UTC(2026, 10, 21, 10, 42, 7);
    expect(exportName('cam/äé 1', 'Readings', 'csv', now)).toBe('cam_1-Readings-2026-11-21T10-42-07Z.csv');
    expect(exportName('', '', 'jsonl', now)).toBe('2026-11-21T10-42-07Z.jsonl');
  });
});
