import { describe, expect, it } from 'vitest';
import { ArmatureError } from '../../base/errors.ts';
import { API, GraphFixture, MODEL, resource, settle } from './testing/graph-fixture.ts';
import type { Principal } from '../../rpc/principal.ts';
import type { Forwarder } from '../../rpc/router.ts';
import type { ResourceConfig } from '../catalog/resource-config.ts';
import type { StatusChanges } from './state.ts';

function refusal(fixture: GraphFixture, name: string): ArmatureError {
  try {
    fixture.graph.find(API, name);
  } catch (thrown) {
    if (thrown instanceof ArmatureError) return thrown;
  }
  throw new Error(`${name} was found`);
}

describe('looking a resource up', () => {
  it('gives the same target each time, without making one', async () => {
    const fixture = new GraphFixture();
    await fixture.apply(resource('a'));
    const target = fixture.graph.find(API, 'a');
    expect(target).toEqual({ kind: 'local', resource: fixture.world.instances[0] });
    expect(fixture.graph.find(API, 'a')).toBe(target);
    expect(fixture.graph.resolverFor(API)('a')).toBe(target);
  });

  it('a resolver made before a resource exists finds it, also after it was removed and added', async () => {
    const fixture = new GraphFixture();
    const resolve = fixture.graph.resolverFor(API);
    expect(() => resolve('a')).toThrow(`no node found with api ${API} and name a`);
    await fixture.apply(resource('a'));
    await fixture.apply();
    await fixture.apply(resource('a'));
    expect(resolve('a')).toEqual({ kind: 'local', resource: fixture.world.instances[1] });
  });

  it.each([
    ['is removed with what it needs', () => []],
    ['has lost the name of what it needs', () => [resource('b', { needs: ['a'] }), resource('other')]],
    [
      'needs something that is disabled',
      () => [resource('b', { needs: ['a'] }), resource('a', {}, { isDisabled: true })],
    ],
  ])('lets a module through for as long as a dependent of it closes, and nobody else: one %s', async (_what, next) => {
    const fixture = new GraphFixture();
    const resolve = fixture.graph.resolverFor(API);
    const as = (kind: Principal['kind']) => () => resolve('a', { principal: { kind, entity: 'one' } });
    await fixture.apply(resource('a'), resource('b', { needs: ['a'], close: 'hang' }));
    const [instance] = fixture.world.instances;
    await fixture.apply(...next());
    expect(fixture.takeEvents()).toContain('close b');
    expect(as('module')()).toEqual({ kind: 'local', resource: instance });
    expect(as('loopback')).toThrow('not available');
    fixture.world.releaseAll();
    await settle();
    expect(fixture.takeEvents()).toContain('closed a');
    expect(as('module')).toThrow();
  });

  it('refuses with a real code, the text clients know, and details', async () => {
    const fixture = new GraphFixture();
    const since = fixture.clock.now();
    await fixture.apply(
      resource('failed', { build: 'throw' }),
      resource('waiting', {}, { dependsOn: ['failed'] }),
      resource('building', { build: 'hang' }),
      resource('off', {}, { isDisabled: true }),
    );
    const details = { api: API, since };
    const error = { lastError: 'no answer from the chip', nextRetryAt: since + 1_000 };
    const refused = ['missing', 'failed', 'waiting', 'building', 'off'].map((name) => refusal(fixture, name));
    expect(refused.map(({ code, message, details }) => ({ code, message, details }))).toEqual([
      {
        code: 'resource.not_found',
        message: `no node found with api ${API} and name missing`,
        details: { api: API, name: 'missing' },
      },
      {
        code: 'resource.not_ready',
        message: `resource ${API}/failed not available: no answer from the chip`,
        details: { ...details, name: 'failed', state: 'failed', ...error },
      },
      {
        code: 'resource.not_ready',
        message: `resource ${API}/waiting not available: its generic failed failed: no answer from the chip`,
        details: { ...details, name: 'waiting', state: 'waiting' },
      },
      {
        code: 'resource.not_ready',
        message: `resource ${API}/building not available: it is being configured (being built)`,
        details: { ...details, name: 'building', state: 'configuring' },
      },
      {
        code: 'resource.disabled',
        message: `resource ${API}/off not available: it is disabled in the configuration; remove "disabled": true to use it`,
        details: { ...details, name: 'off', state: 'disabled' },
      },
    ]);
  });

  it('an instance that is about to be rebuilt stays usable until it closes; a removed one does not', async () => {
    const fixture = new GraphFixture({ closeTimeoutMs: 1_000 });
    await fixture.apply(resource('board', { value: 1 }), resource('motor', { needs: ['board'], close: 'hang' }));
    await fixture.apply(resource('board', { value: 2 }), resource('motor', { needs: ['board'], close: 'hang' }));
    expect(fixture.state('board')).toBe('configuring');
    expect(fixture.graph.find(API, 'board')).toMatchObject({ resource: { attributes: { value: 1 } } });
    expect(refusal(fixture, 'motor').code).toBe('resource.not_ready');
    await fixture.pass(1_000);
    expect(fixture.graph.find(API, 'board')).toMatchObject({ resource: { attributes: { value: 2 } } });
    await fixture.apply(resource('motor', { needs: ['board'], close: 'hang' }));
    expect(refusal(fixture, 'board').message).toBe(`resource ${API}/board not available: it is being removed`);
  });

  it('an instance that takes new attributes stays usable', async () => {
    const fixture = new GraphFixture();
    await fixture.apply(resource('a', { limit: 1, change: 'hang' }));
    await fixture.apply(resource('a', { limit: 2, change: 'hang' }));
    expect(fixture.state('a')).toBe('configuring');
    expect(fixture.graph.find(API, 'a').kind).toBe('local');
  });

  it('an instance in another process is forwarded to', async () => {
    const forwarder: Forwarder = { start: () => ({ message: () => undefined, halfClose() {}, cancel() {} }) };
    const build = async () => ({ name: 'a', close: async () => {}, forwarder });
    const { world } = new GraphFixture();
    const fixture = new GraphFixture({
      catalog: { find: () => ({ ...world.entry, load: async () => ({ build }) }) },
    });
    await fixture.apply(resource('a'));
    expect(fixture.graph.find(API, 'a')).toEqual({ kind: 'forward', forwarder });
    expect([...fixture.graph.actuators()]).toEqual([]);
  });
});

