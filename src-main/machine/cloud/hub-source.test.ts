import { describe, expect, it } from 'vitest';
import type { StoreConfigRequest, StoreConfigResponse, StoredConfig } from '../../../proto/gen/core/hub/v1/part.ts';
import { ManualClock } from '../../base/clock.ts';
import { ArmatureError } from '../../base/errors.ts';
import { silentLogger, type Logger } from '../../base/logger.ts';
import { revisionOf } from '../../base/revision.ts';
import type { ConfigChange, ConfigOrigin } from '../config/source/config-source.ts';
import type { CachedConfig } from './config-cache.ts';
import type { HubState } from './hub-link.ts';
import { HubSource } from './hub-source.ts';

const tick = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

const stored = (number: number, text: string): StoredConfig => ({
  number: BigInt(number),
  revision: revisionOf(text),
  text,
  time: undefined,
  author: '',
});

const cached = (number: number, text: string, leftRevision = ''): CachedConfig => ({
  text,
  revision: revisionOf(text),
  number,
  leftRevision,
  membership: undefined,
});

const origin: ConfigOrigin = {
  author: 'Ada',
  note: 'n',
  summary: 's',
  subjects: ['core:component:motor/left'],
  restoredFrom: 0,
  isRollback: false,
};
const goingBack: ConfigOrigin = { ...origin, author: 'machine', isRollback: true };

const away = new ArmatureError('hub.unreachable', 'no connection');

