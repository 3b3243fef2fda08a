import fc from 'fast-check';
import { sql } from 'kysely';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ManualClock, systemClock } from '../../base/clock.ts';
import { silentLogger } from '../../base/logger.ts';
import type { Store } from '../storage/store.ts';
import { openTestStore, testStores } from '../storage/testing/test-stores.ts';
import type { HubEvent } from './event-kinds.ts';
import { EventLog, POLL_MS, RETENTION_MS } from './event-log.ts';

/** Tests identify events by the number of a configuration. */
function numberOf(event: HubEvent): number {
  return event.kind === 'config.stored' ? event.payload.number : -1;
}

async function append(log: EventLog, store: Store, numbers: readonly number[], isCommitted = true): Promise<void> {
  const happening = store.transaction(async (tx) => {
    const events = numbers.map((number) => ({
      kind: 'config.stored' as const,
      partId: `part-${number}`,
      payload: { number, revision: '' },
    }));
    await log.append(events, tx);
    if (!isCommitted) throw new Error('not after all');
  });
  if (isCommitted) await happening;
  else await expect(happening).rejects.toThrow('not after all');
}

async function storedNumbers({ db }: Store): Promise<number[]> {
  const rows = await db.selectFrom('events').select('payload').orderBy('id').execute();
  return rows.map(({ payload }) => (JSON.parse(payload) as { number: number }).number);
}

async function isAnyLockAwaited({ db }: Store): Promise<boolean> {
  const { rows } = await sql`SELECT 1 FROM pg_locks WHERE NOT granted AND locktype = 'advisory'`.execute(db);
  return rows.length > 0;
}

/** A signal that a test waits for. */
class Gate {
  open!: () => void;
  readonly opened = new Promise<void>((resolve) => (this.open = resolve));
}

/** The events that a reader has seen; a test can wait until they are enough. */
class Seen {
  readonly numbers: number[] = [];
  #waiting: { readonly isEnough: (numbers: readonly number[]) => boolean; readonly resolve: () => void }[] = [];

  add(events: readonly HubEvent[]): void {
    this.numbers.push(...events.map(numberOf));
    this.#waiting = this.#waiting.filter(({ isEnough, resolve }) => {
      if (!isEnough(this.numbers)) return true;
      resolve();
      return false;
    });
  }

  until(isEnough: (numbers: readonly number[]) => boolean): Promise<void> {
    if (isEnough(this.numbers)) return Promise.resolve();
    return new Promise((resolve) => this.#waiting.push({ isEnough, resolve }));
  }
}

