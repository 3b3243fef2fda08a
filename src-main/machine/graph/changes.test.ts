import { describe, expect, it } from 'vitest';
import { API, GraphFixture, resource, settle } from './testing/graph-fixture.ts';

describe('changing what runs', () => {
  it('hands over new attributes in place; nothing closes', async () => {
    const fixture = new GraphFixture();
    const arm = resource('arm', { needs: ['motor'] });
    await fixture.apply(resource('motor', { limit: 100 }), arm);
    fixture.takeEvents();
    await fixture.apply(resource('motor', { limit: 120 }), arm);
    expect(fixture.takeEvents()).toEqual(['change motor']);
    expect(fixture.world.instances[0]?.limit).toBe(120);
    expect(fixture.states()).toEqual({ motor: 'ready', arm: 'ready' });
  });

  it('other notes or log levels never touch an instance, but are shown', async () => {
    const fixture = new GraphFixture();
    await fixture.apply(resource('motor'));
    fixture.takeEvents();
    await fixture.apply(resource('motor', {}, { notes: 'left wheel', logLevel: 'debug' }));
    expect(fixture.takeEvents()).toEqual([]);
    expect(fixture.graph.status(`${API}/motor`)?.notes).toBe('left wheel');
  });

  it.each([
    ['refuses', 'throw'],
    ['never answers', 'hang'],
  ] as const)('rebuilds, with its dependents, what %s the change', async (_title, change) => {
    const fixture = new GraphFixture();
    const arm = resource('arm', { needs: ['motor'] });
    await fixture.apply(resource('motor', { limit: 1, change }), arm);
    fixture.takeEvents();
    await fixture.apply(resource('motor', { limit: 2, change }), arm);
    await fixture.pass(60_000);
    expect(fixture.takeEvents()).toEqual([
      'change motor',
      'close arm',
      'closed arm',
      'close motor',
      'closed motor',
      'build motor',
      'built motor',
      'build arm',
      'built arm',
    ]);
    expect(fixture.world.alive.find(({ name }) => name === 'motor')?.limit).toBe(2);
  });

  it('closes dependents before a rebuild and builds them after it', async () => {
    const fixture = new GraphFixture();
    const rest = [resource('motor', { needs: ['board'] }), resource('arm', { needs: ['motor'] }), resource('free')];
    await fixture.apply(resource('board', { value: 1 }), ...rest);
    fixture.takeEvents();
    await fixture.apply(resource('board', { value: 2 }), ...rest);
    expect(fixture.takeEvents()).toEqual([
      'close arm',
      'closed arm',
      'close motor',
      'closed motor',
      'close board',
      'closed board',
      'build board',
      'built board',
      'build motor',
      'built motor',
      'build arm',
      'built arm',
    ]);
    expect(fixture.world.violations).toEqual([]);
  });

  it('leaves dependents alone where the plan expected a rebuild that did not change the instance', async () => {
    const fixture = new GraphFixture();
    const motor = resource('motor', { needs: ['board'] });
    await fixture.apply(resource('board'), motor);
    fixture.takeEvents();
    await fixture.graph.execute(
      {
        from: undefined,
        to: undefined as never,
        resources: [
          { kind: 'rebuild', name: 'motor', from: motor, to: motor, fields: [], reason: '', stopsMotion: true },
        ],
        modules: [],
        settings: [],
        summary: '',
      },
      'r2',
    );
    expect(fixture.takeEvents()).toEqual([]);
  });

  it('builds dependents once, not again for each failed build of what they wait for', async () => {
    const fixture = new GraphFixture();
    const motor = resource('motor', { needs: ['board'] });
    fixture.world.broken.add('board');
    await fixture.apply(resource('board'), motor);
    await fixture.pass(7_000, 1_000);
    fixture.world.broken.clear();
    await fixture.pass(60_000, 1_000);
    expect(fixture.takeEvents().filter((event) => event.endsWith('motor'))).toEqual(['build motor', 'built motor']);
  });

  it('rebuilds a resource whose dependencies are others', async () => {
    const fixture = new GraphFixture();
    const boards = [resource('one'), resource('two')];
    await fixture.apply(...boards, resource('motor', {}, { dependsOn: ['one'] }));
    fixture.takeEvents();
    await fixture.apply(...boards, resource('motor', {}, { dependsOn: ['two'] }));
    expect(fixture.takeEvents()).toEqual(['close motor', 'closed motor', 'build motor', 'built motor']);
  });

  it('the newest of two plans wins, resource by resource', async () => {
    const fixture = new GraphFixture();
    fixture.world.gate('a');
    const first = fixture.start(resource('a', { value: 1 }), resource('b', { value: 1 }));
    const second = fixture.start(resource('a', { value: 2 }), resource('b', { value: 1 }));
    expect(fixture.graph.desiredRevision).toBe('r2');
    await settle();
    expect(fixture.state('b')).toBe('ready');
    expect(fixture.graph.appliedRevision).toBe('');
    fixture.world.release('a');
    expect((await second).isSuperseded).toBe(false);
    expect((await first).isSuperseded).toBe(true);
    expect(fixture.world.alive.map(({ name, attributes }) => [name, attributes.value])).toEqual([
      ['b', 1],
      ['a', 2],
    ]);
    expect(fixture.graph.appliedRevision).toBe('r2');
    expect(fixture.world.violations).toEqual([]);
  });
});

