import { describe, expect, it } from 'vitest';
import {
  API,
  COEXISTING_MODEL,
  GraphFixture,
  resource,
  settle,
  type FakeAttributes,
  type FakeInstance,
} from './testing/graph-fixture.ts';
import type { ModelSource } from './building/desired.ts';
import type { ResourceConfig } from '../catalog/resource-config.ts';
import type { CatalogEntry } from '../catalog/model.ts';

function sensor(attributes: FakeAttributes = {}): ResourceConfig {
  return resource('sensor', attributes, { model: COEXISTING_MODEL });
}

/** The instance that calls reach now. */
function answering(fixture: GraphFixture): FakeInstance {
  const target = fixture.graph.find(API, 'sensor');
  if (target.kind !== 'local') throw new Error('not a local resource');
  return target.resource as FakeInstance;
}

/** A running sensor of value 1, whose successor is being built until `release('sensor')`. */
async function renewing(change: FakeAttributes = {}, before: FakeAttributes = {}): Promise<GraphFixture> {
  const fixture = new GraphFixture();
  await fixture.apply(sensor({ value: 1, ...before }));
  fixture.takeEvents();
  fixture.world.gate('sensor');
  await fixture.apply(sensor({ value: 2, ...change }));
  expect(fixture.takeEvents()).toEqual(['build sensor']);
  expect(answering(fixture).attributes.value).toBe(1);
  return fixture;
}

/** Closes the graph, then checks that every instance ever built was closed exactly once and that no timer is left. */
async function expectNothingLeft(fixture: GraphFixture): Promise<void> {
  const closed = fixture.graph.close();
  await settle();
  expect(await closed).toEqual({ unclosed: [] });
  expect(fixture.world.alive).toEqual([]);
  expect(fixture.world.violations).toEqual([]);
  expect(fixture.clock.pending).toBe(0);
}

