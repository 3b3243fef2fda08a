import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { JsonValue } from '../../../../proto/config/text/json-text.ts';
import { readTrigger } from '../../../../proto/config/triggers/read-triggers.ts';
import { compileUserPattern } from '../../../base/user-pattern.ts';
import { openTestStore, testStores } from '../../storage/testing/test-stores.ts';
import type { ReadingsOf } from '../readings.ts';
import { onReadings, trigger, TriggerBench, webhook } from '../testing/trigger-bench.ts';
import { countFirings, MAX_LOOK_MS } from './count-firings.ts';

const DAY_MS = 24 * 60 * 60 * 1_000;
const MINUTE_MS = 60_000;
const url = 'http://127.0.0.1:1/hook';

describe.each(testStores)('a trigger applied to past events, on $name', (kind) => {
  let bench: TriggerBench;
  let end: () => Promise<void>;
  let readingsOf: ReadingsOf;

  beforeEach(async () => {
    const opened = await openTestStore(kind);
    end = opened.end;
    bench = await TriggerBench.open(opened.store);
    readingsOf = (id) => Promise.resolve(bench.readings.get(id) ?? []);
  });

  afterEach(async () => {
    await bench.close();
    await end();
  });

  const count = (value: JsonValue, signal = new AbortController().signal) => {
    const { clock, events } = bench;
    const read = readTrigger(value, '', 0, { captured: [], compilePattern: compileUserPattern }).trigger;
    if (read === undefined) throw new Error('the trigger of this test cannot be used');
    const to = clock.now();
    const query = { partId: bench.ids.part, trigger: read, from: to - DAY_MS, to };
    return countFirings(query, { events, readingsOf, clock }, signal);
  };
  const hotter = (than: number, ...targets: JsonValue[]): JsonValue =>
    onReadings('hot', [{ operator: 'gt', value: { cpu: than } }], targets.length === 0 ? [webhook(url)] : targets);
  /** An upload a minute, each with these readings of `cpu`. */
  const uploads = async (...each: readonly (readonly number[])[]): Promise<void> => {
    for (const values of each) {
      bench.clock.advance(MINUTE_MS);
      await bench.append(bench.readingsCame(...values.map((cpu) => ({ cpu }))));
    }
  };

  it('counts each upload once if any of its readings fires the trigger, and gives the times', async () => {
    await uploads([1], [60, 70, 80], [2, 51], [50]);
    const now = bench.clock.now();
    expect(await count(hotter(50))).toMatchObject({
      cutOff: undefined,
      evaluated: 4,
      firings: [now - MINUTE_MS, now - 2 * MINUTE_MS],
      withoutReadings: 0,
    });
  });

  it('leaves out earlier uploads, and those of other methods', async () => {
    await uploads([99]);
    bench.clock.advance(DAY_MS + MINUTE_MS);
    await uploads([99]);
    await bench.append(bench.ingested({ componentName: 'other' }), bench.online());
    expect(await count(hotter(50))).toMatchObject({ evaluated: 1, firings: [bench.clock.now()] });
  });

  it('counts the notifications of each target by its own limit', async () => {
    await uploads([60], [60], [60], [60], [60]);
    const { targets } = await count(hotter(50, webhook(url), webhook(`${url}/slow`, 150)));
    expect(targets).toMatchObject([
      { notification: { value: url }, notified: 5, dropped: 0 },
      { notification: { value: `${url}/slow` }, notified: 2, dropped: 3 },
    ]);
  });

  it('counts presence and uploads of any kind too', async () => {
    await bench.append(bench.online());
    bench.clock.advance(MINUTE_MS);
    await bench.append(bench.away(), bench.ingested({ type: 'binary' }), bench.ingested({ type: 'file' }));
    expect((await count(trigger('up', 'part_online', [webhook(url)]))).firings).toHaveLength(1);
    expect((await count(trigger('down', 'part_offline', [webhook(url)]))).firings).toHaveLength(1);
    const data_ingested = { data_types: ['binary'] };
    const pictures = trigger('pictures', 'part_data_ingested', [webhook(url)], { data_ingested });
    expect((await count(pictures)).firings).toHaveLength(1);
  });

  it('counts uploads whose readings no longer exist', async () => {
    await uploads([60], [60]);
    bench.readings.delete('upload-1');
    expect(await count(hotter(50))).toMatchObject({ evaluated: 2, withoutReadings: 1, firings: [bench.clock.now()] });
  });

  it('stops at its time limit, and gives the time before which nothing was searched', async () => {
    await uploads([60], [60], [60], [60]);
    const now = bench.clock.now();
    const all = readingsOf;
    readingsOf = (id) => {
      bench.clock.advance(MAX_LOOK_MS / 2);
      return all(id);
    };
    expect(await count(hotter(50))).toMatchObject({ evaluated: 2, cutOff: now - MINUTE_MS });
  });

  it('stops when the call is aborted', async () => {
    await uploads([60], [60], [60]);
    expect(await count(hotter(50), AbortSignal.abort())).toMatchObject({ evaluated: 1 });
  });
});