function setUp(kept?: CachedConfig) {
  const clock = new ManualClock();
  const writes: CachedConfig[] = [];
  const lines: string[] = [];
  const asked: StoreConfigRequest[] = [];
  const changes: ConfigChange[] = [];
  const listeners = new Set<() => void>();
  let state: HubState = { kind: 'connecting', since: 0, message: '' };
  let answer: (request: StoreConfigRequest) => Promise<StoreConfigResponse> = () => Promise.reject(away);
  let starts = 0;
  const log = (message: string): void => void lines.push(message);
  const logger: Logger = { ...silentLogger, warn: log, error: log };
  const link = {
    hubName: 'https://hub',
    get isConnected() {
      return state.kind === 'online' || state.kind === 'polling';
    },
    get state() {
      return state;
    },
    start: () => void starts++,
    onChange: (listener: () => void) => {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    call: (_service: unknown, _method: unknown, request: unknown) => {
      asked.push(request as StoreConfigRequest);
      return answer(request as StoreConfigRequest);
    },
  };
  const source = new HubSource({
    partId: 'part-1',
    link: link as never,
    cache: {
      load: async () => kept,
      store: async (config: CachedConfig) => void writes.push(config),
    } as never,
    clock,
    logger,
    isUsable: (text) => !text.includes('bad'),
  });
  return {
    clock,
    source,
    writes,
    lines,
    asked,
    changes,
    starts: () => starts,
    watch: () => source.watch((change) => changes.push(change)),
    answer: (with_: typeof answer) => (answer = with_),
    become: (kind: HubState['kind']) => {
      state = { kind, since: 0, message: '' };
      for (const listener of listeners) listener();
    },
  };
}

/** The result of `read`, and whether it has settled. */
function reading(source: HubSource) {
  const result: { text?: string; revision?: string } = {};
  void source.read().then((read) => Object.assign(result, read));
  return result;
}

describe('the configuration from a hub, at the start', () => {
  it('a kept text waits a second for a newer one, and one text is taken', async () => {
    const test = setUp(cached(3, '{"a": 3}'));
    const result = reading(test.source);
    await tick();
    expect(test.starts()).toBe(1);
    expect(test.source.revision).toBe(revisionOf('{"a": 3}'));
    test.clock.advance(900);
    await tick();
    expect(result.text).toBeUndefined();
    test.source.receive({ kind: 'config', stored: stored(4, '{"a": 4}') });
    await tick();
    expect(result).toEqual({ text: '{"a": 4}', revision: revisionOf('{"a": 4}') });
    test.watch();
    expect(test.changes).toEqual([]);
  });

  it('goes on with the kept text where the hub says nothing, and at once where it says the same', async () => {
    const late = setUp(cached(3, '{"a": 3}'));
    const result = reading(late.source);
    await tick();
    late.clock.advance(1_000);
    await tick();
    expect(result.text).toBe('{"a": 3}');

    const same = setUp(cached(3, '{"a": 3}'));
    const quick = reading(same.source);
    await tick();
    same.source.receive({ kind: 'revision', revision: revisionOf('{"a": 3}') });
    await tick();
    expect(quick.text).toBe('{"a": 3}');
  });

  it('of a revision that it does not have, it waits for the text', async () => {
    const test = setUp(cached(3, '{"a": 3}'));
    const result = reading(test.source);
    await tick();
    test.source.receive({ kind: 'revision', revision: 'another' });
    await tick();
    expect(result.text).toBeUndefined();
    test.clock.advance(1_000);
    await tick();
    expect(result.text).toBe('{"a": 3}');
  });

  it('with nothing kept it waits longer, then begins with nothing and says so', async () => {
    const test = setUp();
    const result = reading(test.source);
    await tick();
    test.clock.advance(14_999);
    await tick();
    expect(result.text).toBeUndefined();
    test.clock.advance(1);
    await tick();
    expect(result).toEqual({ text: '', revision: '' });
    expect(test.lines.join()).toContain('waits for the hub https://hub');
    test.watch();
    test.source.receive({ kind: 'config', stored: stored(1, '{"a": 1}') });
    expect(test.changes).toEqual([{ kind: 'changed', text: '{"a": 1}', revision: revisionOf('{"a": 1}') }]);
  });

  it('does not wait for a hub that has refused it, nor for one that has none', async () => {
    const refused = setUp();
    const result = reading(refused.source);
    await tick();
    refused.become('refused');
    await tick();
    expect(result.text).toBe('');

    const empty = setUp();
    const nothing = reading(empty.source);
    await tick();
    empty.source.receive({ kind: 'revision', revision: '' });
    await tick();
    expect(nothing.text).toBe('');
  });

  it('a text that leaves nothing to run is told of, and the kept one runs', async () => {
    const test = setUp(cached(3, '{"a": 3}'));
    const result = reading(test.source);
    await tick();
    test.source.receive({ kind: 'config', stored: stored(4, 'bad') });
    await tick();
    expect(result.text).toBe('{"a": 3}');
    test.watch();
    expect(test.changes).toEqual([{ kind: 'changed', text: 'bad', revision: revisionOf('bad') }]);
    expect(test.writes).toEqual([]);
  });
});

/** A source that has started with a text. */
async function running(text: string, number = 1) {
  const test = setUp(cached(number, text));
  const result = reading(test.source);
  await tick();
  test.source.receive({ kind: 'revision', revision: revisionOf(text) });
  await tick();
  expect(result.text).toBe(text);
  test.watch();
  test.become('online');
  return test;
}

describe('the configuration from a hub, as it changes', () => {
  it('is kept to start with once the machine follows it, and not before', async () => {
    const test = await running('{"a": 1}');
    test.source.receive({ kind: 'config', stored: stored(2, '{"a": 2}') });
    expect(test.changes).toHaveLength(1);
    expect(test.writes).toEqual([]);
    test.source.used(revisionOf('{"a": 2}'));
    expect(test.writes).toMatchObject([{ text: '{"a": 2}', number: 2, leftRevision: '' }]);
    // Nothing has changed since then.
    test.source.used(revisionOf('{"a": 2}'));
    expect(test.writes).toHaveLength(1);
  });

  it('the same version twice is told of once', async () => {
    const test = await running('{"a": 1}');
    test.source.receive({ kind: 'config', stored: stored(2, '{"a": 2}') });
    test.source.receive({ kind: 'config', stored: stored(2, '{"a": 2}') });
    test.source.receive({ kind: 'revision', revision: revisionOf('{"a": 2}') });
    expect(test.changes).toHaveLength(1);
  });

  it('a text is stored at the hub, with all that the history wants to know', async () => {
    const test = await running('{"a": 1}');
    test.answer(async ({ text }) => {
      // The hub's push may arrive before its answer.
      test.source.receive({ kind: 'config', stored: stored(2, text) });
      return { outcome: { $case: 'stored', value: stored(2, text) } };
    });
    const outcome = await test.source.write('{"a": 2}', revisionOf('{"a": 1}'), origin);
    expect(outcome).toEqual({ kind: 'written', revision: revisionOf('{"a": 2}') });
    expect(test.asked).toMatchObject([
      {
        partId: 'part-1',
        text: '{"a": 2}',
        baseRevision: revisionOf('{"a": 1}'),
        author: 'Ada',
        note: 'n',
        summary: 's',
        subjects: ['core:component:motor/left'],
      },
    ]);
    expect(test.changes).toEqual([]);
    expect(test.source.revision).toBe(revisionOf('{"a": 2}'));
  });

  it('a newer one that comes while a text is stored is told of after it', async () => {
    const test = await running('{"a": 1}');
    test.answer(async ({ text }) => {
      test.source.receive({ kind: 'config', stored: stored(3, '{"a": 3}') });
      return { outcome: { $case: 'stored', value: stored(2, text) } };
    });
    await test.source.write('{"a": 2}', revisionOf('{"a": 1}'), origin);
    expect(test.changes).toMatchObject([{ text: '{"a": 3}' }]);
    expect(test.source.revision).toBe(revisionOf('{"a": 3}'));
  });

  it('a conflict gives the text that is in the way, and tells the listener nothing', async () => {
    const test = await running('{"a": 1}');
    test.answer(async () => ({ outcome: { $case: 'conflict', value: stored(2, '{"b": 2}') } }));
    expect(await test.source.write('{"a": 2}', revisionOf('{"a": 1}'), origin)).toEqual({
      kind: 'conflict',
      text: '{"b": 2}',
      revision: revisionOf('{"b": 2}'),
    });
    expect(test.changes).toEqual([]);
  });

  it('without the hub nothing is stored, and the error says so', async () => {
    const test = await running('{"a": 1}');
    await expect(test.source.write('{"a": 2}', revisionOf('{"a": 1}'), origin)).rejects.toBe(away);
    expect(test.source.revision).toBe(revisionOf('{"a": 1}'));
  });
});

describe('going back without the hub', () => {
  /** Left `{"cut": 2}` for `{"a": 1}` while the hub was away. */
  async function hasGoneBack() {
    const test = await running('{"a": 1}');
    test.source.receive({ kind: 'config', stored: stored(2, '{"cut": 2}') });
    test.source.used(revisionOf('{"cut": 2}'));
    test.become('offline');
    const outcome = await test.source.write('{"a": 1}', revisionOf('{"cut": 2}'), goingBack);
    expect(outcome).toEqual({ kind: 'written', revision: revisionOf('{"a": 1}') });
    test.source.used(revisionOf('{"a": 1}'));
    test.changes.length = 0;
    test.asked.length = 0;
    return test;
  }

  it('is done, and kept over a restart with what was left', async () => {
    const test = await hasGoneBack();
    expect(test.writes.at(-1)).toMatchObject({ text: '{"a": 1}', leftRevision: revisionOf('{"cut": 2}') });
  });

  it('the hub is told when it is back, and what it pushes meanwhile is not taken again', async () => {
    const test = await hasGoneBack();
    test.answer(async ({ text }) => ({ outcome: { $case: 'stored', value: stored(3, text) } }));
    test.source.receive({ kind: 'config', stored: stored(2, '{"cut": 2}') });
    test.become('online');
    test.source.receive({ kind: 'config', stored: stored(2, '{"cut": 2}') });
    await tick();
    expect(test.asked).toMatchObject([{ text: '{"a": 1}', baseRevision: revisionOf('{"cut": 2}'), author: 'machine' }]);
    expect(test.changes).toEqual([]);
    expect(test.writes.at(-1)).toMatchObject({ text: '{"a": 1}', leftRevision: '', number: 3 });
  });

  it('what somebody stored meanwhile wins', async () => {
    const test = await hasGoneBack();
    test.answer(async () => ({ outcome: { $case: 'conflict', value: stored(3, '{"mended": 3}') } }));
    test.become('online');
    await tick();
    expect(test.changes).toMatchObject([{ text: '{"mended": 3}' }]);

    const pushed = await hasGoneBack();
    pushed.source.receive({ kind: 'config', stored: stored(3, '{"mended": 3}') });
    expect(pushed.changes).toMatchObject([{ text: '{"mended": 3}' }]);
  });

  it('an edit before the hub knows is compared with what the hub has', async () => {
    const test = await hasGoneBack();
    test.answer(async ({ text }) => ({ outcome: { $case: 'stored', value: stored(3, text) } }));
    await test.source.write('{"a": 5}', revisionOf('{"a": 1}'), origin);
    expect(test.asked).toMatchObject([{ text: '{"a": 5}', baseRevision: revisionOf('{"cut": 2}') }]);
  });

  it('is told after a restart too', async () => {
    const test = setUp(cached(2, '{"a": 1}', revisionOf('{"cut": 2}')));
    const result = reading(test.source);
    await tick();
    test.answer(async ({ text }) => ({ outcome: { $case: 'stored', value: stored(3, text) } }));
    // The hub sends its text, because the part's revision differs.
    test.source.receive({ kind: 'revision', revision: revisionOf('{"cut": 2}') });
    test.source.receive({ kind: 'config', stored: stored(2, '{"cut": 2}') });
    test.become('online');
    await tick();
    expect(result.text).toBe('{"a": 1}');
    expect(test.asked).toEqual([]);
    test.watch();
    await tick();
    expect(test.asked).toMatchObject([{ text: '{"a": 1}', baseRevision: revisionOf('{"cut": 2}') }]);
    expect(test.changes).toEqual([]);
  });
});
