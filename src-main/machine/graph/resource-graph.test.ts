import { describe, expect, it } from 'vitest';
import { API, GraphFixture, resource, settle } from './testing/graph-fixture.ts';
import type { Problem } from '../../../proto/config/problem.ts';

const error = (message: string): Problem => ({
  file: '',
  line: 1,
  column: 1,
  pointer: '/components/0',
  severity: 'error',
  code: 'attribute.out_of_range',
  message,
});

describe('building', () => {
  it('builds a resource after what it depends on', async () => {
    const fixture = new GraphFixture();
    await fixture.apply(
      resource('arm', { needs: ['motor'] }),
      resource('motor', { needs: ['board'] }),
      resource('board'),
    );
    expect(fixture.takeEvents()).toEqual([
      'build board',
      'built board',
      'build motor',
      'built motor',
      'build arm',
      'built arm',
    ]);
    expect(fixture.states()).toEqual({ arm: 'ready', motor: 'ready', board: 'ready' });
  });

  it('takes depends_on by short and by full name, in either spelling', async () => {
    const fixture = new GraphFixture();
    await fixture.apply(
      resource('a', {}, { dependsOn: ['board'] }),
      resource('b', {}, { dependsOn: [`${API}/board`] }),
      resource('c', {}, { dependsOn: ['rdk:component:generic/board'] }),
      resource('board', { build: 'hang' }),
    );
    expect(fixture.states()).toEqual({ a: 'waiting', b: 'waiting', c: 'waiting', board: 'configuring' });
    await fixture.apply(
      resource('a', {}, { dependsOn: ['board'] }),
      resource('b', {}, { dependsOn: [`${API}/board`] }),
      resource('c', {}, { dependsOn: ['rdk:component:generic/board'] }),
      resource('board'),
    );
    fixture.world.releaseAll();
    await settle();
    expect(fixture.states()).toEqual({ a: 'ready', b: 'ready', c: 'ready', board: 'ready' });
    expect(fixture.graph.status(`${API}/c`)?.dependsOn).toEqual([`${API}/board`]);
  });

  it('starts each resource when its own dependencies are ready, whatever unrelated ones do', async () => {
    const fixture = new GraphFixture();
    const config = [
      resource('slow', { build: 'hang' }),
      resource('board'),
      resource('motor', { needs: ['board'] }),
      resource('arm', { needs: ['motor'] }),
    ];
    const result = fixture.start(...config);
    await settle();
    expect(fixture.states()).toEqual({ slow: 'configuring', board: 'ready', motor: 'ready', arm: 'ready' });
    await fixture.apply(...config, resource('late'));
    expect(fixture.state('late')).toBe('ready');
    await fixture.pass(60_000);
    expect((await result).statuses.map(({ name, state }) => `${name} ${state.kind}`)).toEqual([
      'slow failed',
      'board ready',
      'motor ready',
      'arm ready',
    ]);
  });

  it('gives a constructor its dependencies by the names its attributes use, and refuses others', async () => {
    const fixture = new GraphFixture();
    await fixture.apply(resource('board'), resource('motor', { needs: ['board'] }));
    const [board, motor] = fixture.world.instances;
    expect(motor?.dependencies).toEqual([board]);
    const { context } = motor!;
    expect(context.dependency(API, `${API}/board`)).toBe(board);
    expect(() => context.dependency(API, 'motor')).toThrow('does not declare');
    expect(() => context.dependency('core:component:board', 'board')).toThrow(`but that is ${API}/board`);
  });

  it('treats what is no Error, and what is no resource, as a failed build', async () => {
    const fixture = new GraphFixture({});
    await fixture.apply(resource('a', { build: 'throw-text' }));
    expect(fixture.reason('a')).toBe('plain text');
    const empty = new GraphFixture({
      catalog: {
        find: () => ({ ...fixture.world.entry, load: async () => ({ build: async () => undefined as never }) }),
      },
    });
    await empty.apply(resource('a'));
    expect(empty.reason('a')).toContain('not a resource');
  });

  it('fails a resource whose model cannot be loaded', async () => {
    const fixture = new GraphFixture();
    const load = () => Promise.reject(new Error('Cannot find module'));
    const graph = new GraphFixture({ catalog: { find: () => ({ ...fixture.world.entry, load }) } });
    await graph.apply(resource('a'));
    expect(graph.state('a')).toBe('failed');
    expect(graph.reason('a')).toBe('Cannot find module');
  });
});

