import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Resource_State } from '../../../../proto/gen/core/status/v1/status.ts';
import { resourceOf } from '../../../shared/machine/resource.fixture.ts';
import { isCause, stateGroups } from './state-groups.ts';

const states = [Resource_State.READY, Resource_State.FAILED, Resource_State.WAITING, Resource_State.DISABLED] as const;
const apis = ['core:component:motor', 'core:component:sensor', 'core:service:vision'] as const;

describe('the cause of what is not ready', () => {
  it('is what failed, and what waits for something that is no resource', () => {
    const bench = resourceOf('bench', { state: Resource_State.FAILED });
    const left = resourceOf('left', { state: Resource_State.WAITING, waitingFor: [bench.name] });
    const hoist = resourceOf('hoist', { state: Resource_State.WAITING, waitingFor: ['module/acme'] });
    const all = [bench, left, hoist, resourceOf('fine')];
    expect(all.filter((each) => isCause(each, all)).map(({ name }) => name)).toEqual([bench.name, hoist.name]);
  });
});

describe('the groups of many resources', () => {
  it('begin with what failed, and say how many are in each state', () => {
    const motors = Array.from({ length: 12 }, (_, index) => resourceOf(`m${index}`));
    const sensors = ['b', 'a'].map((name, index) =>
      resourceOf(name, {
        api: 'core:component:sensor',
        state: index === 0 ? Resource_State.READY : Resource_State.FAILED,
      }),
    );
    const groups = stateGroups([...motors, ...sensors]);
    expect(groups.map(({ kind, tone }) => [kind, tone])).toEqual([
      ['sensor', 'bad'],
      ['motor', 'ok'],
    ]);
    expect(groups[0]?.counts).toEqual([
      { state: 'failed', count: 1 },
      { state: 'ready', count: 1 },
    ]);
    expect(groups[0]?.resources.map(({ name }) => name.split('/')[1])).toEqual(['a', 'b']);
    expect(groups[1]?.resources.at(2)?.name).toContain('/m2');
  });

  it('have every resource once', () => {
    const any = fc.array(fc.tuple(fc.constantFrom(...apis), fc.constantFrom(...states)), { maxLength: 200 });
    fc.assert(
      fc.property(any, (all) => {
        const resources = all.map(([api, state], index) => resourceOf(`r${index}`, { api, state }));
        const groups = stateGroups(resources);
        expect(groups.flatMap((group) => group.resources.map(({ name }) => name)).sort()).toEqual(
          resources.map(({ name }) => name).sort(),
        );
        for (const group of groups) {
          expect(group.counts.reduce((sum, { count }) => sum + count, 0)).toBe(group.resources.length);
          expect(group.tone === 'bad').toBe(group.resources.some(({ state }) => state === Resource_State.FAILED));
        }
      }),
      { numRuns: 50 },
    );
  });
});
