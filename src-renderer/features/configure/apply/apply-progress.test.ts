import { describe, expect, it } from 'vitest';
import { Resource_State } from '../../../../proto/gen/core/status/v1/status.ts';
import type { ConfigPlan, PlanChangeKind } from '../../../shared/machine/machine-view.ts';
import { resourceOf } from '../../../shared/machine/resource.fixture.ts';
import { stateName } from '../../../shared/machine/rpc/status-merge.ts';
import { progressRows } from './apply-progress.ts';

const full = (name: string): string => `core:component:motor/${name}`;
const plan = (changes: Readonly<Record<string, PlanChangeKind>>): ConfigPlan => ({
  resources: Object.entries(changes).map(([name, kind]) => ({
    kind,
    name: full(name),
    reason: '',
    fields: [],
    stopsMotion: false,
    renamedFrom: '',
  })),
  modules: [],
  settings: [],
  summary: '',
  problems: [],
});
const shown = (...given: Parameters<typeof progressRows>): string[] =>
  progressRows(...given).map(
    ({ name, state, isDone }) => `${name} ${state === 'gone' ? state : stateName(state)}${isDone ? ' done' : ''}`,
  );

describe('the progress of an apply', () => {
  it('has the resources of the plan, worst first, and no others', () => {
    const resources = [
      resourceOf('a'),
      resourceOf('b', { state: Resource_State.FAILED }),
      resourceOf('c', { state: Resource_State.WAITING }),
      resourceOf('other', { state: Resource_State.FAILED }),
    ];
    expect(shown(plan({ a: 'change', b: 'rebuild', c: 'rebuild' }), undefined, resources)).toEqual([
      'b failed',
      'c waiting',
      'a ready done',
    ]);
  });

  it('counts an added resource as not done before it is ready, a removed one as done when it is gone', () => {
    const changes = plan({ new: 'add', old: 'remove' });
    expect(shown(changes, undefined, [resourceOf('old')])).toEqual(['new unconfigured', 'old ready']);
    expect(shown(changes, undefined, [resourceOf('new')])).toEqual(['new ready done', 'old gone done']);
  });

  it('has the resources that the trial waits for too, also on a page that did not apply', () => {
    const trial = { endsAt: 0, awaited: [full('c')] };
    expect(progressRows(undefined, trial, [resourceOf('c', { state: Resource_State.FAILED })])).toMatchObject([
      { name: 'c', isAwaited: true },
    ]);
    expect(shown(plan({ c: 'rebuild' }), trial, [resourceOf('c', { state: Resource_State.FAILED })])).toEqual([
      'c failed',
    ]);
  });
});