describe('optional dependencies', () => {
  const user = resource('user', { uses: ['extra'] });
  const given = (fixture: GraphFixture) =>
    fixture.world.alive.find(({ name }) => name === 'user')?.dependencies.map(({ name }) => name);

  it('a resource is built without one and rebuilt when it appears, is rebuilt, and disappears', async () => {
    const fixture = new GraphFixture();
    await fixture.apply(user);
    expect(given(fixture)).toEqual([]);
    await fixture.apply(user, resource('extra', { value: 1 }));
    expect(given(fixture)).toEqual(['extra']);
    fixture.takeEvents();
    await fixture.apply(user, resource('extra', { value: 2 }));
    expect(fixture.takeEvents()).toEqual([
      'close user',
      'closed user',
      'close extra',
      'closed extra',
      'build extra',
      'built extra',
      'build user',
      'built user',
    ]);
    await fixture.apply(user);
    const closes = fixture.takeEvents().filter((event) => event.startsWith('close'));
    expect(closes).toEqual(['close user', 'closed user', 'close extra', 'closed extra']);
    expect(given(fixture)).toEqual([]);
    expect(fixture.world.violations).toEqual([]);
  });

  it('a resource that is not built yet waits for one that is being built, so as to be built once', async () => {
    const fixture = new GraphFixture();
    fixture.world.gate('extra');
    await fixture.apply(user, resource('extra'));
    expect(fixture.state('user')).toBe('waiting');
    fixture.world.release('extra');
    await settle();
    expect(given(fixture)).toEqual(['extra']);
    expect(fixture.takeEvents().filter((event) => event === 'build user')).toHaveLength(1);
  });

  it('a resource that runs goes on while one is being built', async () => {
    const fixture = new GraphFixture();
    await fixture.apply(user);
    fixture.world.gate('extra');
    await fixture.apply(user, resource('extra'));
    expect(fixture.state('user')).toBe('ready');
    expect(given(fixture)).toEqual([]);
    fixture.world.release('extra');
    await settle();
    expect(given(fixture)).toEqual(['extra']);
  });

  it('a resource is built without one that failed, and gets it when a retry succeeds', async () => {
    const fixture = new GraphFixture();
    fixture.world.broken.add('extra');
    await fixture.apply(user, resource('extra'));
    expect(fixture.states()).toEqual({ user: 'ready', extra: 'failed' });
    fixture.world.broken.clear();
    await fixture.pass(1_000);
    expect(given(fixture)).toEqual(['extra']);
  });

  it('two that name each other are built without, instead of being rebuilt for ever', async () => {
    const fixture = new GraphFixture();
    await fixture.apply(resource('a', { uses: ['b'] }), resource('b', { uses: ['a'] }));
    expect(fixture.states()).toEqual({ a: 'ready', b: 'ready' });
    expect(fixture.takeEvents()).toEqual(['build a', 'build b', 'built a', 'built b']);
    await fixture.apply(resource('a', { uses: ['b'] }), resource('b'));
    expect(fixture.world.alive.find(({ name }) => name === 'a')?.dependencies.map(({ name }) => name)).toEqual(['b']);
  });
});

describe('optional dependencies that change', () => {
  it('a build that was given one is withdrawn when that must close', async () => {
    const fixture = new GraphFixture();
    const user = resource('user', { uses: ['extra'], build: 'hang-until-abort' });
    await fixture.apply(resource('extra', { value: 1 }), user);
    expect(fixture.states()).toEqual({ extra: 'ready', user: 'configuring' });
    await fixture.apply(resource('extra', { value: 2 }), user);
    expect(fixture.states()).toEqual({ extra: 'ready', user: 'configuring' });
    expect(fixture.world.alive.map(({ attributes }) => attributes.value)).toEqual([2]);
    expect(fixture.takeEvents().filter((event) => event === 'build user')).toHaveLength(2);
  });

  it('one that comes to need the resource in turn is taken from it', async () => {
    const fixture = new GraphFixture();
    const user = resource('user', { uses: ['extra'] });
    await fixture.apply(user, resource('extra'));
    expect(fixture.graph.status(`${API}/user`)?.dependsOn).toEqual([`${API}/extra`]);
    await fixture.apply(user, resource('extra', { needs: ['user'] }));
    expect(fixture.states()).toEqual({ user: 'ready', extra: 'ready' });
    expect(fixture.graph.status(`${API}/user`)?.dependsOn).toEqual([]);
    await fixture.apply(user, resource('extra'));
    expect(fixture.graph.status(`${API}/user`)?.dependsOn).toEqual([`${API}/extra`]);
    expect(fixture.world.violations).toEqual([]);
  });
});

describe('revisions', () => {
  it('desired and applied revision are told apart while a change is carried out', async () => {
    const fixture = new GraphFixture();
    await fixture.apply(resource('a'));
    expect(fixture.graph.appliedRevision).toBe('r1');
    fixture.world.gate('b');
    await fixture.apply(resource('a'), resource('b'));
    expect([fixture.graph.desiredRevision, fixture.graph.appliedRevision]).toEqual(['r2', 'r1']);
    fixture.world.release('b');
    await settle();
    expect(fixture.graph.appliedRevision).toBe('r2');
  });

  it('what a plan does not touch is as the plan wants it', async () => {
    const fixture = new GraphFixture();
    await fixture.apply(resource('a'));
    await fixture.apply(resource('a'), resource('b', { build: 'throw' }));
    const revisions = fixture.graph.statuses().map(({ name, revision }) => [name, revision]);
    expect(revisions).toEqual([
      ['a', 'r2'],
      ['b', ''],
    ]);
  });
});