describe('a rebuild where two instances may coexist', () => {
  it('leaves no gap: at every step of it a call is answered, at last by the new instance', async () => {
    const fixture = await renewing();
    expect(fixture.state('sensor')).toBe('configuring');
    expect(fixture.reason('sensor')).toContain('the previous instance answers');
    fixture.world.release('sensor');
    const answers: (number | undefined)[] = [];
    for (let step = 0; step < 100; step++) {
      const { attributes, isClosed } = answering(fixture);
      expect(isClosed).toBe(false);
      answers.push(attributes.value);
      await Promise.resolve();
    }
    expect([...new Set(answers)]).toEqual([1, 2]);
    expect(fixture.takeEvents()).toEqual(['built sensor', 'close sensor', 'closed sensor']);
    expect(fixture.state('sensor')).toBe('ready');
    await expectNothingLeft(fixture);
  });

  it('closes the old instance after the new one is there; the plan is applied when it is closed', async () => {
    const fixture = await renewing({}, { close: 'hang' });
    fixture.world.release('sensor');
    await settle();
    expect(fixture.takeEvents()).toEqual(['built sensor', 'close sensor']);
    expect(answering(fixture).attributes.value).toBe(2);
    expect(fixture.state('sensor')).toBe('ready');
    expect(fixture.graph.appliedRevision).toBe('r1');
    await fixture.pass(10_000);
    expect(fixture.graph.appliedRevision).toBe('r2');
    expect(fixture.world.lines.some(({ message }) => message.includes('did not end within 10 s'))).toBe(true);
    await expectNothingLeft(fixture);
  });

  it.each([
    ['fails', 'throw', 0, 'no answer from the chip'],
    ['refuses its attributes', 'user-error', 0, 'pin 99 does not exist'],
    ['never returns', 'hang', 60_000, 'timed out after 60 s'],
  ] as const)('a constructor that %s leaves it failed, and the old one closed', async (_t, build, ms, reason) => {
    const fixture = await renewing({ build });
    fixture.world.release('sensor');
    await fixture.pass(ms);
    await settle();
    expect(fixture.takeEvents()).toEqual(['close sensor', 'closed sensor']);
    expect(fixture.state('sensor')).toBe('failed');
    expect(fixture.reason('sensor')).toContain(reason);
    expect(() => answering(fixture)).toThrow(reason);
    expect(fixture.graph.appliedRevision).toBe('r2');
    fixture.world.releaseAll();
    await settle();
    await expectNothingLeft(fixture);
  });

  it('after a failure the next try waits until the old one is closed', async () => {
    const fixture = await renewing({ build: 'throw' }, { close: 'hang' });
    fixture.world.release('sensor');
    await settle();
    await fixture.pass(9_000, 1_000);
    expect(fixture.takeEvents()).toEqual(['close sensor']);
    await fixture.pass(1_000);
    expect(fixture.takeEvents()).toEqual(['build sensor']);
    await expectNothingLeft(fixture);
  });

  it('a change during the swap withdraws that build; the old one answers until the newest is built', async () => {
    const fixture = await renewing();
    await fixture.apply(sensor({ value: 3 }));
    expect(fixture.takeEvents()).toEqual([]);
    expect(answering(fixture).attributes.value).toBe(1);
    fixture.world.release('sensor');
    const answers: (number | undefined)[] = [];
    for (let step = 0; step < 100; step++) {
      answers.push(answering(fixture).attributes.value);
      await Promise.resolve();
    }
    expect([...new Set(answers)]).toEqual([1, 3]);
    expect(fixture.takeEvents()).toEqual([
      'built sensor',
      'close sensor',
      'closed sensor',
      'build sensor',
      'built sensor',
      'close sensor',
      'closed sensor',
    ]);
    expect(fixture.world.alive.map(({ attributes }) => attributes.value)).toEqual([3]);
    await expectNothingLeft(fixture);
  });

  it('a withdrawn constructor that never returns ends the old instance with its time, not before', async () => {
    const fixture = await renewing({ build: 'hang' });
    fixture.world.release('sensor');
    await fixture.apply(sensor({ value: 3 }));
    await fixture.pass(9_999);
    expect(answering(fixture).attributes.value).toBe(1);
    await fixture.pass(1);
    expect(fixture.takeEvents()).toEqual(['close sensor', 'closed sensor']);
    expect(fixture.reason('sensor')).toContain('an earlier build is still running');
    fixture.world.releaseAll();
    await settle();
    expect(answering(fixture).attributes.value).toBe(3);
    await expectNothingLeft(fixture);
  });

  it('a change while the old one closes waits for it: never three', async () => {
    const fixture = await renewing({}, { close: 'hang' });
    fixture.world.release('sensor');
    await settle();
    fixture.takeEvents();
    await fixture.apply(sensor({ value: 3 }));
    expect(fixture.takeEvents()).toEqual([]);
    expect(fixture.state('sensor')).toBe('configuring');
    expect(answering(fixture).attributes.value).toBe(2);
    await fixture.pass(10_000);
    expect(fixture.takeEvents()).toEqual(['build sensor', 'built sensor', 'close sensor', 'closed sensor']);
    expect(answering(fixture).attributes.value).toBe(3);
    await expectNothingLeft(fixture);
  });

  it('removed during the swap, the old one closes at once and the new one as soon as it is there', async () => {
    const fixture = await renewing();
    await fixture.apply();
    expect(fixture.takeEvents()).toEqual(['close sensor', 'closed sensor']);
    expect(fixture.state('sensor')).toBe('removing');
    expect(() => answering(fixture)).toThrow('it is being removed');
    fixture.world.release('sensor');
    await settle();
    expect(fixture.takeEvents()).toEqual(['built sensor', 'close sensor', 'closed sensor']);
    expect(fixture.state('sensor')).toBe('gone');
    await expectNothingLeft(fixture);
  });

  it('close() during the swap stops the instance that runs, then closes both', async () => {
    const fixture = await renewing();
    const closed = fixture.graph.close();
    await settle();
    expect(fixture.takeEvents()).toEqual(['stop sensor', 'close sensor', 'closed sensor']);
    fixture.world.release('sensor');
    expect(await closed).toEqual({ unclosed: [] });
    expect(fixture.takeEvents()).toEqual(['built sensor', 'close sensor', 'closed sensor']);
    await expectNothingLeft(fixture);
  });

  it('close() puts nothing new in the place of what it is stopping', async () => {
    const fixture = await renewing({}, { stop: 'hang' });
    const closed = fixture.graph.close();
    fixture.world.release('sensor');
    await settle();
    expect(fixture.takeEvents()).toEqual(['stop sensor', 'built sensor', 'close sensor', 'closed sensor']);
    expect(answering(fixture).attributes.value).toBe(1);
    await fixture.pass(2_000);
    expect(await closed).toEqual({ unclosed: [] });
    await expectNothingLeft(fixture);
  });

  it('a dependency that goes takes both with it before it closes', async () => {
    const fixture = new GraphFixture();
    await fixture.apply(resource('board'), sensor({ needs: ['board'], value: 1 }));
    fixture.world.gate('sensor');
    await fixture.apply(resource('board'), sensor({ needs: ['board'], value: 2 }));
    fixture.takeEvents();
    await fixture.apply(sensor({ needs: ['board'], value: 2 }));
    expect(fixture.takeEvents()).toEqual(['close sensor', 'closed sensor']);
    fixture.world.release('sensor');
    await settle();
    expect(fixture.takeEvents()).toEqual([
      'built sensor',
      'close sensor',
      'closed sensor',
      'close board',
      'closed board',
    ]);
    expect(fixture.state('sensor')).toBe('waiting');
    await expectNothingLeft(fixture);
  });

  it('a dependency closes after both, also where the old one hangs while it closes', async () => {
    const fixture = new GraphFixture();
    await fixture.apply(resource('board'), sensor({ needs: ['board'], close: 'hang' }));
    fixture.takeEvents();
    await fixture.apply(resource('board'), sensor({ needs: ['board'], build: 'user-error' }));
    expect(fixture.takeEvents()).toEqual(['build sensor', 'close sensor']);
    await fixture.apply();
    await fixture.pass(9_999);
    expect(fixture.takeEvents()).toEqual([]);
    expect(fixture.states()).toEqual({ board: 'removing', sensor: 'removing' });
    await fixture.pass(1);
    expect(fixture.takeEvents()).toEqual(['close board', 'closed board']);
    expect(fixture.states()).toEqual({});
    await expectNothingLeft(fixture);
  });

  it('is not gone before the old one is closed, though its constructor is given up on', async () => {
    const fixture = await renewing({ build: 'hang' }, { close: 'hang' });
    fixture.world.release('sensor');
    await fixture.pass(60_000);
    expect(fixture.takeEvents()).toEqual(['close sensor']);
    await fixture.apply();
    expect(fixture.state('sensor')).toBe('removing');
    await fixture.pass(10_000);
    expect(fixture.state('sensor')).toBe('gone');
    fixture.world.releaseAll();
    await settle();
    await expectNothingLeft(fixture);
  });

  it('an optional dependency that goes takes the old one with it at once', async () => {
    const fixture = new GraphFixture();
    await fixture.apply(resource('board'), sensor({ uses: ['board'], value: 1 }));
    fixture.world.gate('sensor');
    await fixture.apply(resource('board'), sensor({ uses: ['board'], value: 2 }));
    fixture.takeEvents();
    await fixture.apply(sensor({ uses: ['board'], value: 2 }));
    expect(fixture.takeEvents()).toEqual(['close sensor', 'closed sensor']);
    fixture.world.release('sensor');
    await settle();
    expect(fixture.state('sensor')).toBe('ready');
    expect(answering(fixture).dependencies).toEqual([]);
    await expectNothingLeft(fixture);
  });

  it('another entry for its model during the swap ends the old one at once', async () => {
    const newer: CatalogEntry[] = [];
    const catalog: ModelSource = { find: (api, model) => newer[0] ?? fixture.world.catalog.find(api, model) };
    const fixture: GraphFixture = new GraphFixture({ catalog });
    await fixture.apply(sensor({ value: 1 }));
    fixture.world.gate('sensor');
    await fixture.apply(sensor({ value: 2 }));
    fixture.takeEvents();
    newer.push({ ...fixture.world.coexistingEntry });
    fixture.graph.catalogChanged();
    await settle();
    expect(fixture.takeEvents()).toEqual(['close sensor', 'closed sensor']);
    fixture.world.release('sensor');
    await settle();
    expect(answering(fixture).attributes.value).toBe(2);
    await expectNothingLeft(fixture);
  });

  it('one that did not take a change is replaced even where the change is taken back during the swap', async () => {
    const fixture = new GraphFixture();
    await fixture.apply(sensor({ limit: 1, change: 'throw' }));
    fixture.world.gate('sensor');
    await fixture.apply(sensor({ limit: 2, change: 'throw' }));
    await fixture.apply(sensor({ limit: 1, change: 'throw' }));
    const [first] = fixture.world.instances;
    expect(answering(fixture)).toBe(first);
    fixture.world.release('sensor');
    await settle();
    expect(answering(fixture)).not.toBe(first);
    expect(answering(fixture).limit).toBe(1);
    await expectNothingLeft(fixture);
  });

  it('what would use it waits for the new instance', async () => {
    const fixture = await renewing();
    const arm = resource('arm', { needs: ['sensor'] });
    await fixture.apply(sensor({ value: 2 }), arm);
    expect(fixture.state('arm')).toBe('waiting');
    fixture.world.release('sensor');
    await settle();
    expect(fixture.state('arm')).toBe('ready');
    const [used] = fixture.world.alive.find(({ name }) => name === 'arm')!.dependencies;
    expect(used?.attributes.value).toBe(2);
    await expectNothingLeft(fixture);
  });
});

