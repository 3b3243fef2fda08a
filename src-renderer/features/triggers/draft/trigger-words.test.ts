import { expect, it } from 'vitest';
import { createTexts } from '../../../shared/text.ts';
import { readForm } from './trigger-form.ts';
import { eventWords, valueWords } from './trigger-words.ts';

const t = createTexts();
const words = (event: unknown) => eventWords({ form: readForm({ event }) }, t);

it('describes in one line what a trigger waits for', () => {
  expect(words({ type: 'part_offline' })).toBe('this machine goes offline');
  expect(words({ type: 'part_data_ingested', data_ingested: { data_types: ['binary', 'tabular'] } })).toBe(
    'pictures, readings are synced',
  );
  const on = (evals: readonly unknown[], data_capture_method = 'sensor:tank:Readings') =>
    words({ type: 'conditional_data_ingested', conditional: { data_capture_method, conditions: { evals } } });
  const cpu = { operator: 'gt', value: { cpu: 50 } };
  expect(on([cpu])).toBe('tank: cpu over 50');
  expect(on([cpu, { operator: 'eq', value: { 'a.b': 'on' } }])).toBe('tank: cpu over 50, and 1 more');
  expect(on([])).toBe('every sync of tank');
  expect(on([], '')).toBe('no method is chosen');
  expect(words({ type: 'part_moved' })).toBe('edited as JSON');
});

it('shows a short form of a value', () => {
  expect([41.2, 'run', true, null, [1], { a: 1 }].map(valueWords)).toEqual([
    '41.2',
    '“run”',
    'true',
    'null',
    '[…]',
    '{…}',
  ]);
});