describe.each(testStores)('the log of events on $name', (kind) => {
  let store: Store;
  let end: () => Promise<void>;

  beforeEach(async () => {
    ({ store, end } = await openTestStore(kind));
  });

  afterEach(() => end());

  it('calls a follower back with new events only, not with those from before', async () => {
    const log = await EventLog.open(store, systemClock, silentLogger);
    for (const number of [1, 2]) {
      await append(log, store, [number]);
      await append(log, store, [10, 11], false);
    }
    const [first, second] = [new Seen(), new Seen()];
    const forget = log.follow((event) => first.add([event]));
    await append(log, store, [3]);
    await first.until((numbers) => numbers.includes(3));
    forget();
    await append(log, store, [4]);
    log.follow((event) => second.add([event]));
    await append(log, store, [5]);
    await second.until((numbers) => numbers.includes(5));
    expect([first.numbers, second.numbers]).toEqual([[3], [5]]);
    await log.close();
  });

  it('has the events of a committed transaction, and none of one that was rolled back', async () => {
    const log = await EventLog.open(store, systemClock, silentLogger);
    const seen = new Seen();
    log.follow((event) => seen.add([event]));
    await append(log, store, [1, 2]);
    await append(log, store, [3], false);
    await append(log, store, [4]);
    await seen.until(({ length }) => length === 3);
    expect(seen.numbers).toEqual([1, 2, 4]);
    expect(await storedNumbers(store)).toEqual([1, 2, 4]);
    await log.close();
  });

  it('numbers transactions in the order in which they are committed', async () => {
    const log = await EventLog.open(store, systemClock, silentLogger);
    const [begins, ends] = [new Gate(), new Gate()];
    const committed: number[] = [];
    const seen = new Seen();
    log.follow((event) => seen.add([event]));
    const slow = store
      .transaction(async (tx) => {
        await log.append([{ kind: 'config.stored', payload: { number: 1, revision: '' } }], tx);
        begins.open();
        await ends.opened;
      })
      .then(() => committed.push(1));
    await begins.opened;
    const quick = append(log, store, [2]).then(() => committed.push(2));
    // SQLite starts the second transaction only after the first.
    while (kind.name === 'PostgreSQL' && committed.length === 0 && !(await isAnyLockAwaited(store)));
    const meanwhile = await storedNumbers(store);
    ends.open();
    await Promise.all([slow, quick]);
    // A reader sees neither in the meantime, so it cannot skip the first.
    expect(meanwhile).toEqual([]);
    expect(committed).toEqual([1, 2]);
    await seen.until(({ length }) => length === 2);
    expect(seen.numbers).toEqual([1, 2]);
    await log.close();
  });

  it('retries a batch that failed before any later event', async () => {
    const clock = new ManualClock();
    const log = await EventLog.open(store, clock, silentLogger);
    const seen = new Seen();
    const failed = new Gate();
    let isBroken = true;
    const consumer = await log.consume('triggers', (events) => {
      if (isBroken) {
        // Opens after this handler has failed.
        setImmediate(() => failed.open());
        throw new Error('not now');
      }
      seen.add(events);
    });
    await append(log, store, [1]);
    await failed.opened;
    await append(log, store, [2]);
    expect(seen.numbers).toEqual([]);
    isBroken = false;
    clock.advance(1_000);
    await seen.until(({ length }) => length === 2);
    expect(seen.numbers).toEqual([1, 2]);
    await consumer.close();
    await log.close();
  });

  it.runIf(kind.name === 'PostgreSQL')('finds events of a killed hub that came without a notice', async () => {
    const clock = new ManualClock();
    const log = await EventLog.open(store, clock, silentLogger);
    log.start();
    const seen = new Seen();
    await log.consume('triggers', (events) => seen.add(events));
    const killed = await EventLog.open(store, new ManualClock(), silentLogger);
    await append(killed, store, [1]);
    clock.advance(POLL_MS);
    await seen.until(({ length }) => length === 1);
    expect(seen.numbers).toEqual([1]);
    await log.close();
    await killed.close();
  });

  it('reads past events of one part since a time, newest first, in pieces', async () => {
    const clock = new ManualClock();
    const log = await EventLog.open(store, clock, silentLogger);
    const read = async (since: number) => {
      const numbers: number[] = [];
      const reached: number[] = [];
      for await (const { events, reachedTo } of log.past('part-1', since)) {
        numbers.push(...events.map(({ id }) => id));
        reached.push(reachedTo);
      }
      return { numbers, reached };
    };
    expect(await read(0)).toEqual({ numbers: [], reached: [0] });
    await append(log, store, [1]);
    clock.advance(1_000);
    const since = clock.now();
    await append(log, store, [1, 2, 1]);
    clock.advance(1_000);
    // More events of other parts than are searched at once.
    await append(log, store, new Array<number>(6_000).fill(2));
    const { numbers, reached } = await read(since);
    expect(numbers).toEqual([4, 2]);
    expect(reached).toEqual([clock.now(), since]);
    expect((await read(0)).numbers).toEqual([4, 2, 1]);
    await log.close();
  });

  it('deletes old events that all consumers have handled, and never reuses an id', async () => {
    const clock = new ManualClock();
    let log = await EventLog.open(store, clock, silentLogger);
    const seen = new Seen();
    await (await log.consume('slow', () => undefined)).close();
    await log.consume('quick', (events) => seen.add(events));
    await append(log, store, [1, 2]);
    await seen.until(({ length }) => length === 2);
    clock.advance(RETENTION_MS + 1);
    await log.removeOld();
    expect(await storedNumbers(store)).toEqual([1, 2]);
    await log.forget('slow');
    await log.removeOld();
    expect(await storedNumbers(store)).toEqual([]);
    await log.close();
    // Ids must continue: otherwise the stored position of a consumer would be beyond new events.
    log = await EventLog.open(store, clock, silentLogger);
    const later = new Seen();
    await log.consume('quick', (events) => later.add(events));
    await append(log, store, [3]);
    await later.until(({ length }) => length === 1);
    expect(later.numbers).toEqual([3]);
    expect(await storedNumbers(store)).toEqual([3]);
    await log.close();
  });

  const step = fc.oneof(
    // Concurrent transactions, each with some events, some of them rolled back.
    fc.record({
      what: fc.constant('write' as const),
      together: fc.array(fc.record({ count: fc.integer({ min: 1, max: 4 }), isCommitted: fc.boolean() }), {
        minLength: 1,
        maxLength: 5,
      }),
      isAwaited: fc.boolean(),
    }),
    fc.record({ what: fc.constantFrom('kill', 'restart', 'save', 'remove', 'handle', 'kill-before', 'kill-after') }),
  );

  it('loses nothing and keeps the order when writers and consumers end at any time', { timeout: 120_000 }, async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 25 }), async (steps) => {
        await store.db.deleteFrom('events').execute();
        await store.db.deleteFrom('event_consumers').execute();
        const world = await World.begin(store);
        for (const one of steps) {
          if (one.what === 'write') await world.write(one.together, one.isAwaited);
          else await world.do(one.what);
        }
        await world.expectAllHandled();
      }),
      { numRuns: 40 },
    );
  });
});