describe('waiting', () => {
  it('names what is missing and the nearest name there is', async () => {
    const fixture = new GraphFixture();
    await fixture.apply(resource('motor', {}, { dependsOn: ['bench'] }), resource('bench1'));
    expect(fixture.state('motor')).toBe('waiting');
    expect(fixture.reason('motor')).toBe('waiting for bench, which is not configured (nearest: bench1)');
    await fixture.apply(resource('motor', {}, { dependsOn: ['core:component:board/bench'] }));
    expect(fixture.reason('motor')).toBe('waiting for board bench, which is not configured');
  });

  it('names the nearest name anew when names come and go', async () => {
    const fixture = new GraphFixture();
    const motor = resource('motor', {}, { dependsOn: ['bench'] });
    await fixture.apply(motor, resource('bench1'));
    await fixture.apply(motor, resource('benches'));
    expect(fixture.reason('motor')).toBe('waiting for bench, which is not configured');
    await fixture.apply(motor, resource('benches'), resource('bunch'));
    expect(fixture.reason('motor')).toBe('waiting for bench, which is not configured (nearest: bunch)');
  });

  it('says that a dependency failed also while that is tried again', async () => {
    const fixture = new GraphFixture();
    fixture.world.broken.add('board');
    await fixture.apply(resource('board'), resource('motor', { needs: ['board'] }));
    const failed = fixture.reason('motor');
    fixture.world.gate('board');
    await fixture.pass(1_000);
    expect(fixture.state('board')).toBe('configuring');
    expect(fixture.reason('board')).toBe('try 2, after: board is broken');
    await fixture.apply(
      resource('board'),
      resource('motor', { needs: ['board'] }),
      resource('new', { needs: ['board'] }),
    );
    expect(fixture.reason('motor')).toBe(failed);
    expect(fixture.reason('new')).toBe(failed);
  });

  it('keeps what depended on a removed resource, closed and waiting for it', async () => {
    const fixture = new GraphFixture();
    const motor = resource('motor', { needs: ['board'] });
    const arm = resource('arm', { needs: ['motor'] });
    await fixture.apply(resource('board'), motor, arm);
    fixture.takeEvents();
    await fixture.apply(motor, arm);
    expect(fixture.takeEvents()).toEqual([
      'close arm',
      'closed arm',
      'close motor',
      'closed motor',
      'close board',
      'closed board',
    ]);
    expect(fixture.states()).toEqual({ motor: 'waiting', arm: 'waiting' });
    expect(fixture.reason('motor')).toBe('waiting for board, which is not configured');
    expect(fixture.reason('arm')).toBe(
      'waiting for generic motor, which waits because generic motor is waiting for board, which is not configured',
    );
    await fixture.apply(motor, arm, resource('board'));
    expect(fixture.states()).toEqual({ motor: 'ready', arm: 'ready', board: 'ready' });
  });

  it('says which dependency failed and why, also to those further away', async () => {
    const fixture = new GraphFixture();
    await fixture.apply(
      resource('board', { build: 'throw' }),
      resource('motor', { needs: ['board'] }),
      resource('arm', { needs: ['motor'] }),
    );
    expect(fixture.reason('motor')).toBe('its generic board failed: no answer from the chip');
    expect(fixture.reason('arm')).toBe(
      'waiting for generic motor, which waits because generic board failed: no answer from the chip',
    );
    expect(fixture.graph.status(`${API}/arm`)?.state).toMatchObject({ for: [`${API}/motor`] });
  });

  it('asks for the full name where a short one means several resources', async () => {
    const fixture = new GraphFixture();
    const other = 'core:component:board';
    const motor = resource('motor', { needs: ['x'] });
    await fixture.apply(motor, resource('x'), resource('x', {}, { api: other, fullName: `${other}/x` }));
    expect(fixture.state('motor')).toBe('waiting');
    expect(fixture.reason('motor')).toBe(
      'its dependency x may be core:component:board/x or core:component:generic/x: write the full name',
    );
    await fixture.apply(motor, resource('x'));
    expect(fixture.state('motor')).toBe('ready');
  });

  it('a disabled resource is not built, and what depends on it waits', async () => {
    const fixture = new GraphFixture();
    const motor = resource('motor', { needs: ['board'] });
    await fixture.apply(resource('board'), motor);
    fixture.takeEvents();
    await fixture.apply(resource('board', {}, { isDisabled: true }), motor);
    expect(fixture.takeEvents()).toEqual(['close motor', 'closed motor', 'close board', 'closed board']);
    expect(fixture.states()).toEqual({ board: 'disabled', motor: 'waiting' });
    expect(fixture.reason('motor')).toBe('waiting for generic board, which is disabled');
    await fixture.apply(resource('board'), motor);
    expect(fixture.states()).toEqual({ board: 'ready', motor: 'ready' });
  });

  it('a resource waits for the module that has its model, and is built when it comes', async () => {
    const fixture = new GraphFixture();
    const model = 'acme:demo:motor';
    let isThere = false;
    const graph = new GraphFixture({
      catalog: { find: () => (isThere ? { ...fixture.world.entry, model } : undefined) },
    });
    await graph.apply(resource('motor', {}, { model }));
    expect(graph.state('motor')).toBe('waiting');
    expect(graph.reason('motor')).toBe(`waiting for a module that provides model ${model} of ${API}`);
    isThere = true;
    graph.graph.catalogChanged('core:component:board');
    await settle();
    expect(graph.state('motor')).toBe('waiting');
    graph.graph.catalogChanged(API);
    await settle();
    expect(graph.state('motor')).toBe('ready');
    isThere = false;
    graph.graph.catalogChanged();
    await settle();
    expect(graph.state('motor')).toBe('waiting');
    expect(fixture.world.alive).toEqual([]);
  });

  it('a model that only the program can have does not wait for a module', async () => {
    const fixture = new GraphFixture();
    await fixture.apply(resource('motor', {}, { model: 'core:builtin:gpoi' }));
    expect(fixture.graph.status(`${API}/motor`)?.state).toMatchObject({ kind: 'failed', nextRetryAt: undefined });
    expect(fixture.reason('motor')).toContain('no built-in model core:builtin:gpoi');
  });
});

