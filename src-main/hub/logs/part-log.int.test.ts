import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { Level, LogServiceDefinition, type Entry, type Filter } from '../../../proto/gen/core/log/v1/log.ts';
import { AppServiceDefinition } from '../../../proto/gen/core/app/v1/app.ts';
import { RobotServiceDefinition } from '../../../proto/gen/core/app/v1/robot.ts';
import { PartServiceDefinition } from '../../../proto/gen/core/hub/v1/part.ts';
import { ManualClock, type Clock } from '../../base/clock.ts';
import { silentLogger } from '../../base/logger.ts';
import { testStores } from '../storage/testing/test-stores.ts';
import { TestHub, type AppCall } from '../testing/test-hub.ts';
import { LOG_RETENTION_MS, LogSweeper } from './log-keeper.ts';
import { LogTime } from './log-time.ts';

const DAY_MS = 24 * 60 * 60 * 1_000;

describe.each(testStores)('logs of parts on $name', (kind) => {
  let clock: ManualClock;
  let test: TestHub;
  let owner: AppCall;
  let token = '';
  let partToken = '';
  let partId = '';

  const entry = (seq: number, message: string, more: Partial<Entry> = {}): Entry => ({
    seq: BigInt(seq),
    time: new Date(clock.now()),
    level: Level.INFO,
    logger: 'core.test',
    message,
    fields: {},
    resource: '',
    caller: '',
    repeatCount: 1,
    firstTime: undefined,
    ...more,
  });
  const upload = async (logId: string, entries: readonly Entry[]): Promise<number> => {
    const request = { partId, logId, entries: [...entries] };
    return Number((await test.call(PartServiceDefinition, 'uploadLogs', request, { token: partToken })).storedSeq);
  };
  const query = (filter: Partial<Filter> = {}, more: object = {}) => {
    const whole = { levels: [], logger: '', resource: '', text: '', afterSeq: 0n, beforeSeq: 0n, ...filter };
    return test.call(LogServiceDefinition, 'query', { partId, filter: whole, ...more }, { token });
  };
  const messages = async (filter: Partial<Filter> = {}, more: object = {}): Promise<string[]> =>
    (await query(filter, more)).entries.map(({ message }) => message);

  beforeEach(async () => {
    clock = new ManualClock(Date.now());
    test = await TestHub.open(kind, clock);
    owner = await test.asOwner();
    token = await test.logIn(test.first.ownerKey);
    const { parts } = await owner('getRobotParts', { robotId: test.first.machineId });
    partId = parts[0]?.id ?? '';
    const { part } = await owner('createRobotPartSecret', { partId });
    partToken = await test.logIn({ id: partId, secret: part?.secrets.at(-1)?.secret ?? '', type: 'robot-secret' });
  });
  afterEach(() => test.end());

  it('a batch that is sent again is stored once, and the answer has the last stored number', async () => {
    expect(await upload('log', [])).toBe(0);
    expect(await upload('log', [entry(1, 'a'), entry(2, 'b')])).toBe(2);
    expect(await upload('log', [entry(1, 'a'), entry(2, 'b'), entry(5, 'c')])).toBe(5);
    expect(await upload('log', [])).toBe(5);
    expect(await messages()).toEqual(['a', 'b', 'c']);
    // A part may not read logs, not even its own.
    await expect(test.call(LogServiceDefinition, 'query', { partId }, { token: partToken })).rejects.toMatchObject({
      code: 7,
    });
  });

  it('entries of a second log of the same part come after those of the first', async () => {
    await upload('first', [entry(1, 'a'), entry(2, 'b')]);
    expect(await upload('second', [entry(1, 'c')])).toBe(1);
    expect(await upload('first', [])).toBe(2);
    expect(await messages()).toEqual(['a', 'b', 'c']);
  });

  it('is searched by level, logger, resource, text and time', async () => {
    const start = clock.now();
    await upload('log', [
      entry(1, 'Motor turns', { resource: 'core:component:motor/left', logger: 'core.component.motor.left' }),
      entry(2, 'it is 100 % hot', { level: Level.ERROR, fields: { Place: 'Winding' } }),
      entry(3, 'late', { level: Level.WARN, time: new Date(start + 5_000) }),
    ]);
    expect(await messages({ levels: [Level.ERROR, Level.WARN] })).toEqual(['it is 100 % hot', 'late']);
    expect(await messages({ logger: 'MOTOR' })).toEqual(['Motor turns']);
    expect(await messages({ resource: 'core:component:motor/left' })).toEqual(['Motor turns']);
    expect(await messages({ text: 'motor TURNS' })).toEqual(['Motor turns']);
    expect(await messages({ text: 'winding' })).toEqual(['it is 100 % hot']);
    expect(await messages({ text: '100 %' })).toEqual(['it is 100 % hot']);
    expect(await messages({ text: '_' })).toEqual([]);
    expect(await messages({ start: new Date(start + 5_000) })).toEqual(['late']);
    expect(await messages({ end: new Date(start + 5_000) })).toEqual(['Motor turns', 'it is 100 % hot']);
    expect(await messages({ afterSeq: 1n, beforeSeq: 3n })).toEqual(['it is 100 % hot']);
  });

  it('has pages without gaps while entries are added, and is searched far back', async () => {
    await upload('log', [entry(1, 'the needle')]);
    const hay = Array.from({ length: 45_000 }, (_, index) => entry(index + 2, `hay ${index}`));
    for (let at = 0; at < hay.length; at += 5_000)
      await test.hub.parts.logs.append(partId, 'log', hay.slice(at, at + 5_000));
    const first = await query({}, { limit: 3, newestFirst: true });
    expect(first.entries.map(({ message }) => message)).toEqual(['hay 44999', 'hay 44998', 'hay 44997']);
    await upload('log', [entry(50_000, 'new')]);
    const second = await query({}, { limit: 3, newestFirst: true, pageToken: first.nextPageToken });
    expect(second.entries.map(({ message }) => message)).toEqual(['hay 44996', 'hay 44995', 'hay 44994']);
    let found: string[] = [];
    let pageToken = '';
    do {
      const page = await query({ text: 'needle' }, { pageToken });
      found = [...found, ...page.entries.map(({ message }) => message)];
      pageToken = page.nextPageToken;
    } while (pageToken !== '');
    expect(found).toEqual(['the needle']);
  });

  it('is followed as entries arrive, after a backlog', async () => {
    await upload('log', [entry(1, 'a'), entry(2, 'b', { level: Level.DEBUG }), entry(3, 'c')]);
    const filter = { levels: [Level.INFO], logger: '', resource: '', text: '', afterSeq: 0n, beforeSeq: 0n };
    const tail = test.start(LogServiceDefinition, 'tail', { partId, filter, backlog: 10 }, { token });
    const type = LogServiceDefinition.methods.tail.responseType;
    const received = (): string[] =>
      tail.messages.flatMap((bytes) => type.decode(bytes).entries.map(({ message }) => message));
    while (received().length < 2) await new Promise((resolve) => setImmediate(resolve));
    await upload('log', [entry(4, 'd'), entry(5, 'e', { level: Level.DEBUG }), entry(6, 'f')]);
    while (received().length < 4) await new Promise((resolve) => setImmediate(resolve));
    expect(received()).toEqual(['a', 'c', 'd', 'f']);
    tail.sink.cancel('enough');
  });

  it('is kept for 30 days and then deleted', async () => {
    const { logs } = test.hub.parts;
    const stored = async (): Promise<string[]> =>
      (await logs.query(partId, {}, 10, new AbortController().signal)).rows.map(({ message }) => message);
    const time = await LogTime.open(test.hub.parts.store, clock);
    await logs.append(partId, 'log', [entry(1, 'old')]);
    clock.advance(DAY_MS);
    // The clock of the part does not matter.
    await logs.append(partId, 'log', [entry(2, 'young', { time: new Date(0) })]);
    await sweepOnce(time);
    expect(await stored()).toEqual(['young', 'old']);
    clock.advance(LOG_RETENTION_MS - DAY_MS + 1);
    await sweepOnce(time);
    expect(await stored()).toEqual(['young']);
    // A deleted entry is not stored again.
    expect(await logs.append(partId, 'log', [entry(1, 'old')])).toBe(2);
  });

  it('log time does not run ahead, however often it is read', async () => {
    const milliseconds: Clock = {
      now: () => Math.floor(clock.now()),
      monotonic: () => clock.monotonic(),
      after: (ms, callback) => clock.after(ms, callback),
      every: (ms, callback) => clock.every(ms, callback),
    };
    const time = await LogTime.open(test.hub.parts.store, milliseconds);
    const start = time.now();
    for (let asked = 0; asked < 10_000; asked++) {
      clock.advance(0.3);
      time.now();
    }
    expect(time.now() - start).toBeGreaterThan(2_990);
    expect(time.now() - start).toBeLessThan(3_010);
  });

  it('log time continues where it was in a hub that was killed after the clock was set back', async () => {
    const { store } = test.hub.parts;
    const time = await LogTime.open(store, clock);
    clock.advance(DAY_MS / 2);
    const before = time.now();
    clock.set(clock.now() - DAY_MS);
    expect(time.now()).toBe(before);
    await vi.waitFor(async () => expect((await LogTime.open(store, clock)).now()).toBe(before));
  });

  it('no log is deleted after a clock is set ahead by years and back', async () => {
    const { logs, store } = test.hub.parts;
    await logs.append(partId, 'log', [entry(1, 'a')]);
    const time = await LogTime.open(store, clock);
    const start = time.now();
    clock.set(clock.now() + 10 * 365 * DAY_MS);
    expect(time.now() - start).toBeLessThanOrEqual(DAY_MS);
    await logs.append(partId, 'log', [entry(2, 'b')]);
    await sweepOnce(time);
    // The hub restarts while the clock is wrong, and again when it is right.
    const meanwhile = await LogTime.open(store, clock);
    expect(meanwhile.now() - start).toBeLessThan(9 * DAY_MS);
    await sweepOnce(meanwhile);
    clock.set(clock.now() - 10 * 365 * DAY_MS);
    const after = await LogTime.open(store, clock);
    await logs.append(partId, 'log', [entry(3, 'c')]);
    await sweepOnce(after);
    expect(after.now()).toBeGreaterThanOrEqual(start);
    expect(await messages()).toEqual(['a', 'b', 'c']);
  });

  /** Runs one sweep, with a clock of its own: advancing the hub's clock by an hour would start other timers too. */
  async function sweepOnce(time: LogTime): Promise<void> {
    const hours = new ManualClock();
    const sweeper = new LogSweeper(test.hub.parts.logs, time, hours, silentLogger);
    hours.advance(60 * 60 * 1_000);
    await sweeper.close();
  }

  it('a line with unusual characters is stored, and so are those after it', async () => {
    const odd = 'zero \u0000 and half \ud83d of a character';
    const fields = { [odd]: odd };
    await upload('log', [entry(1, odd, { fields, logger: odd, resource: odd, caller: odd }), entry(2, 'after')]);
    const found = await messages();
    expect(found).toHaveLength(2);
    expect(found[0]).toMatch(/^zero .* and half . of a character$/u);
    expect(found[1]).toBe('after');
  });

  it('no call of the hub deletes or changes logs', () => {
    const services = [AppServiceDefinition, LogServiceDefinition, PartServiceDefinition, RobotServiceDefinition];
    const methods = services.flatMap(({ methods: all }) =>
      Object.values<{ readonly name: string }>(all).map(({ name }) => name),
    );
    expect(methods.filter((name) => /log/i.test(name)).sort()).toEqual([
      'GetRobotPartLogs',
      'Log',
      'TailRobotPartLogs',
      'UploadLogs',
    ]);
    expect(Object.keys(LogServiceDefinition.methods).sort()).toEqual(['query', 'tail']);
  });

  it('a part that sends too much is answered later, and others at once', async () => {
    const flood = Array.from({ length: 30_000 }, (_, index) => entry(index + 1, 'x'));
    let isAnswered = false;
    const flooding = upload('log', flood).then(() => (isAnswered = true));
    // All entries are stored at once; only the answer is delayed.
    while ((await test.hub.parts.logs.storedSeq(partId, 'log')) < 30_000)
      await new Promise((resolve) => setImmediate(resolve));
    const { partId: other } = await owner('newRobotPart', { robotId: test.first.machineId, partName: 'other' });
    const request = { partId: other, logId: 'log', entries: [entry(1, 'calm')] };
    await test.call(PartServiceDefinition, 'uploadLogs', request, { token });
    expect(isAnswered).toBe(false);
    clock.advance(5_000);
    await flooding;
  });

  it('is read through AppService by clients of the public ecosystem', async () => {
    await upload('log', [
      entry(1, 'a', { caller: 'graph/reconciler.ts:120', fields: { ms: 5 } }),
      entry(2, 'b', { level: Level.ERROR }),
      entry(3, 'c'),
    ]);
    const page = await owner('getRobotPartLogs', { id: partId, limit: 2n });
    expect(page.logs.map(({ message, level }) => [message, level])).toEqual([
      ['c', 'info'],
      ['b', 'error'],
    ]);
    const next = await owner('getRobotPartLogs', { id: partId, limit: 2n, pageToken: page.nextPageToken });
    expect(next).toMatchObject({
      logs: [
        {
          message: 'a',
          caller: { File: 'graph/reconciler.ts', Line: 120 },
          fields: [{ Key: 'ms', Type: 11, Integer: 5 }],
        },
      ],
      nextPageToken: '',
    });
    const ascending = await owner('getRobotPartLogs', { id: partId, order: 1 });
    expect(ascending.logs.map(({ message }) => message)).toEqual(['a', 'b', 'c']);
    expect((await owner('getRobotPartLogs', { id: partId, errorsOnly: true })).logs).toHaveLength(1);
    expect((await owner('getRobotPartLogs', { id: partId, levels: ['ERROR'] })).logs).toHaveLength(1);
    await expect(owner('getRobotPartLogs', { id: partId, levels: ['loud'] })).rejects.toMatchObject({ code: 3 });
  });
});
