import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { silentLogger } from '../../../base/logger.ts';
import { openTestStore, testStores } from '../../storage/testing/test-stores.ts';
import { Receiver } from '../testing/receiver.ts';
import { TriggerBench, trigger, webhook } from '../testing/trigger-bench.ts';
import { Deliveries, type Delivery } from './deliveries.ts';
import {
  DeliveryWorker,
  MAX_PER_LANE,
  MAX_SENDING,
  MAX_TO_FAILING,
  READ_AHEAD,
  SLOW_MS,
  type Send,
} from './delivery-worker.ts';
import { RETRY_DELAYS_MS } from './retry-schedule.ts';
import type { SendResult } from './send-result.ts';

const delivered: SendResult = { kind: 'delivered', response: { status: 200, headers: {}, body: 'ok', isCut: false } };
const failed = { kind: 'failed', reason: 'The receiver answered 500.' } as const;

/** Deliveries that are being sent until a test sets their result. */
class Outgoing {
  readonly sending = new Map<string, (result: SendResult) => void>();
  #waiting: (() => void)[] = [];

  readonly send: Send = ({ target }, signal) =>
    new Promise((resolve, reject) => {
      this.sending.set(target, resolve);
      signal.addEventListener('abort', () => reject(signal.reason as Error));
      for (const wake of this.#waiting.splice(0)) wake();
    });

  /** Settles when the condition is true for the targets that are being sent to. */
  async until(isSo: (targets: readonly string[]) => boolean): Promise<void> {
    while (!isSo([...this.sending.keys()])) await new Promise<void>((resolve) => this.#waiting.push(resolve));
  }

  end(target: string, result: SendResult): void {
    const settle = this.sending.get(target);
    this.sending.delete(target);
    settle?.(result);
  }
}

describe.each(testStores)('the sending of notifications on $name', (kind) => {
  let bench: TriggerBench;
  let end: () => Promise<void>;
  let worker: DeliveryWorker | undefined;

  beforeEach(async () => {
    const opened = await openTestStore(kind);
    end = opened.end;
    bench = await TriggerBench.open(opened.store);
  });

  afterEach(async () => {
    await worker?.close();
    worker = undefined;
    await bench.close();
    await end();
  });

  const begin = (send: Send, deliveries = bench.deliveries): DeliveryWorker => {
    const { clock } = bench;
    worker = new DeliveryWorker({
      deliveries,
      send,
      clock,
      age: () => bench.age(),
      logger: silentLogger,
      random: () => 0,
    });
    return worker;
  };

  const queue = (...urls: readonly string[]): Promise<void> =>
    bench.store.transaction(async (tx) => {
      for (const value of urls) {
        await bench.deliveries.add(
          {
            partId: bench.ids.part,
            eventId: 1,
            triggerName: 't',
            eventType: 'part_online',
            notification: { type: 'webhook', value, secondsBetween: 0 },
            request: { kind: 'webhook', method: 'GET', url: value, headers: {}, body: '' },
            isLate: false,
            happenedAt: bench.clock.now(),
            now: bench.clock.now(),
            dueAt: bench.age(),
          },
          tx,
        );
      }
    });

  const only = async (): Promise<Delivery | undefined> => (await bench.all())[0];

  it('follows the schedule of retries, then gives up; a replay starts again with the same message', async () => {
    const tries: [number, string][] = [];
    let result: SendResult = failed;
    const sending = begin(({ id }) => {
      tries.push([bench.clock.now(), id]);
      return Promise.resolve(result);
    });
    await queue('http://a.example/');
    const began = bench.clock.now();
    sending.wake();
    await sending.idle();
    for (const delay of RETRY_DELAYS_MS) {
      expect(await only()).toMatchObject({
        state: 'queued',
        attempts: tries.length,
        next_at: bench.clock.now() + delay,
      });
      bench.clock.advance(delay - 1);
      await sending.idle();
      const before = tries.length;
      bench.clock.advance(1);
      await sending.idle();
      expect(tries).toHaveLength(before + 1);
    }
    const whole = RETRY_DELAYS_MS.reduce((sum, delay) => sum + delay, 0);
    expect(tries.at(-1)?.[0]).toBe(began + whole);
    expect(await only()).toMatchObject({
      state: 'dead',
      attempts: 9,
      next_at: null,
      failure: 'The receiver answered 500.',
    });
    result = delivered;
    const [, id = ''] = tries[0] ?? [];
    await bench.deliveries.replay(id, bench.age());
    sending.wake();
    await sending.idle();
    expect(await only()).toMatchObject({ id, state: 'delivered', attempts: 1, failure: '' });
    expect(new Set(tries.map(([, one]) => one)).size).toBe(1);
  });

  it('waits as long as a receiver asks, and gives up at once if no attempt can succeed', async () => {
    const results: SendResult[] = [
      { ...failed, retryAfterMs: 3_600_000 },
      { ...failed, isFinal: true },
    ];
    const sending = begin(() => Promise.resolve(results.shift() ?? delivered));
    await queue('http://a.example/');
    sending.wake();
    await sending.idle();
    expect((await only())?.next_at).toBe(bench.clock.now() + 3_600_000);
    bench.clock.advance(3_600_000);
    await sending.idle();
    expect(await only()).toMatchObject({ state: 'dead', attempts: 2 });
  });

  it('a slow receiver delays no other, however many deliveries wait for it', async () => {
    const outgoing = new Outgoing();
    const sending = begin(outgoing.send);
    await queue(...Array.from({ length: 50 }, (_, index) => `http://slow.example/${index}`));
    sending.wake();
    await outgoing.until(({ length }) => length === MAX_PER_LANE);
    await queue('http://quick.example/1', 'http://quick.example/2', 'http://quick.example/3');
    sending.wake();
    await outgoing.until((targets) => targets.filter((one) => one.includes('quick')).length === MAX_PER_LANE);
    outgoing.end('http://quick.example/1', delivered);
    await outgoing.until((targets) => targets.includes('http://quick.example/3'));
    expect([...outgoing.sending.keys()].filter((one) => one.includes('slow'))).toHaveLength(MAX_PER_LANE);
  });

  it('many failing receivers leave room for others', async () => {
    const outgoing = new Outgoing();
    const sending = begin(outgoing.send);
    const hosts = Array.from({ length: MAX_SENDING }, (_, index) => `http://bad-${index}.example/`);
    await queue(...hosts);
    sending.wake();
    await outgoing.until(({ length }) => length === MAX_SENDING);
    for (const host of hosts) outgoing.end(host, failed);
    await sending.idle();
    bench.clock.advance(RETRY_DELAYS_MS[0] ?? 0);
    await outgoing.until(({ length }) => length === MAX_TO_FAILING);
    await queue('http://good.example/');
    sending.wake();
    await outgoing.until((targets) => targets.includes('http://good.example/'));
    expect(outgoing.sending.size).toBe(MAX_TO_FAILING + 1);
  });

  it('many hanging receivers leave room for others, even before any has failed', async () => {
    const outgoing = new Outgoing();
    const sending = begin(outgoing.send);
    await queue(...Array.from({ length: MAX_TO_FAILING }, (_, index) => `http://bad-${index}.example/`));
    sending.wake();
    await outgoing.until(({ length }) => length === MAX_TO_FAILING);
    bench.clock.advance(SLOW_MS);
    await queue(...Array.from({ length: MAX_SENDING + 1 }, (_, index) => `http://good-${index}.example/`));
    sending.wake();
    const good = (targets: readonly string[]): number => targets.filter((one) => one.includes('good')).length;
    await outgoing.until((targets) => good(targets) === MAX_SENDING);
    // Now all attempts count as slow, and the room for slow ones is full: the last receiver has to wait.
    bench.clock.advance(SLOW_MS);
    expect(outgoing.sending.size).toBe(MAX_SENDING + MAX_TO_FAILING);
    outgoing.end('http://good-0.example/', delivered);
    await outgoing.until((targets) => targets.includes(`http://good-${MAX_SENDING}.example/`));
  });

  it('takes turns between receivers, however many deliveries wait for one', async () => {
    const order: string[] = [];
    const sending = begin(({ target }) => {
      order.push(new URL(target).host);
      return Promise.resolve(delivered);
    });
    await queue(...Array.from({ length: 3 * READ_AHEAD }, (_, index) => `http://much.example/${index}`));
    await queue('http://little.example/');
    sending.wake();
    await sending.idle();
    expect(order).toHaveLength(3 * READ_AHEAD + 1);
    expect(order.indexOf('little.example')).toBeLessThan(READ_AHEAD);
  });

  it('does not send a delivery twice that is finished while the queue is being read', async () => {
    const release = Promise.withResolvers<undefined>();
    const reading = Promise.withResolvers<undefined>();
    let reads = 0;
    class Slow extends Deliveries {
      override async due(...which: Parameters<Deliveries['due']>): Promise<string[]> {
        const ids = await super.due(...which);
        if (++reads === 2) {
          reading.resolve(undefined);
          await release.promise;
        }
        return ids;
      }
    }
    const outgoing = new Outgoing();
    const tries: string[] = [];
    const sending = begin((delivery, signal) => {
      tries.push(delivery.target);
      return outgoing.send(delivery, signal);
    }, new Slow(bench.store));
    const readFirst = MAX_PER_LANE + READ_AHEAD;
    const urls = Array.from({ length: readFirst + 1 }, (_, index) => `http://a.example/${index}`);
    await queue(...urls);
    sending.wake();
    // Finishes all but the last of the first batch. The last one is being sent while more is read.
    for (const url of urls.slice(0, readFirst - 1)) {
      await outgoing.until((targets) => targets.includes(url));
      outgoing.end(url, delivered);
    }
    await reading.promise;
    const last = urls[readFirst - 1] ?? '';
    await outgoing.until((targets) => targets.includes(last));
    outgoing.end(last, delivered);
    while ((await bench.all()).filter(({ state }) => state === 'delivered').length < readFirst) {
      await new Promise((resolve) => setImmediate(resolve));
    }
    release.resolve(undefined);
    const added = urls[readFirst] ?? '';
    await outgoing.until((targets) => targets.includes(added));
    outgoing.end(added, delivered);
    await sending.idle();
    expect(tries.toSorted()).toEqual(urls.toSorted());
  });

  it('a delivery that was being sent when the program ended is sent again, as the same message', async () => {
    const outgoing = new Outgoing();
    const sending = begin(outgoing.send);
    await queue('http://a.example/');
    sending.wake();
    await outgoing.until(({ length }) => length === 1);
    await sending.close();
    expect(await only()).toMatchObject({ state: 'queued', attempts: 0 });
    const sent: string[] = [];
    const next = begin(({ id }) => {
      sent.push(id);
      return Promise.resolve(delivered);
    });
    next.wake();
    await next.idle();
    expect(sent).toEqual([(await only())?.id]);
  });

  it.each([
    ['an hour', 3_600_000],
    ['a year', 365 * 24 * 3_600_000],
  ])('makes the next attempt at the right time even if the clock was set back by %s', async (_what, ms) => {
    const results = [failed, delivered];
    const sending = begin(() => Promise.resolve(results.shift() ?? failed));
    await queue('http://a.example/');
    sending.wake();
    await sending.idle();
    bench.clock.set(bench.clock.now() - ms);
    sending.wake();
    await sending.idle();
    expect(await only()).toMatchObject({ state: 'queued', attempts: 1 });
    bench.clock.advance(RETRY_DELAYS_MS[0] ?? 0);
    await sending.idle();
    expect(await only()).toMatchObject({ state: 'delivered', attempts: 2 });
  });

  it('treats an internal error as a failed attempt', async () => {
    const sending = begin(() => Promise.reject(new Error('a bug')));
    await queue('http://a.example/');
    sending.wake();
    await sending.idle();
    expect(await only()).toMatchObject({ state: 'queued', attempts: 1, failure: 'The hub could not send it: a bug' });
  });

  it('deletes deliveries that finished long ago, and none that wait', async () => {
    const sending = begin(({ target }) => Promise.resolve(target.includes('good') ? delivered : failed));
    await queue('http://good.example/', 'http://bad.example/');
    sending.wake();
    await sending.idle();
    await bench.deliveries.removeOld(bench.clock.now() + 31 * 24 * 3_600_000);
    expect((await bench.all()).map(({ target }) => target)).toEqual(['http://bad.example/']);
  });

  it('reaches a real receiver as soon as it is available', async () => {
    const before = await Receiver.listen();
    const { port, url } = before;
    await before.close();
    await bench.configure(trigger('t', 'part_online', [webhook(url)]));
    await bench.happen(bench.online());
    expect(await only()).toMatchObject({ state: 'queued', attempts: 1 });
    const receiver = await Receiver.listen(port);
    await bench.pass(RETRY_DELAYS_MS[0] ?? 0);
    await receiver.close();
    expect(await only()).toMatchObject({ state: 'delivered', attempts: 2, failure: '' });
    expect(receiver.requests[0]?.headers['webhook-id']).toBe((await only())?.id);
  });
});
