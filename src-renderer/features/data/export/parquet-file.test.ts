import { parquetMetadata, parquetReadObjects } from 'hyparquet';
import { describe, expect, it } from 'vitest';
import type { ExportedReading } from '../../../shared/machine/data/data-calls.ts';
import { exportReadings } from './export-readings.ts';
import type { FileSink } from '../../../shared/files/file-sink.ts';
import { ExportStopped } from './reading-file.ts';

const start = Date.UTC(2026, 5, 1);
const source = {
  partId: 'p',
  componentType: 'core:component:sensor',
  componentName: 'climate',
  methodName: 'Readings',
};
const filter = { source, from: undefined, to: start + 1e9, tags: [] };

function reading(at: number, readings: Record<string, unknown>): ExportedReading {
  return { at: start + at, requestedAt: at, payload: { readings }, tags: [], origin: undefined };
}

/** A file in memory that counts its restarts. */
class Bytes implements FileSink {
  limitBytes: number | undefined;
  pieces: Uint8Array<ArrayBuffer>[] = [];
  restarts = 0;
  async write(piece: string | Uint8Array<ArrayBuffer>): Promise<void> {
    this.pieces.push(piece as Uint8Array<ArrayBuffer>);
  }
  async restart(): Promise<void> {
    this.pieces = [];
    this.restarts += 1;
  }
  async finish(): Promise<void> {}
  async abort(): Promise<void> {}
}

describe('a Parquet file', () => {
  async function write(readings: readonly ExportedReading[], sink = new Bytes()): Promise<Bytes> {
    const calls = {
      async *exportReadings() {
        yield* readings;
      },
    };
    const { signal } = new AbortController();
    const progress = await exportReadings(calls, {
      filter,
      format: 'parquet',
      sink,
      signal,
      onProgress: () => undefined,
    });
    expect(progress.bytes).toBe(sink.pieces.reduce((sum, { length }) => sum + length, 0));
    return sink;
  }
  const whole = (sink: Bytes): Promise<ArrayBuffer> => new Blob(sink.pieces).arrayBuffer();
  const rowsOf = async (sink: Bytes): Promise<Record<string, unknown>[]> =>
    parquetReadObjects({ file: await whole(sink) });

  it('has a typed column for each field, and is started again for fields that appear later', async () => {
    const sink = await write([
      reading(0, { c: 20.5, open: true, fan: 'high', gps: { lat: 1 }, mixed: 1, none: null }),
      reading(1_000, { c: -3, open: false, fan: 'é "', mixed: 'text', late: 7 }),
      reading(2_000, { mixed: [], list: [1, 2] }),
    ]);
    expect(sink.restarts).toBe(1);
    const { schema } = parquetMetadata(await whole(sink));
    expect(Object.fromEntries(schema.slice(1).map(({ name, type, converted_type: as }) => [name, as ?? type]))).toEqual(
      {
        time: 'TIMESTAMP_MILLIS',
        'readings.c': 'DOUBLE',
        'readings.open': 'BOOLEAN',
        'readings.fan': 'UTF8',
        'readings.gps.lat': 'DOUBLE',
        'readings.mixed': 'JSON',
        'readings.none': 'JSON',
        'readings.late': 'DOUBLE',
        'readings.list.0': 'DOUBLE',
        'readings.list.1': 'DOUBLE',
      },
    );
    expect(await rowsOf(sink)).toMatchObject([
      { time: new Date(start), 'readings.c': 20.5, 'readings.open': true, 'readings.fan': 'high', 'readings.mixed': 1 },
      { time: new Date(start + 1_000), 'readings.fan': 'é "', 'readings.mixed': 'text', 'readings.late': 7 },
      { time: new Date(start + 2_000), 'readings.c': null, 'readings.mixed': [], 'readings.list.1': 2 },
    ]);
  });

  it('of many readings is written in groups, and is much smaller than their text', async () => {
    const readings = Array.from({ length: 120_000 }, (_, index) =>
      reading(index, { n: index, half: index / 2, fan: index % 2 === 0 ? 'high' : 'low' }),
    );
    const sink = await write(readings);
    expect(sink.pieces.length).toBeGreaterThan(2);
    const rows = await rowsOf(sink);
    expect(rows).toHaveLength(readings.length);
    expect(rows[70_001]).toEqual({
      time: new Date(start + 70_001),
      'readings.n': 70_001,
      'readings.half': 35_000.5,
      'readings.fan': 'low',
    });
    expect((await whole(sink)).byteLength).toBeLessThan(readings.length * 40);
  });

  it('of no readings has no rows, and a field named time keeps its name', async () => {
    expect(await rowsOf(await write([]))).toEqual([]);
    const named = { ...reading(0, {}), payload: { time: 'noon' } };
    expect(await rowsOf(await write([named]))).toEqual([{ _time: new Date(start), time: 'noon' }]);
  });

  it('stops where memory is full', async () => {
    const sink = new Bytes();
    sink.limitBytes = 10;
    await expect(write([reading(0, { c: 1 })], sink)).rejects.toEqual(new ExportStopped('memory'));
  });
});
