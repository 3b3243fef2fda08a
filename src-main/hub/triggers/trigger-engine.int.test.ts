import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { testStores, openTestStore } from '../storage/testing/test-stores.ts';
import { MAX_QUEUED } from './delivery/deliveries.ts';
import { SHORT_GAP_MS } from './firing.ts';
import { Receiver } from './testing/receiver.ts';
import { TriggerBench, onReadings, trigger, webhook } from './testing/trigger-bench.ts';
import { readLimits } from './trigger-limits.ts';

/** Headers of HTTP itself and of the signature. */
const TRANSPORT = ['Host', 'Connection', 'User-Agent', 'webhook-id', 'webhook-timestamp', 'webhook-signature'];
const WITH_BODY = [...TRANSPORT, 'Content-Type', 'Content-Length'];

describe.each(testStores)('triggers on $name', (kind) => {
  let bench: TriggerBench;
  let receiver: Receiver;
  let end: () => Promise<void>;

  beforeEach(async () => {
    const opened = await openTestStore(kind);
    end = opened.end;
    bench = await TriggerBench.open(opened.store);
    receiver = await Receiver.listen();
  });

  afterEach(async () => {
    await bench.close();
    await receiver.close();
    await end();
  });

  const records = () => bench.triggers.records.of(bench.ids.part);
  const outcomes = async (name: string) =>
    (await records()).get(name)?.evaluations.map(({ outcome, reason }) => [outcome, reason]);
  const ids = () => ({
    'org-id': bench.ids.organization,
    'location-id': bench.ids.location,
    'part-id': bench.ids.part,
    'robot-id': bench.ids.machine,
  });
  const utf8 = (value: string | string[] | undefined) => Buffer.from(String(value), 'latin1').toString('utf8');

  describe('have exactly the headers and keys of the specification', () => {
    it.each([['part_online'], ['part_offline']])('%s: a GET without a body', async (type) => {
      await bench.configure(trigger('t', type, [webhook(receiver.url)]));
      await bench.happen(type === 'part_online' ? bench.online() : bench.away());
      const [request] = receiver.requests;
      expect(receiver.requests).toHaveLength(1);
      expect(request).toMatchObject({ method: 'GET', path: '/hook', body: '', headers: ids() });
      const named = [
        'Org-Id',
        'Organization-Name',
        'Location-Id',
        'Location-Name',
        'Part-Id',
        'Machine-Name',
        'Robot-Id',
      ];
      expect(request?.names.toSorted()).toEqual([...named, ...TRANSPORT].toSorted());
      expect(utf8(request?.headers['organization-name'])).toBe('Müller & Söhne');
      expect(request?.headers['location-name']).toBe('Halle 3');
      expect(request?.headers['machine-name']).toBe('press');
    });

    it('part_data_ingested of readings: a POST with the first of them', async () => {
      const data_ingested = { data_types: ['tabular'] };
      await bench.configure(trigger('t', 'part_data_ingested', [webhook(receiver.url)], { data_ingested }));
      await bench.happen(bench.readingsCame({ cpu: 51 }, { cpu: 52 }));
      const [request] = receiver.requests;
      expect(request).toMatchObject({ method: 'POST', headers: { ...ids(), 'content-type': 'application/json' } });
      expect(request?.names.toSorted()).toEqual(
        ['Org-Id', 'Location-Id', 'Part-Id', 'Robot-Id', ...WITH_BODY].toSorted(),
      );
      expect(JSON.parse(request?.body ?? '')).toEqual({
        component_name: 'tank',
        component_type: 'sensor',
        method_name: 'Readings',
        min_time_received: '2026-06-01T11:59:59.000Z',
        max_time_received: '2026-06-01T12:00:00.000Z',
        machine_name: 'press',
        location_name: 'Halle 3',
        org_name: 'Müller & Söhne',
        file_id: 'upload-1',
        data: {
          metadata: { received_at: '2026-06-01T11:59:59.990Z', requested_at: '2026-06-01T11:59:59.980Z' },
          data: { cpu: 51 },
        },
      });
    });

    it('part_data_ingested of a file without a component: without the keys that have no source', async () => {
      const data_ingested = { data_types: ['file'] };
      await bench.configure(trigger('t', 'part_data_ingested', [webhook(receiver.url)], { data_ingested }));
      const nothing = { componentName: '', componentType: '', methodName: '' };
      await bench.happen(bench.ingested({ type: 'file', fileId: 'file-7', ...nothing }));
      expect(JSON.parse(receiver.requests[0]?.body ?? '')).toEqual({
        min_time_received: '2026-06-01T11:59:59.000Z',
        max_time_received: '2026-06-01T12:00:00.000Z',
        machine_name: 'press',
        location_name: 'Halle 3',
        org_name: 'Müller & Söhne',
        file_id: 'file-7',
      });
    });

    it('conditional_data_ingested: a POST with the condition and the reading that fired it', async () => {
      const evals = [{ operator: 'gt', value: { cpu: 50 } }];
      await bench.configure(onReadings('t', evals, [webhook(receiver.url)]));
      await bench.happen(bench.readingsCame({ cpu: 49 }, { cpu: 51 }, { cpu: 52 }));
      const [request] = receiver.requests;
      expect(receiver.requests).toHaveLength(1);
      expect(request?.method).toBe('POST');
      expect(request?.names.toSorted()).toEqual(
        ['Org-Id', 'Location-Id', 'Part-Id', 'Robot-Id', ...WITH_BODY].toSorted(),
      );
      expect(JSON.parse(request?.body ?? '')).toEqual({
        component_name: 'tank',
        component_type: 'sensor',
        method_name: 'Readings',
        machine_name: 'press',
        location_name: 'Halle 3',
        org_name: 'Müller & Söhne',
        trigger_condition: { evals },
        data: {
          metadata: { received_at: '2026-06-01T11:59:59.990Z', requested_at: '2026-06-01T11:59:59.980Z' },
          data: { cpu: 51 },
        },
      });
    });

    it('conditional_data_ingested without conditions: at every upload, without trigger_condition', async () => {
      await bench.configure(onReadings('t', [], [webhook(receiver.url)]));
      await bench.happen(bench.readingsCame({ a: 1 }), bench.readingsCame({ a: 2 }), bench.readingsCame());
      const bodies = receiver.requests.map(({ body }) => JSON.parse(body) as Record<string, unknown>);
      expect(bodies.map((body) => (body['data'] as { data?: unknown } | undefined)?.data)).toEqual(
        expect.arrayContaining([{ a: 1 }, { a: 2 }, undefined]),
      );
      expect(bodies.some((body) => 'trigger_condition' in body)).toBe(false);
    });
  });

  it('fire only for the uploads that concern them', async () => {
    const on = (name: string, data_types: string[]) =>
      trigger(name, 'part_data_ingested', [webhook(receiver.url)], { data_ingested: { data_types } });
    await bench.configure(on('binary', ['binary']), on('unset', ['unspecified']), on('two', ['file', 'tabular']));
    for (const type of ['binary', 'tabular', 'file', 'unspecified'] as const)
      await bench.happen(bench.ingested({ type }));
    const fired = (await bench.all()).map(({ trigger_name }) => trigger_name);
    expect(fired).toEqual(['binary', 'two', 'two', 'unset']);
  });

  it.each([
    [{ componentName: 'other' }],
    [{ methodName: 'Other' }],
    [{ componentType: 'core:component:movement_sensor' }],
  ])('on a captured method do not fire for others: %j', async (other) => {
    await bench.configure(onReadings('t', [], [webhook(receiver.url)]));
    await bench.happen(bench.ingested(other));
    expect(await bench.all()).toEqual([]);
    expect((await records()).size).toBe(0);
  });

  it('keep the reasons why they did not fire, for the last ten evaluations', async () => {
    const pattern = [{ operator: 'regex', value: { state: '^h' } }];
    await bench.configure(
      onReadings('t', [{ operator: 'gt', value: { cpu: { load: 50 } } }, ...pattern], [webhook(receiver.url)]),
    );
    await bench.happen(
      bench.readingsCame({ cpu: { load: 10 }, state: 'hot' }),
      bench.readingsCame({ cpu: { load: '60' }, state: 'hot' }),
      bench.readingsCame({ state: 'hot' }),
      bench.readingsCame({ cpu: { load: 60 }, state: 'cold' }),
      bench.readingsCame(),
      bench.readingsCame({ cpu: { load: 60 }, state: 'hot' }),
    );
    expect((await outcomes('t'))?.toReversed()).toEqual([
      ['not-fired', 'cpu.load: 10 is not greater than 50'],
      ['not-fired', 'cpu.load: the types differ: text is compared with a number'],
      ['not-fired', 'cpu.load: the reading has no field "cpu"'],
      ['not-fired', 'state: "cold" does not match "^h"'],
      ['not-fired', 'the upload has no readings'],
      ['fired', ''],
    ]);
    for (let count = 0; count < 10; count++) await bench.happen(bench.readingsCame({ cpu: 1 }));
    expect((await records()).get('t')).toMatchObject({ evaluated: 16, fired: 1 });
    expect(await outcomes('t')).toHaveLength(10);
  });

  it('drop and count what comes too soon for a target, over restarts, and never send it later', async () => {
    const other = receiver.url.replace('/hook', '/other');
    await bench.configure(onReadings('t', [], [webhook(receiver.url, 60), webhook(other)]));
    const came = async () => bench.happen(bench.readingsCame({ a: 1 }));
    await came();
    await bench.pass(59_999);
    await came();
    await bench.restart();
    await came();
    expect(receiver.requests.map(({ path }) => path).sort()).toEqual(['/hook', '/other', '/other', '/other']);
    const limits = await readLimits(bench.store.db, bench.ids.part);
    expect(limits.map(({ queued, dropped }) => [queued, dropped]).sort()).toEqual([
      [1, 2],
      [3, 0],
    ]);
    expect((await outcomes('t'))?.[0]).toEqual(['fired', `${receiver.url}: within 60 s of the last notification`]);
    await bench.pass(1);
    expect(receiver.requests).toHaveLength(4);
    await came();
    expect(receiver.requests.map(({ path }) => path).slice(4)).toEqual(expect.arrayContaining(['/hook', '/other']));
    expect((await readLimits(bench.store.db, bench.ids.part)).every(({ dropped_since }) => dropped_since === 0)).toBe(
      true,
    );
  });

  it('record what they drop because of their limit as dropped', async () => {
    await bench.configure(onReadings('t', [], [webhook(receiver.url, 60)]));
    await bench.happen(bench.readingsCame({ a: 1 }), bench.readingsCame({ a: 2 }));
    expect((await outcomes('t'))?.map(([outcome]) => outcome)).toEqual(['dropped', 'fired']);
  });

  it.each([
    ['an hour', 3_600_000],
    ['a year', 365 * 24 * 3_600_000],
  ])('keep their limit, but no longer than it is, if the clock was set back by %s', async (_what, ms) => {
    await bench.configure(onReadings('t', [], [webhook(receiver.url, 3_600)]));
    await bench.happen(bench.readingsCame({ a: 1 }));
    bench.clock.set(bench.clock.now() - ms);
    await bench.happen(bench.readingsCame({ a: 2 }));
    await bench.pass(3_599_000);
    await bench.happen(bench.readingsCame({ a: 3 }));
    expect(receiver.requests).toHaveLength(1);
    await bench.pass(1_000);
    await bench.happen(bench.readingsCame({ a: 4 }));
    expect(receiver.requests).toHaveLength(2);
  });

  it('an event that is handled twice has its effects only once', async () => {
    await bench.configure(
      onReadings('t', [], [webhook(receiver.url, 60)]),
      trigger('u', 'part_online', [webhook(receiver.url)]),
    );
    const events = await bench.happen(bench.readingsCame({ a: 1 }), bench.readingsCame({ a: 2 }), bench.online());
    const before = [await records(), await readLimits(bench.store.db, bench.ids.part), (await bench.all()).length];
    await bench.triggers.engine.handle(events);
    await bench.restart();
    await bench.triggers.engine.handle(events.slice(1));
    await bench.triggers.worker.idle();
    expect([await records(), await readLimits(bench.store.db, bench.ids.part), (await bench.all()).length]).toEqual(
      before,
    );
    expect(receiver.requests).toHaveLength(2);
  });

  it('handle events that happened while the program was not running', async () => {
    await bench.configure(trigger('t', 'part_online', [webhook(receiver.url)]));
    await bench.triggers.start();
    await bench.triggers.feature.close?.();
    await bench.append(bench.online());
    expect(receiver.requests).toHaveLength(0);
    await bench.restart();
    await bench.triggers.start();
    await receiver.until(1);
  });

  it('come from the configuration that the part has when the event is handled', async () => {
    await bench.configure(trigger('t', 'part_online', [webhook(receiver.url)]));
    await bench.happen(bench.online());
    await bench.configure({ ...(trigger('t', 'part_online', [webhook(receiver.url)]) as object), disabled: true });
    await bench.happen(bench.online());
    await bench.configure(
      trigger('t', 'part_onlin', [webhook(receiver.url)]),
      trigger('u', 'part_online', [webhook(receiver.url)]),
    );
    await bench.happen(bench.online());
    expect((await bench.all()).map(({ trigger_name }) => trigger_name)).toEqual(['t', 'u']);
  });

  it('drop and count notifications if too many of the part already wait', async () => {
    await bench.configure(trigger('t', 'part_online', [webhook(receiver.url)]));
    await bench.happen(bench.online());
    const [first] = await bench.all();
    if (first === undefined) throw new Error('one was sent');
    const { number: _number, ...row } = first;
    const later = bench.clock.now() + 3_600_000;
    const queued = Array.from({ length: MAX_QUEUED }, (_, index) => ({
      ...row,
      id: `msg_${index}`,
      event_id: null,
      state: 'queued' as const,
      next_at: later,
      finished_at: null,
    }));
    for (let at = 0; at < MAX_QUEUED; at += 500) {
      await bench.store.db
        .insertInto('deliveries')
        .values(queued.slice(at, at + 500))
        .execute();
    }
    await bench.happen(bench.online());
    expect((await outcomes('t'))?.[0]).toEqual([
      'dropped',
      `${receiver.url}: ${MAX_QUEUED} notifications of this part wait already`,
    ]);
    expect(receiver.requests).toHaveLength(1);
  });

  it('of a deleted part do not fire', async () => {
    await bench.configure(trigger('t', 'part_online', [webhook(receiver.url)]));
    const events = await bench.append(bench.online());
    await bench.store.db.deleteFrom('parts').where('id', '=', bench.ids.part).execute();
    await bench.triggers.engine.handle(events);
    expect(await bench.all()).toEqual([]);
  });

  describe('on presence', () => {
    const lateness = async () => (await bench.all()).map(({ event_type, is_late }) => [event_type, is_late]);

    beforeEach(() =>
      bench.configure(
        trigger('off', 'part_offline', [webhook(receiver.url)]),
        trigger('on', 'part_online', [webhook(receiver.url)]),
      ),
    );

    it('are late if the part was last seen long before, because its hub was not running', async () => {
      await bench.happen(bench.away(bench.clock.now() - 8_000));
      await bench.happen(bench.away(bench.clock.now() - 60_000));
      expect(await lateness()).toEqual([
        ['part_offline', 0],
        ['part_offline', 1],
      ]);
      // The headers of a GET do not show whether it is late.
      expect(receiver.requests[0]?.names.toSorted()).toEqual(receiver.requests[1]?.names.toSorted());
    });

    it('notify once of a gap in which an embedded hub was offline with its part, "offline" first', async () => {
      const { part: partId } = bench.ids;
      const ended = bench.clock.now();
      await bench.happen({ kind: 'part.gap', partId, payload: { began: ended - SHORT_GAP_MS, ended } });
      expect(await lateness()).toEqual([
        ['part_offline', 1],
        ['part_online', 0],
      ]);
      const [offline] = await bench.all();
      expect(offline?.happened_at).toBe(ended - SHORT_GAP_MS);
    });

    it('do not notify of a short gap', async () => {
      const { part: partId } = bench.ids;
      const ended = bench.clock.now();
      await bench.happen({ kind: 'part.gap', partId, payload: { began: ended - SHORT_GAP_MS + 1, ended } });
      expect(await bench.all()).toEqual([]);
    });
  });

  it('send the same as a simple model, for any sequence and timing of events', { timeout: 120_000 }, async () => {
    await bench.configure(onReadings('t', [{ operator: 'gt', value: { a: 5 } }], [webhook(receiver.url, 10)]));
    let last = -Infinity;
    const step = fc.record({
      value: fc.integer({ min: 0, max: 10 }),
      afterMs: fc.integer({ min: 0, max: 8_000 }),
      twice: fc.boolean(),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 8 }), async (steps) => {
        const expected: number[] = [];
        const before = (await bench.all()).length;
        for (const { value, afterMs, twice } of steps) {
          bench.clock.advance(afterMs);
          const events = await bench.append(bench.readingsCame({ a: value }));
          await bench.triggers.engine.handle(events);
          if (twice) await bench.triggers.engine.handle(events);
          if (value <= 5 || bench.clock.now() - last < 10_000) continue;
          last = bench.clock.now();
          expected.push(value);
        }
        const sent = (await bench.all()).slice(before).map(({ request }) => {
          const { body } = JSON.parse(request) as { body: string };
          return (JSON.parse(body) as { data: { data: { a: number } } }).data.data.a;
        });
        expect(sent).toEqual(expected);
      }),
      { numRuns: 20 },
    );
  });
});