describe('subscribing', () => {
  it('gives everything there is at once, then changes in batches', async () => {
    const fixture = new GraphFixture();
    await fixture.apply(resource('a'), resource('b', { needs: ['a'] }));
    const heard: StatusChanges[] = [];
    const unsubscribe = fixture.graph.subscribe((changes) => heard.push(changes));
    expect(heard).toEqual([{ upserted: fixture.graph.statuses(), removed: [] }]);
    await fixture.apply(resource('b', { needs: ['a'] }));
    const last = heard.at(-1)!;
    expect(heard.flatMap(({ removed }) => removed)).toEqual([`${API}/a`]);
    expect(last.upserted.every(({ name }) => name !== 'a')).toBe(true);
    const count = heard.length;
    unsubscribe();
    await fixture.apply();
    expect(heard).toHaveLength(count);
  });

  it('changes of one moment are one batch, and following them gives what there is', async () => {
    const fixture = new GraphFixture();
    const configs = Array.from({ length: 50 }, (_, index) => resource(`r${index}`, { build: 'hang' }));
    await fixture.apply(...configs);
    expect(fixture.batches.map(({ upserted }) => upserted.length)).toEqual([0, 50]);
    fixture.world.releaseAll();
    await settle();
    await fixture.apply(...configs.slice(10));
    const known = new Map<string, unknown>();
    for (const { upserted, removed } of fixture.batches) {
      for (const status of upserted) known.set(status.fullName, status);
      for (const name of removed) known.delete(name);
    }
    expect([...known.values()]).toEqual(fixture.graph.statuses());
  });

  it('the time a state was entered stays while only its reason changes', async () => {
    const fixture = new GraphFixture();
    fixture.world.broken.add('a');
    const waiting = resource('b', { needs: ['a', 'missing'] });
    await fixture.apply(resource('a'), waiting);
    const { since, state } = fixture.graph.status(`${API}/b`)!;
    await fixture.pass(500);
    await fixture.apply(resource('a', {}, { isDisabled: true }), waiting);
    const later = fixture.graph.status(`${API}/b`)!;
    expect(later.state).not.toEqual(state);
    expect(later.since).toBe(since);
  });

  it('a listener that throws does not keep the news from others', async () => {
    const fixture = new GraphFixture();
    let isArmed = false;
    fixture.graph.subscribe(() => {
      if (isArmed) throw new Error('listener');
    });
    isArmed = true;
    const heard: string[] = [];
    fixture.graph.subscribe(({ upserted }) => heard.push(...upserted.map(({ name }) => name)));
    await fixture.apply(resource('a'));
    expect(heard).toContain('a');
  });
});

