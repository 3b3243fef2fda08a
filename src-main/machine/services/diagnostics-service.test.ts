import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ManualClock } from '../../base/clock.ts';
import { silentLogger } from '../../base/logger.ts';
import { DescribeResponse_State, type WatchResponse } from '../../../proto/gen/core/diagnostics/v1/diagnostics.ts';
import { Diagnostics } from '../diagnostics/diagnostics.ts';
import { counter, gauge } from '../diagnostics/source.ts';
import { diagnosticsService } from './diagnostics-service.ts';
import { cancellableCall, next } from './streaming-call.fixture.ts';

let folder: string;
beforeEach(() => void (folder = mkdtempSync(path.join(tmpdir(), 'armature-diagnostics-'))));
afterEach(() => rmSync(folder, { recursive: true }));

function setUp(isOn = true) {
  const clock = new ManualClock();
  const began = clock.now();
  const diagnostics = new Diagnostics({ isOn, folder, configPath: 'machine.json', clock, logger: silentLogger });
  let count = 0;
  diagnostics.add({
    name: 'test',
    metrics: [counter('count'), gauge('size', 'B')],
    read: () => [(count += 5), count],
  });
  diagnostics.start();
  const asked: number[] = [];
  const service = diagnosticsService(diagnostics, clock, async function* (since) {
    asked.push(since);
    yield new Uint8Array([1]);
    yield new Uint8Array([2]);
  });
  const at = (seconds: number): Date => new Date(began + seconds * 1_000);
  return { clock, diagnostics, service, at, asked };
}

const { call } = cancellableCall();

describe('core.diagnostics.v1.DiagnosticsService', () => {
  it('answers metrics over a time, those of the open block too: counters as how fast they rose', async () => {
    const { clock, diagnostics, service, at } = setUp();
    for (let second = 0; second < 70; second++) clock.advance(1_000);
    const request = { metrics: ['test.count', 'test.size', 'no.such'], start: at(60.5), end: at(70.5), stretches: 5 };
    const answer = await service.query?.(request, call);
    expect(answer?.series.map(({ metric, average, min }) => [metric?.name, metric?.unit, average[4], min[4]])).toEqual([
      ['test.count', '/s', 5, 5],
      ['test.size', 'B', 347.5, 345],
    ]);
    expect(answer?.unreadable).toEqual([]);
    await diagnostics.close();
  });

  it('lists the metrics that there are and were', async () => {
    const { clock, diagnostics, service, at } = setUp();
    const remove = diagnostics.add({ name: 'module.acme', metrics: [gauge('memory', 'B')], read: () => [1] });
    clock.advance(2_000);
    remove();
    clock.advance(1_000);
    const names = async (start: Date | undefined): Promise<readonly (string | undefined)[]> =>
      (await service.describe?.({ start, end: undefined }, call))?.metrics.map(({ name }) => name) ?? [];
    expect(await names(undefined)).toEqual(['test.count', 'test.size']);
    expect(await names(at(0))).toEqual(['module.acme.memory', 'test.count', 'test.size']);
    await diagnostics.close();
  });

  it('tells who watches of each sample', async () => {
    const { clock, diagnostics, service, at } = setUp();
    const watching = cancellableCall();
    const stream = service.watch?.({ metrics: ['test.size', 'no.such', 'test.count'] }, watching.call);
    const samples = stream?.[Symbol.asyncIterator]() as AsyncIterator<WatchResponse>;
    const first = next(samples);
    clock.advance(1_000);
    expect(await first).toEqual({ time: at(1), values: [5, Number.NaN, Number.NaN] });
    const second = next(samples);
    clock.advance(1_000);
    expect(await second).toEqual({ time: at(2), values: [10, Number.NaN, 5] });
    watching.cancel();
    expect((await samples.next()).done).toBe(true);
    await diagnostics.close();
  });

  it('says that nothing is recorded, answers what was before, and sets no timer', async () => {
    const before = setUp();
    before.clock.advance(3_000);
    await before.diagnostics.close();
    const { clock, diagnostics, service, at } = setUp(false);
    expect(clock.pending).toBe(0);
    const told = await service.describe?.({ start: at(0), end: at(10) }, call);
    expect(told?.state).toBe(DescribeResponse_State.OFF);
    expect(told?.metrics.map(({ name }) => name)).toEqual(['test.count', 'test.size']);
    const request = { metrics: ['test.size'], start: at(0), end: at(10), stretches: 1 };
    expect((await service.query?.(request, call))?.series[0]?.max).toEqual([15]);
    await diagnostics.close();
  });

  it.each([
    [{ metrics: Array<string>(65).fill('a'), stretches: 1 }, /65 metrics are asked for; 64 are the most/],
    [{ metrics: ['a', 'b'], stretches: 30_001 }, /more than 60000 values/],
    [{ metrics: ['a'], stretches: 1, end: undefined }, /start and end have to be set/],
  ])('refuses %j', async (changed, message) => {
    const { diagnostics, service, at } = setUp();
    const request = { start: at(0), end: at(1), ...changed };
    await expect(service.query?.(request, call)).rejects.toThrow(message);
    await diagnostics.close();
  });

  it('makes one support bundle at a time, of a day where nobody says more', async () => {
    const { clock, diagnostics, service, asked } = setUp();
    const bundle = (backSeconds: number) => service.collectBundle?.({ backSeconds }, call)[Symbol.asyncIterator]();
    const first = bundle(0);
    expect((await first?.next())?.value).toEqual({ data: new Uint8Array([1]) });
    await expect(bundle(0)?.next()).rejects.toMatchObject({ code: 'call.overloaded' });
    await first?.return?.(undefined);
    expect((await bundle(5)?.next())?.done).toBe(false);
    expect(asked).toEqual([clock.now() - 86_400_000, clock.now() - 5_000]);
    await diagnostics.close();
  });
});
