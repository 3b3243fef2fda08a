import { describe, expect, it } from 'vitest';
import type { ConfigPlan, PlanChangeKind, ResourceView } from '../../../shared/machine/machine-view.ts';
import { progressRows } from './apply-progress.ts';

const full = (name: string): string => `core:component:motor/${name}`;
const view = (name: string, state: ResourceView['state']): ResourceView => ({
  fullName: full(name),
  name,
  api: 'core:component:motor',
  model: 'core:builtin:gpio',
  state,
  reason: '',
  since: 0,
  attempts: 0,
  waitingFor: [],
  dependsOn: [],
  nextTryAt: 0,
});
const plan = (changes: Readonly<Record<string, PlanChangeKind>>): ConfigPlan => ({
  resources: Object.entries(changes).map(([name, kind]) => ({
    kind,
    name: full(name),
    reason: '',
    fields: [],
    stopsMotion: false,
  })),
  modules: [],
  settings: [],
  summary: '',
  problems: [],
});
const shown = (...given: Parameters<typeof progressRows>): string[] =>
  progressRows(...given).map(({ name, state, isDone }) => `${name} ${state}${isDone ? ' done' : ''}`);

describe('what an apply touches', () => {
  it('comes from the plan, worst first; what the plan leaves alone is not there', () => {
    const resources = [view('a', 'ready'), view('b', 'failed'), view('c', 'waiting'), view('other', 'failed')];
    expect(shown(plan({ a: 'change', b: 'rebuild', c: 'rebuild' }), undefined, resources)).toEqual([
      'b failed',
      'c waiting',
      'a ready done',
    ]);
  });

  it('counts an added one that has not begun as open, a removed one as done when it is gone', () => {
    const changes = plan({ new: 'add', old: 'remove' });
    expect(shown(changes, undefined, [view('old', 'ready')])).toEqual(['new unconfigured', 'old ready']);
    expect(shown(changes, undefined, [view('new', 'ready')])).toEqual(['new ready done', 'old gone done']);
  });

  it('has what the way back depends on too, also on a page that did not apply', () => {
    const trial = { endsAt: 0, awaited: [full('c')] };
    expect(progressRows(undefined, trial, [view('c', 'failed')])).toMatchObject([{ name: 'c', isAwaited: true }]);
    expect(shown(plan({ c: 'rebuild' }), trial, [view('c', 'failed')])).toEqual(['c failed']);
  });
});
