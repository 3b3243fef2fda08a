import { describe, expect, it } from 'vitest';
import type { ConfigPlan, PlannedResource } from '../../../shared/machine/machine-view.ts';
import { createTexts } from '../../../shared/text.ts';
import { planSentences } from './plan-sentences.ts';

const t = createTexts();
const nothing: ConfigPlan = { resources: [], modules: [], settings: [], summary: '', problems: [] };
const change = (kind: PlannedResource['kind'], name: string, stopsMotion = false): PlannedResource => ({
  kind,
  name: `core:component:motor/${name}`,
  reason: '',
  fields: [],
  stopsMotion,
  renamedFrom: '',
});

describe('a plan in sentences', () => {
  it('says what changes, what is rebuilt, and that nothing stops', () => {
    const plan = { ...nothing, resources: [change('change', 'left'), change('rebuild', 'cam')] };
    expect(planSentences(plan, t)).toEqual({
      calm: ['left changes without stopping.', 'cam restarts.', 'No module restarts.', 'Nothing that is moving stops.'],
      warnings: [],
      stops: false,
    });
  });

  it('tells a renamed resource once', () => {
    const old = change('remove', 'left');
    const plan = { ...nothing, resources: [old, { ...change('add', 'port'), renamedFrom: old.name }] };
    expect(planSentences(plan, t).calm).toEqual([
      'The new name restarts it: left → port.',
      'No module restarts.',
      'Nothing that is moving stops.',
    ]);
  });

  it('warns of what stops and of modules that restart', () => {
    const plan: ConfigPlan = {
      ...nothing,
      resources: [change('rebuild', 'left', true), change('remove', 'right', true), change('add', 'cam')],
      modules: [
        { kind: 'restart', name: 'acme', reason: '' },
        { kind: 'remove', name: 'old', reason: '' },
      ],
      settings: [{ key: 'network.bind_address', reason: '', needsRestart: true }],
    };
    expect(planSentences(plan, t)).toEqual({
      calm: [
        'left restarts.',
        'cam is added.',
        'right is removed.',
        'Module old is stopped.',
        'The setting network.bind_address changes when the server restarts.',
      ],
      warnings: ['Module acme restarts, and with it everything it serves.', 'left and right stop if they are moving.'],
      stops: true,
    });
  });

  it('lists three of many names and counts the others', () => {
    const many = { ...nothing, resources: ['a', 'b', 'c', 'd', 'e'].map((name) => change('add', name)) };
    expect(planSentences(many, t).calm[0]).toBe('a, b, c and 2 more are added.');
    const four = { ...nothing, resources: ['a', 'b', 'c', 'd'].map((name) => change('add', name)) };
    expect(planSentences(four, t).calm[0]).toBe('a, b, c and d are added.');
  });

  it('says if no resource is affected', () => {
    expect(planSentences(nothing, t).calm[0]).toBe('No resource is affected.');
  });
});
