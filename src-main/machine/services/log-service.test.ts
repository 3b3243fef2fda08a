import { describe, expect, it } from 'vitest';
import { ManualClock } from '../../base/clock.ts';
import { Level, type Filter, type TailResponse } from '../../../proto/gen/core/log/v1/log.ts';
import { SUBSCRIBER_LIMIT } from '../logging/log-history.ts';
import { LogRegistry } from '../logging/log-registry.ts';
import { logService } from './log-service.ts';
import { cancellableCall, next } from './streaming-call.fixture.ts';

const everything: Filter = { levels: [], logger: '', resource: '', text: '', afterSeq: 0n, beforeSeq: 0n };

function registry(): LogRegistry {
  return new LogRegistry({
    clock: new ManualClock(),
    isDebugFlagSet: false,
    historyCapacity: 1_000,
    store: undefined,
    firstSeq: 1,
  });
}

const query = { partId: '', filter: everything, limit: 2, pageToken: '', newestFirst: false };

describe('core.log.v1.LogService', () => {
  it('pages through the past, in either order', async () => {
    const logs = registry();
    for (const text of ['a', 'b', 'c', 'd', 'e']) logs.logger('core.x').info(text);
    const service = logService(logs, new ManualClock());
    const { call } = cancellableCall();
    const first = await service.query?.(query, call);
    expect(first?.entries.map(({ message }) => message)).toEqual(['d', 'e']);
    const second = await service.query?.({ ...query, pageToken: first?.nextPageToken ?? '', newestFirst: true }, call);
    expect(second?.entries.map(({ message }) => message)).toEqual(['c', 'b']);
    const last = await service.query?.({ ...query, pageToken: second?.nextPageToken ?? '' }, call);
    expect([last?.entries.map(({ message }) => message), last?.nextPageToken]).toEqual([['a'], '']);
  });

  it('tells of a loss in front of the entries it came before', async () => {
    const logs = registry();
    const { call, cancel } = cancellableCall();
    const tail = logService(logs, new ManualClock()).tail?.({ partId: '', filter: everything, backlog: 0 }, call);
    const stream = tail?.[Symbol.asyncIterator]() as AsyncIterator<TailResponse>;
    await next(stream);
    const first = next(stream);
    // The first goes to the reader, the maximum waits, and six are dropped.
    for (let index = 0; index < SUBSCRIBER_LIMIT + 7; index++) logs.logger('core.x').info(`line ${index}`);
    const told: (bigint | 'gap')[] = [];
    const take = ({ entries, dropped }: TailResponse): void => {
      if (dropped > 0n) told.push('gap');
      for (const { seq } of entries) told.push(seq);
    };
    take(await first);
    while (!told.includes('gap')) take(await next(stream));
    logs.logger('core.x').info('after');
    while (told.at(-1) !== BigInt(SUBSCRIBER_LIMIT + 8)) take(await next(stream));
    expect(told.slice(-3)).toEqual([BigInt(SUBSCRIBER_LIMIT + 1), 'gap', BigInt(SUBSCRIBER_LIMIT + 8)]);
    cancel();
    await stream.next();
  });

  it('filters by level and names a page token that is none of ours', async () => {
    const logs = registry();
    logs.logger('core.x').info('quiet');
    logs.logger('core.x').error('loud');
    const service = logService(logs, new ManualClock());
    const { call } = cancellableCall();
    const found = await service.query?.({ ...query, filter: { ...everything, levels: [Level.ERROR] } }, call);
    expect(found).toMatchObject({ entries: [{ message: 'loud', level: Level.ERROR }] });
    await expect(service.query?.({ ...query, pageToken: 'x7' }, call)).rejects.toThrow('page_token "x7"');
  });

  it('follows on from the backlog without telling an entry twice or leaving one out', async () => {
    const logs = registry();
    for (let index = 0; index < 5; index++) logs.logger('core.x').info(`old ${index}`);
    const { call, cancel } = cancellableCall();
    const tail = logService(logs, new ManualClock()).tail?.({ partId: '', filter: everything, backlog: 3 }, call);
    const stream = tail?.[Symbol.asyncIterator]() as AsyncIterator<TailResponse>;
    const told = (await next(stream)).entries.map(({ message }) => message);
    expect(told).toEqual(['old 2', 'old 3', 'old 4']);
    for (let index = 0; index < 450; index++) logs.logger('core.x').info(`new ${index}`);
    const seqs: bigint[] = [];
    while (seqs.length < 450) for (const { seq } of (await next(stream)).entries) seqs.push(seq);
    expect(seqs).toEqual(Array.from({ length: 450 }, (_, index) => BigInt(6 + index)));
    cancel();
    expect(await stream.next()).toMatchObject({ done: true });
    expect(logs.history.subscribers).toBe(0);
  });

  it('follows what is new also for a reader that knows higher numbers, of another log', async () => {
    const logs = registry();
    logs.logger('core.x').info('old');
    const { call, cancel } = cancellableCall();
    const filter = { ...everything, afterSeq: 5_000n };
    const tail = logService(logs, new ManualClock()).tail?.({ partId: '', filter, backlog: 3 }, call);
    const stream = tail?.[Symbol.asyncIterator]() as AsyncIterator<TailResponse>;
    expect(await next(stream)).toMatchObject({ entries: [], lastSeq: 1n });
    logs.logger('core.x').info('new');
    expect((await next(stream)).entries.map(({ message }) => message)).toEqual(['new']);
    cancel();
  });
});
