import { describe, expect, it } from 'vitest';
import type { ConfigPlan, PlannedResource } from '../machine/machine-view.ts';
import { createTexts } from '../text.ts';
import { presentPlan as presented } from './plan-presentation.ts';

const text = createTexts();
const presentPlan = (plan: ConfigPlan, words: typeof text, runs = (): boolean => true): ReturnType<typeof presented> =>
  presented(plan, words, runs);

const planOf = (over: Partial<ConfigPlan>): ConfigPlan => ({
  resources: [],
  modules: [],
  settings: [],
  summary: '',
  problems: [],
  ...over,
});

const change = (
  kind: PlannedResource['kind'],
  name: string,
  stopsMotion = false,
  fields: readonly string[] = ['max_rpm'],
): PlannedResource => ({
  kind,
  name: `core:component:motor/${name}`,
  reason: 'max_rpm 100 to 120',
  fields,
  stopsMotion,
  renamedFrom: '',
});

describe('the plan in words', () => {
  it('names a single change in place, and says that nothing stops', () => {
    const shown = presentPlan(planOf({ resources: [change('change', 'left')], summary: 'left: 100 to 120' }), text);
    expect([shown.headline, shown.stopsLine, shown.isEmpty]).toEqual(['1 change to left', 'nothing stops', false]);
    expect(shown.groups).toMatchObject([
      { title: 'Changed in place', meaning: 'goes on running', rows: [{ name: 'left', reason: 'max_rpm 100 to 120' }] },
    ]);
  });

  it('counts the values that differ in one resource, and names them in the summary', () => {
    const resources = [change('change', 'left', false, ['max_rpm', 'pwm_freq'])];
    const shown = presentPlan(planOf({ resources, summary: 'left: max_rpm 100 to 120' }), text);
    expect([shown.headline, shown.summary]).toEqual(['2 changes to left', 'max_rpm 100 to 120']);
  });

  it('lists added, changed, rebuilt, removed, whatever the order of execution, and names what stops', () => {
    const resources = [change('remove', 'old', true), change('rebuild', 'left', true), change('add', 'new')];
    const shown = presentPlan(planOf({ resources }), text);
    expect(shown.groups.map((group) => group.kind)).toEqual(['add', 'rebuild', 'remove']);
    expect(shown.headline).toBe('1 added, 1 rebuilt, 1 removed');
    expect(shown.stopsLine).toBe('2 stop: old, left');
    expect(presentPlan(planOf({ resources: [change('remove', 'old', true)] }), text).stopsLine).toBe('old stops');
  });

  it('tells a renamed resource once, and that its old name stops', () => {
    const old = change('remove', 'left', true);
    const now = { ...change('add', 'port', false, []), renamedFrom: old.name, reason: 'settings unchanged' };
    const shown = presentPlan(planOf({ resources: [old, now], summary: 'left → port' }), text);
    expect(
      shown.groups.map(({ kind, rows }) => [kind, rows.map(({ name, reason, stops }) => [name, reason, stops])]),
    ).toEqual([['rename', [['left → port', 'settings unchanged', true]]]]);
    expect([shown.headline, shown.stopsLine]).toEqual(['Renamed: left → port', 'left stops']);
  });

  it('does not say that a resource stops that does not run', () => {
    const resources = [change('remove', 'old', true), change('rebuild', 'left', true)];
    const shown = presented(planOf({ resources }), text, (name) => name.endsWith('/left'));
    expect([shown.stopping, shown.stopsLine]).toEqual([['left'], 'left stops']);
    expect(shown.groups.flatMap(({ rows }) => rows.map(({ name, stops }) => [name, stops]))).toEqual([
      ['left', true],
      ['old', false],
    ]);
    expect(presented(planOf({ resources }), text, () => false).stopsLine).toBe('nothing stops');
  });

  it('does not repeat the headline: if the summary only counts, it lists the changes instead', () => {
    const resources = [change('add', 'a'), change('add', 'b'), change('add', 'c'), change('remove', 'd')];
    const shown = presentPlan(planOf({ resources, summary: '3 added, 1 removed' }), text);
    expect(shown.headline).toBe('3 added, 1 removed');
    expect(shown.summary).toBe('a: max_rpm 100 to 120 · b: max_rpm 100 to 120 · c: max_rpm 100 to 120 · +1');
    expect(presentPlan(planOf({ resources, summary: 'a, b and more' }), text).summary).toBe('a, b and more');
  });

  it('names modules that restart, and settings that wait for the next start', () => {
    const shown = presentPlan(
      planOf({
        modules: [{ kind: 'restart', name: 'acme', reason: 'env changed' }],
        settings: [
          { key: 'network', reason: 'bind_address changed', needsRestart: true },
          { key: 'remotes', reason: 'remotes: added bench-2', needsRestart: false },
        ],
      }),
      text,
    );
    expect(shown.groups.flatMap((group) => group.rows.map((row) => row.reason))).toEqual([
      'restarts, and with it everything it serves: env changed',
      'bind_address changed (after the next start of the server)',
      'added bench-2',
    ]);
    expect(shown.headline).toBe('1 module, 2 settings');
  });

  it('says so when only the text differs', () => {
    const shown = presentPlan(planOf({}), text);
    expect([shown.isEmpty, shown.headline]).toEqual([true, 'Only the text changes']);
  });
});