describe('an entry that is wrong', () => {
  it('fails alone, with its first problem, and is not tried again before it changes', async () => {
    const fixture = new GraphFixture();
    const wrong = resource('a', {}, { problems: [error('pin 99 is not on the header'), error('max_rpm is negative')] });
    await fixture.apply(wrong, resource('b'));
    expect(fixture.states()).toEqual({ a: 'failed', b: 'ready' });
    expect(fixture.reason('a')).toBe('pin 99 is not on the header (and 1 more problem)');
    await fixture.pass(600_000);
    expect(fixture.takeEvents()).toEqual(['build b', 'built b']);
    await fixture.apply(resource('a'), resource('b'));
    expect(fixture.state('a')).toBe('ready');
  });

  it('warnings do not keep a resource from being built', async () => {
    const fixture = new GraphFixture();
    await fixture.apply(resource('a', {}, { problems: [{ ...error('unknown key'), severity: 'warning' }] }));
    expect(fixture.state('a')).toBe('ready');
  });

  it('names a circle of dependencies on each of its members, and leaves the rest alone', async () => {
    const fixture = new GraphFixture();
    await fixture.apply(
      resource('b', { needs: ['c'] }),
      resource('c', { needs: ['a'] }),
      resource('a', { needs: ['b'] }),
      resource('self', { needs: ['self'] }),
      resource('outside', { needs: ['a'] }),
      resource('free'),
    );
    expect(fixture.states()).toEqual({
      a: 'failed',
      b: 'failed',
      c: 'failed',
      self: 'failed',
      outside: 'waiting',
      free: 'ready',
    });
    for (const name of ['a', 'b', 'c']) expect(fixture.reason(name)).toContain('a -> b -> c -> a');
    expect(fixture.reason('self')).toContain('self -> self');
    await fixture.apply(
      resource('b', { needs: ['c'] }),
      resource('c'),
      resource('a', { needs: ['b'] }),
      resource('outside', { needs: ['a'] }),
    );
    expect(fixture.states()).toEqual({ a: 'ready', b: 'ready', c: 'ready', outside: 'ready' });
  });

  it('closes what runs when a change makes a circle of it', async () => {
    const fixture = new GraphFixture();
    await fixture.apply(resource('a'), resource('b', { needs: ['a'] }));
    await fixture.apply(resource('a', { needs: ['b'] }), resource('b', { needs: ['a'] }));
    expect(fixture.states()).toEqual({ a: 'failed', b: 'failed' });
    expect(fixture.world.alive).toEqual([]);
    expect(fixture.world.violations).toEqual([]);
  });
});
