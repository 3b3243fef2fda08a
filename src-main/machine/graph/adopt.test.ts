import { describe, expect, it } from 'vitest';
import { GraphFixture, resource, settle } from './testing/graph-fixture.ts';

describe('resources that no plan names', () => {
  it('are built, serve what depends on them, and go when they are not wanted any more', async () => {
    const fixture = new GraphFixture();
    await fixture.apply(resource('own', { needs: ['far'] }));
    expect(fixture.states()).toEqual({ own: 'waiting' });
    fixture.graph.adopt([resource('far')]);
    await settle();
    expect(fixture.states()).toEqual({ far: 'ready', own: 'ready' });
    fixture.graph.adopt([]);
    await settle();
    expect(fixture.states()).toEqual({ own: 'waiting' });
  });

  it('give way to what a plan names, and come back when that is gone', async () => {
    const fixture = new GraphFixture();
    await fixture.apply();
    fixture.graph.adopt([resource('left', { value: 1 })]);
    await settle();
    await fixture.apply(resource('left', { value: 2 }));
    fixture.graph.adopt([resource('left', { value: 1 })]);
    await settle();
    expect(fixture.world.alive.map(({ attributes }) => attributes.value)).toEqual([2]);
    await fixture.apply();
    fixture.graph.adopt([resource('left', { value: 1 })]);
    await settle();
    expect(fixture.world.alive.map(({ attributes }) => attributes.value)).toEqual([1]);
    expect(fixture.world.violations).toEqual([]);
  });

  it('are left alone when the same are wanted again', async () => {
    const fixture = new GraphFixture();
    await fixture.apply();
    fixture.graph.adopt([resource('left'), resource('right')]);
    await settle();
    fixture.takeEvents();
    fixture.graph.adopt([resource('left'), resource('right')]);
    await settle();
    expect(fixture.takeEvents()).toEqual([]);
  });
});