describe('a rebuild that closes first', () => {
  const closeFirst = ['close sensor', 'closed sensor', 'build sensor', 'built sensor'];

  it('of a model that may not coexist', async () => {
    const fixture = new GraphFixture();
    await fixture.apply(resource('sensor', { value: 1 }));
    fixture.takeEvents();
    await fixture.apply(resource('sensor', { value: 2 }));
    expect(fixture.takeEvents()).toEqual(closeFirst);
    await expectNothingLeft(fixture);
  });

  it('of a resource that becomes another model', async () => {
    const fixture = new GraphFixture();
    await fixture.apply(resource('sensor', { value: 1 }));
    fixture.takeEvents();
    await fixture.apply(sensor({ value: 1 }));
    expect(fixture.takeEvents()).toEqual(closeFirst);
    await expectNothingLeft(fixture);
  });

  it('of what others run with, dependents before it', async () => {
    const fixture = new GraphFixture();
    const arm = resource('arm', { needs: ['sensor'] });
    await fixture.apply(sensor({ value: 1 }), arm);
    fixture.takeEvents();
    await fixture.apply(sensor({ value: 2 }), arm);
    expect(fixture.takeEvents()).toEqual(['close arm', 'closed arm', ...closeFirst, 'build arm', 'built arm']);
    await expectNothingLeft(fixture);
  });

  it('where a dependency is another instance now', async () => {
    const fixture = new GraphFixture();
    await fixture.apply(resource('board', { value: 1 }), sensor({ needs: ['board'] }));
    fixture.takeEvents();
    await fixture.apply(resource('board', { value: 2 }), sensor({ needs: ['board'], value: 2 }));
    expect(fixture.takeEvents()).toEqual([
      'close sensor',
      'closed sensor',
      'close board',
      'closed board',
      'build board',
      'built board',
      'build sensor',
      'built sensor',
    ]);
    await expectNothingLeft(fixture);
  });
});