describe('closing everything', () => {
  it('stops all actuators at the same time first, then closes dependents before dependencies', async () => {
    const fixture = new GraphFixture();
    await fixture.apply(resource('board'), resource('motor', { needs: ['board'] }), resource('other'));
    fixture.takeEvents();
    expect([...fixture.graph.actuators()].map(({ fullName }) => fullName)).toHaveLength(3);
    expect(await fixture.graph.close()).toEqual({ unclosed: [] });
    const events = fixture.takeEvents();
    expect(events.slice(0, 3)).toEqual(['stop board', 'stop motor', 'stop other']);
    expect(events.indexOf('close board')).toBeGreaterThan(events.indexOf('closed motor'));
    expect(fixture.world.alive).toEqual([]);
    expect(fixture.world.violations).toEqual([]);
    expect(fixture.clock.pending).toBe(0);
  });

  it('waits 2 s for a stop that hangs, and no longer than its time for everything', async () => {
    const fixture = new GraphFixture({ closeTimeoutMs: 60_000, shutdownTimeoutMs: 5_000 });
    await fixture.apply(
      resource('a', { stop: 'hang' }),
      resource('b', { stop: 'throw' }),
      resource('c', { close: 'hang' }),
    );
    fixture.takeEvents();
    const closed = fixture.graph.close();
    await fixture.pass(1_999);
    expect(fixture.takeEvents()).toEqual(['stop a', 'stop b', 'stop c']);
    await fixture.pass(1);
    expect(fixture.takeEvents()).toEqual(['close a', 'closed a', 'close b', 'closed b', 'close c']);
    await fixture.pass(3_000);
    expect(await closed).toEqual({ unclosed: [`${API}/c`] });
    expect(fixture.graph.close()).toBe(fixture.graph.close());
  });

  it('withdraws what is being built, builds nothing more, and closes what comes late', async () => {
    const fixture = new GraphFixture();
    await fixture.apply(
      resource('polite', { build: 'hang-until-abort' }),
      resource('rude', { build: 'hang' }),
      resource('failing', { build: 'throw' }),
      resource('ready'),
    );
    fixture.takeEvents();
    const closed = fixture.graph.close();
    await fixture.pass(10_000, 1_000);
    expect(await closed).toEqual({ unclosed: [] });
    expect(fixture.takeEvents()).toEqual(['stop ready', 'close ready', 'closed ready']);
    await expect(fixture.start(resource('more'))).rejects.toMatchObject({ code: 'server.stopping' });
    fixture.world.releaseAll();
    await fixture.pass(60_000);
    expect(fixture.takeEvents()).toEqual(['built rude', 'close rude', 'closed rude']);
  });
});

describe('a thousand resources', () => {
  const count = 1_000;
  const apply = async (fixture: GraphFixture, configs: readonly ResourceConfig[]) => {
    const before = fixture.graph.evaluations;
    fixture.world.finds = 0;
    await fixture.start(...configs);
    return { evaluations: fixture.graph.evaluations - before, finds: fixture.world.finds };
  };
  const shapes: Record<string, (index: number) => ReturnType<typeof resource>> = {
    'on their own': (index) => resource(`r${index}`),
    'in a chain': (index) => resource(`r${index}`, { needs: index === 0 ? [] : [`r${index - 1}`] }),
    'in a chain, last first': (index) =>
      resource(`r${count - index}`, { needs: index === count - 1 ? [] : [`r${count - index - 1}`] }),
    'all on one': (index) => resource(`r${index}`, { needs: index === 0 ? [] : ['r0'] }),
    'all on one that is missing': (index) => resource(`r${index}`, { needs: ['board'] }),
  };

  it.each(Object.entries(shapes))('%s cost a few looks each, and a change costs what it touches', async (_, make) => {
    const fixture = new GraphFixture();
    const configs = Array.from({ length: count }, (_, index) => make(index));
    const first = await apply(fixture, configs);
    expect(first.finds).toBe(count);
    expect(first.evaluations).toBeLessThan(8 * count);
    const added = await apply(fixture, [...configs, resource('unrelated')]);
    expect(added.finds).toBe(1);
    const waiting = fixture.graph.statuses().filter(({ state }) => state.kind === 'waiting').length;
    expect(added.evaluations).toBeLessThan(10 + waiting);
  });

  it('one that depends on all of them is built once', async () => {
    const fixture = new GraphFixture();
    const configs = Array.from({ length: count }, (_, index) => resource(`r${index}`));
    const names = configs.map(({ name }) => name);
    await fixture.start(resource('manager', { needs: names.slice(0, 500), uses: names.slice(500) }), ...configs);
    expect(fixture.state('manager')).toBe('ready');
    expect(fixture.world.events.filter((event) => event === 'build manager')).toHaveLength(1);
  });

  it('a circle of all of them is named, cut short, on each', async () => {
    const fixture = new GraphFixture();
    const configs = Array.from({ length: count }, (_, index) =>
      resource(`r${index}`, { needs: [`r${(index + 1) % count}`] }),
    );
    const { evaluations } = await apply(fixture, configs);
    expect(evaluations).toBeLessThan(8 * count);
    expect(fixture.state('r500')).toBe('failed');
    expect(fixture.reason('r500')).toContain('r0 -> r1 -> ');
    expect(fixture.reason('r500').length).toBeLessThan(300);
  });

  it('asks for each model once, and again only when told that it may have changed', async () => {
    const fixture = new GraphFixture();
    await apply(fixture, [resource('a'), resource('b', {}, { model: MODEL })]);
    expect(fixture.world.finds).toBe(2);
    fixture.graph.catalogChanged();
    expect(fixture.world.finds).toBe(4);
    await settle();
    expect(fixture.takeEvents().filter((event) => event.startsWith('close'))).toEqual([]);
  });
});
