import { describe, expect, it } from 'vitest';
import { API, GraphFixture, resource, settle } from './testing/graph-fixture.ts';

const state = (fixture: GraphFixture, name: string) => fixture.graph.status(`${API}/${name}`)?.state;
const builds = (fixture: GraphFixture, name: string) =>
  fixture.world.events.filter((event) => event === `build ${name}`).length;

describe('retrying', () => {
  it('tries again with growing delay, up to a minute, and starts over after a success', async () => {
    const fixture = new GraphFixture();
    fixture.world.broken.add('a');
    await fixture.apply(resource('a'));
    const delays: number[] = [];
    for (let attempts = 1; attempts <= 9; attempts++) {
      const failed = state(fixture, 'a');
      if (failed?.kind !== 'failed') throw new Error(`it is ${failed?.kind}`);
      expect(failed.attempts).toBe(attempts);
      const delayMs = failed.nextRetryAt! - fixture.clock.now();
      delays.push(delayMs);
      await fixture.pass(delayMs - 1);
      expect(builds(fixture, 'a')).toBe(attempts);
      await fixture.pass(1);
      expect(builds(fixture, 'a')).toBe(attempts + 1);
    }
    expect(delays).toEqual([1_000, 2_000, 4_000, 8_000, 16_000, 32_000, 60_000, 60_000, 60_000]);
    fixture.world.broken.clear();
    await fixture.pass(60_000);
    expect(fixture.state('a')).toBe('ready');
    fixture.world.broken.add('a');
    await fixture.apply(resource('a', { value: 2 }));
    expect(state(fixture, 'a')).toMatchObject({ attempts: 1 });
  });

  it('is logged as an error once, and its retries as warnings', async () => {
    const fixture = new GraphFixture();
    await fixture.apply(resource('a', { build: 'throw' }));
    await fixture.pass(1_000);
    await fixture.pass(2_000);
    const failures = fixture.world.lines.filter(({ message }) => message.includes('failed'));
    expect(failures.map(({ level }) => level)).toEqual(['error', 'warn', 'warn']);
  });

  it('spreads retries at random', async () => {
    const fixture = new GraphFixture({ random: () => 0.5 });
    await fixture.apply(resource('a', { build: 'throw' }));
    expect(state(fixture, 'a')).toMatchObject({ nextRetryAt: fixture.clock.now() + 900 });
  });

  it('a permanent error is tried again only when the configuration changes', async () => {
    const fixture = new GraphFixture();
    await fixture.apply(resource('a', { build: 'user-error' }));
    expect(state(fixture, 'a')).toEqual({
      kind: 'failed',
      reason: 'pin 99 does not exist',
      attempts: 1,
      nextRetryAt: undefined,
    });
    await fixture.pass(600_000, 60_000);
    expect(builds(fixture, 'a')).toBe(1);
    expect(fixture.clock.pending).toBe(0);
    await fixture.apply(resource('a', { build: 'ok' }));
    expect(fixture.state('a')).toBe('ready');
  });

  it('a change of a dependency starts the delays over, also after a permanent error', async () => {
    const fixture = new GraphFixture();
    const motor = resource('motor', { needs: ['board'], build: 'user-error' });
    await fixture.apply(resource('board', { value: 1 }), motor);
    await fixture.apply(resource('board', { value: 2 }), motor);
    expect(builds(fixture, 'motor')).toBe(2);
    expect(state(fixture, 'motor')).toMatchObject({ kind: 'failed', attempts: 1 });
  });

  it('an optional dependency that goes away is such a change', async () => {
    const fixture = new GraphFixture();
    const user = resource('user', { uses: ['extra'], build: 'user-error' });
    await fixture.apply(resource('extra'), user);
    expect(builds(fixture, 'user')).toBe(1);
    await fixture.apply(user);
    expect(builds(fixture, 'user')).toBe(2);
  });

  it('a failed resource closes nothing and blocks nothing unrelated', async () => {
    const fixture = new GraphFixture();
    await fixture.apply(resource('bad', { build: 'throw' }), resource('good'));
    await fixture.pass(120_000, 1_000);
    expect(fixture.world.events.filter((event) => event.endsWith('good'))).toEqual(['build good', 'built good']);
  });
});

