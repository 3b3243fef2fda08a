import { standaloneCluster } from '../cluster/cluster.ts';
import { setImmediate } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Hello } from '../../../proto/gen/core/hub/v1/part.ts';
import { ManualClock } from '../../base/clock.ts';
import { silentLogger } from '../../base/logger.ts';
import { EventLog } from '../events/event-log.ts';
import { Fleet } from '../fleet/fleet.ts';
import type { Store } from '../storage/store.ts';
import { openTestStore, testStores } from '../storage/testing/test-stores.ts';
import { OFFLINE_AFTER_MS, PresenceBook } from './presence-book.ts';

describe.each(testStores)('events of presence on $name', (kind) => {
  let store: Store;
  let end: () => Promise<void>;
  let clock: ManualClock;
  let events: EventLog;
  let book: PresenceBook;
  let partId: string;

  beforeEach(async () => {
    ({ store, end } = await openTestStore(kind));
    clock = new ManualClock();
    events = await EventLog.open(store, clock, silentLogger);
    partId = await store.transaction(async (tx) => {
      const fleet = new Fleet(store, clock);
      const organization = await fleet.organizations.create('O', undefined, tx);
      const location = await fleet.locations.create(organization.id, 'L', undefined, tx);
      const machine = await fleet.machines.create('m', location.id, tx);
      const part = tx.selectFrom('parts').select('id').where('machine_id', '=', machine.id);
      return (await part.executeTakeFirstOrThrow()).id;
    });
    book = await begin();
  });

  afterEach(async () => {
    await book.close();
    await events.close();
    await end();
  });

  async function begin(): Promise<PresenceBook> {
    const nothing = (): void => undefined;
    const next = new PresenceBook({
      store,
      events,
      cluster: standaloneCluster('hub'),
      clock,
      logger: silentLogger,
      onChange: nothing,
      onStored: nothing,
      onGone: nothing,
    });
    await next.start();
    return next;
  }

  const hello = (): Hello => ({
    partId,
    revision: '',
    ownsConfig: false,
    version: '1',
    platform: 'linux/amd64',
    host: 'bench',
    startedAt: undefined,
    moduleKey: undefined,
  });

  /** Advances the clock; writes that are due have started when this resolves. */
  async function pass(ms: number): Promise<void> {
    clock.advance(ms);
    await setImmediate();
  }

  /** Restarts the hub: the state is stored and read again. */
  async function restart(): Promise<void> {
    await book.close();
    book = await begin();
  }

  /** Closes the book, and returns kind and payload of all stored events. */
  async function happened(): Promise<readonly [string, unknown][]> {
    await book.close();
    const rows = await store.db.selectFrom('events').select(['kind', 'payload']).orderBy('id').execute();
    return rows.map(({ kind: what, payload }) => [what, JSON.parse(payload) as unknown]);
  }

  it('a part that goes offline was last seen when its stream ended', async () => {
    await book.connected(partId, hello());
    await pass(5_000);
    const lastSeen = clock.now();
    book.disconnected(partId);
    await pass(OFFLINE_AFTER_MS);
    expect(await happened()).toEqual([
      ['part.online', {}],
      ['part.away', { lastSeen }],
    ]);
  });

  it('after any downtime of the hub there are no events for parts that are back within 60 s', async () => {
    await book.connected(partId, hello());
    await pass(5_000);
    await restart();
    await pass(59_999);
    await book.connected(partId, hello());
    await pass(120_000);
    expect(await happened()).toEqual([['part.online', {}]]);
  });

  it('for those that are not the event says when they were last seen', async () => {
    await book.connected(partId, hello());
    await pass(5_000);
    const lastSeen = clock.now();
    await book.close();
    await pass(3_600_000);
    book = await begin();
    await pass(60_000);
    expect(await happened()).toEqual([
      ['part.online', {}],
      ['part.away', { lastSeen }],
    ]);
  });

  it('an embedded hub records the gap in which it and its part were not running', async () => {
    await book.connected(partId, hello());
    await pass(5_000);
    const began = clock.now();
    await book.close();
    await pass(3_600_000);
    book = await begin();
    await book.noteGap(partId);
    await book.connected(partId, hello());
    expect(await happened()).toEqual([
      ['part.online', {}],
      ['part.gap', { began, ended: clock.now() }],
    ]);
  });

  it('a part that was never online has no gap', async () => {
    await book.noteGap(partId);
    expect(await happened()).toEqual([]);
  });
});