type Step = 'kill' | 'restart' | 'save' | 'remove' | 'handle' | 'kill-before' | 'kill-after';

/** One consumer across several runs of a program, with concurrent writers. */
class World {
  readonly #store: Store;
  readonly #committed = new Set<number>();
  readonly #writing: Promise<void>[] = [];
  readonly #first = new Seen();
  #clock = new ManualClock();
  #log!: EventLog;
  #life = { isOver: false };
  /** Where the handler hangs until it is released: before or after it has handled the events of a killed run. */
  #hangs: 'before' | 'after' | undefined;
  #letGo: (() => void)[] = [];
  #onHang = (): void => undefined;
  #last = 0;

  private constructor(store: Store) {
    this.#store = store;
  }

  static async begin(store: Store): Promise<World> {
    const world = new World(store);
    await world.#start();
    return world;
  }

  async write(together: readonly { count: number; isCommitted: boolean }[], isAwaited: boolean): Promise<void> {
    const log = this.#log;
    const writes = together.map(async ({ count, isCommitted }) => {
      const numbers = Array.from({ length: count }, () => ++this.#last);
      await append(log, this.#store, numbers, isCommitted);
      if (isCommitted) for (const number of numbers) this.#committed.add(number);
    });
    this.#writing.push(...writes);
    if (isAwaited) await Promise.all(writes);
  }

  async do(step: Step): Promise<void> {
    switch (step) {
      case 'kill':
        // A killed run does nothing more: its handler does not return, its clock stands still.
        this.#life.isOver = true;
        await Promise.all(this.#writing);
        return this.#start();
      case 'restart':
        this.#release();
        await Promise.all(this.#writing);
        await this.#log.close();
        this.#life.isOver = true;
        return this.#start();
      case 'save':
        this.#clock.advance(1_000);
        return;
      case 'remove':
        this.#clock.set(this.#clock.now() + RETENTION_MS + 1);
        return this.#log.removeOld();
      case 'handle':
        this.#release();
        return this.#first.until((numbers) => this.#isAll(numbers));
      case 'kill-before':
        return this.#killWithin('before');
      case 'kill-after':
        return this.#killWithin('after');
    }
  }

  async expectAllHandled(): Promise<void> {
    await Promise.all(this.#writing);
    this.#release();
    await this.#first.until((numbers) => this.#isAll(numbers));
    // Each event once, ignoring repeats, in the order of the log.
    expect([...this.#first.numbers].sort((a, b) => a - b)).toEqual([...this.#committed].sort((a, b) => a - b));
    const stored = await storedNumbers(this.#store);
    expect(this.#first.numbers.slice(this.#first.numbers.length - stored.length)).toEqual(stored);
    await this.#log.close();
  }

  #isAll(numbers: readonly number[]): boolean {
    return [...this.#committed].every((number) => numbers.includes(number));
  }

  #release(): void {
    this.#hangs = undefined;
    for (const release of this.#letGo.splice(0)) release();
  }

  /** Kills it in the middle of a batch, after it has stored its positions. */
  async #killWithin(when: 'before' | 'after'): Promise<void> {
    const isHanging = new Promise<void>((resolve) => (this.#onHang = resolve));
    this.#hangs = when;
    await this.write([{ count: 1, isCommitted: true }], true);
    await isHanging;
    this.#clock.advance(1_000);
    await this.#log.removeOld();
    this.#life.isOver = true;
    await Promise.all(this.#writing);
    this.#release();
    await this.#start();
  }

  /** A run that was killed in the meantime does not continue. */
  async #hang(when: 'before' | 'after', life: { readonly isOver: boolean }): Promise<void> {
    if (this.#hangs === when) {
      await new Promise<void>((resolve) => {
        this.#letGo.push(resolve);
        this.#onHang();
      });
    }
    if (life.isOver) await new Promise(() => undefined);
  }

  async #start(): Promise<void> {
    const life = { isOver: false };
    this.#life = life;
    this.#clock = new ManualClock(this.#clock.now());
    this.#log = await EventLog.open(this.#store, this.#clock, silentLogger);
    const known = new Set<number>();
    let before = 0;
    await this.#log.consume('triggers', async (events) => {
      await this.#hang('before', life);
      for (const { id } of events) {
        expect(id).toBeGreaterThan(before);
        before = id;
      }
      const fresh = events.filter((event) => {
        const number = numberOf(event);
        const isNew = !known.has(number) && !this.#first.numbers.includes(number);
        known.add(number);
        return isNew;
      });
      this.#first.add(fresh);
      await this.#hang('after', life);
    });
  }
}