describe('a constructor that does not return', () => {
  it('fails as timed out and still running, and its plan settles', async () => {
    const fixture = new GraphFixture();
    const startedAt = new Date(fixture.clock.now()).toISOString();
    const result = fixture.start(resource('a', { build: 'hang' }), resource('b', { needs: ['a'] }));
    await fixture.pass(60_000, 1_000);
    const { statuses } = await result;
    expect(statuses.map(({ name, state }) => [name, state.kind])).toEqual([
      ['a', 'failed'],
      ['b', 'waiting'],
    ]);
    expect(fixture.reason('a')).toBe(`timed out after 60 s; still running since ${startedAt}`);
    expect(fixture.reason('b')).toContain('timed out after 60 s');
  });

  it('is not started again before it returned, whatever happens', async () => {
    const fixture = new GraphFixture();
    await fixture.apply(resource('a', { build: 'hang' }));
    await fixture.pass(600_000, 10_000);
    await fixture.apply(resource('a', { build: 'ok' }));
    expect(fixture.state('a')).toBe('failed');
    expect(fixture.reason('a')).toContain('an earlier build is still running since');
    await fixture.apply();
    expect(fixture.states()).toEqual({});
    await fixture.apply(resource('a', { build: 'ok' }));
    await fixture.pass(600_000, 10_000);
    expect(builds(fixture, 'a')).toBe(1);
    fixture.world.releaseAll();
    await settle();
    expect(fixture.state('a')).toBe('ready');
    expect(fixture.world.events).toEqual(['build a', 'built a', 'close a', 'closed a', 'build a', 'built a']);
    expect(fixture.world.violations).toEqual([]);
  });

  it('its instance is closed when it comes late, and the next try comes after a delay', async () => {
    const fixture = new GraphFixture();
    fixture.world.gate('a');
    await fixture.apply(resource('a'));
    await fixture.pass(75_000, 5_000);
    fixture.world.release('a');
    await settle();
    expect(fixture.world.events).toEqual(['build a', 'built a', 'close a', 'closed a']);
    expect(state(fixture, 'a')).toMatchObject({
      kind: 'failed',
      reason: 'timed out after 60 s',
      nextRetryAt: fixture.clock.now() + 1_000,
    });
    await fixture.pass(1_000);
    expect(fixture.state('a')).toBe('ready');
  });

  it('is told by its signal that its time is over', async () => {
    const fixture = new GraphFixture({ resourceTimeoutMs: 500 });
    await fixture.apply(resource('a', { build: 'hang-until-abort' }));
    await fixture.pass(500);
    expect(state(fixture, 'a')).toMatchObject({ kind: 'failed', reason: 'timed out after 0.5 s', attempts: 1 });
  });

  it('is told by its signal that it is no longer wanted; the new one starts when it gave up', async () => {
    const fixture = new GraphFixture();
    await fixture.apply(resource('a', { build: 'hang-until-abort' }));
    await fixture.apply(resource('a', { build: 'ok' }));
    expect(fixture.state('a')).toBe('ready');
    expect(fixture.world.events).toEqual(['build a', 'build a', 'built a']);
  });

  it('does not keep what it depends on from being rebuilt for longer than a close may take', async () => {
    const fixture = new GraphFixture({ closeTimeoutMs: 3_000 });
    const motor = resource('motor', { needs: ['board'], build: 'hang' });
    await fixture.apply(resource('board', { value: 1 }), motor);
    await fixture.apply(resource('board', { value: 2 }), motor);
    expect(fixture.state('board')).toBe('configuring');
    await fixture.pass(3_000);
    expect(fixture.state('board')).toBe('ready');
    expect(fixture.world.alive[0]?.attributes.value).toBe(2);
  });

  it('warns after 2 s, 5 s and then every 5 s, until its time is over', async () => {
    const fixture = new GraphFixture({ resourceTimeoutMs: 17_000 });
    await fixture.apply(resource('a', { build: 'hang' }));
    await fixture.pass(60_000, 500);
    const slow = fixture.world.lines.filter(({ message }) => message.includes('takes long'));
    expect(slow.map(({ message }) => /([\d.]+ s) so far/.exec(message)?.[1])).toEqual(['2 s', '5 s', '10 s', '15 s']);
    expect(slow[0]?.name).toBe(`${API}/a`);
  });
});

describe('a close that goes wrong', () => {
  it('one that hangs is given up on with a warning, and the rest goes on', async () => {
    const fixture = new GraphFixture({ closeTimeoutMs: 1_000 });
    await fixture.apply(resource('a', { close: 'hang' }), resource('b', { value: 1 }), resource('c', { needs: ['a'] }));
    fixture.takeEvents();
    await fixture.apply(resource('b', { value: 2 }));
    expect(fixture.state('b')).toBe('ready');
    expect(fixture.state('a')).toBe('removing');
    await fixture.pass(1_000);
    expect(fixture.states()).toEqual({ b: 'ready' });
    expect(fixture.world.lines.filter(({ level }) => level === 'warn').map(({ message }) => message)).toEqual([
      'Closing generic a did not end within 1 s; going on without it.',
    ]);
  });

  it('one that throws is logged, and what comes after it happens', async () => {
    const fixture = new GraphFixture();
    await fixture.apply(resource('a', { close: 'throw', value: 1 }));
    await fixture.apply(resource('a', { value: 2 }));
    expect(fixture.state('a')).toBe('ready');
    expect(fixture.world.lines.some(({ message }) => message.includes('the port is gone'))).toBe(true);
  });

  it('independent resources close at the same time', async () => {
    const fixture = new GraphFixture({ closeTimeoutMs: 1_000 });
    const names = ['a', 'b', 'c'];
    await fixture.apply(...names.map((name) => resource(name, { close: 'hang' })));
    fixture.takeEvents();
    await fixture.apply();
    expect(fixture.takeEvents()).toEqual(['close a', 'close b', 'close c']);
    await fixture.pass(1_000);
    expect(fixture.states()).toEqual({});
  });
});
