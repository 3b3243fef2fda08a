import { describe, expect, it } from 'vitest';
import { API, GraphFixture, resource, settle } from './testing/graph-fixture.ts';

describe('a resource whose attributes name a package', () => {
  const make = () => {
    const absent = new Map([['parts', { reason: '1.0.0 is downloading', isUnderWay: true }]]);
    const fixture = new GraphFixture({ packages: { absenceOf: (name) => absent.get(name) } });
    return { absent, fixture };
  };
  const eye = resource('eye', {}, { packages: ['parts'] });

  it('waits for it, says so, and is built when it is there; the others do not wait', async () => {
    const { absent, fixture } = make();
    await fixture.apply(eye, resource('free'));
    expect(fixture.states()).toEqual({ eye: 'waiting', free: 'ready' });
    expect(fixture.reason('eye')).toBe('waiting for the package parts: 1.0.0 is downloading');
    expect(fixture.graph.status(`${API}/eye`)?.state).toMatchObject({ for: ['package/parts'], isUnderWay: true });
    absent.set('parts', { reason: 'the hub is away', isUnderWay: false });
    fixture.graph.packageChanged('parts', false);
    await settle();
    expect(fixture.reason('eye')).toBe('waiting for the package parts: the hub is away');
    absent.clear();
    fixture.graph.packageChanged('parts', true);
    await settle();
    expect(fixture.states()).toEqual({ eye: 'ready', free: 'ready' });
    expect(fixture.world.instances).toHaveLength(2);
  });

  it('is built anew when its files are others, and nothing else is', async () => {
    const { absent, fixture } = make();
    absent.clear();
    await fixture.apply(eye, resource('free'));
    fixture.takeEvents();
    fixture.graph.packageChanged('other', true);
    fixture.graph.packageChanged('parts', false);
    await settle();
    expect(fixture.takeEvents()).toEqual([]);
    fixture.graph.packageChanged('parts', true);
    await settle();
    expect(fixture.takeEvents()).toEqual(['close eye', 'closed eye', 'build eye', 'built eye']);
  });
});
