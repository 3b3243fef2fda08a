import { describe, expect, it } from 'vitest';
import { readForm } from './trigger-form.ts';

const hook = { type: 'webhook', value: 'http://a.example', seconds_between_notifications: 60 };
const of = (event: unknown, notifications: unknown = [hook]) => readForm({ name: 't', event, notifications });

describe('a trigger in the builder', () => {
  it('is read completely', () => {
    const evals = [{ operator: 'gt', value: { cpu: 50 } }];
    const conditional = { data_capture_method: 'sensor:tank:Readings', conditions: { evals } };
    expect(of({ type: 'conditional_data_ingested', conditional })).toEqual({
      event: {
        type: 'conditional_data_ingested',
        method: 'sensor:tank:Readings',
        evals,
        conditions: [{ evalIndex: 0, path: ['cpu'], operator: 'gt', expected: 50 }],
      },
      targets: [{ type: 'webhook', value: 'http://a.example', seconds: 60 }],
    });
    expect(of({ type: 'part_data_ingested', data_ingested: { data_types: ['file'] } })?.event).toEqual({
      type: 'part_data_ingested',
      dataTypes: ['file'],
    });
  });

  it('shows missing values as empty', () => {
    expect(readForm({ event: { type: 'conditional_data_ingested' } })).toEqual({
      event: { type: 'conditional_data_ingested', method: '', evals: [], conditions: [] },
      targets: [],
    });
    expect(of({ type: 'part_online' }, [{ type: 'email' }])?.targets).toEqual([
      { type: 'email', value: '', seconds: undefined },
    ]);
  });

  it.each([
    ['text', 'hot'],
    ['a name that is not a text', { name: 1, event: { type: 'part_online' } }],
    ['an event of another version', { event: { type: 'part_moved' } }],
    ['targets that are not a list', { event: { type: 'part_online' }, notifications: {} }],
    ['a target of another version', { event: { type: 'part_online' }, notifications: [{ type: 'push', value: 'x' }] }],
    [
      'a limit that is not a number',
      { event: { type: 'part_online' }, notifications: [{ ...hook, seconds_between_notifications: '60' }] },
    ],
    ['kinds of data that are not texts', { event: { type: 'part_data_ingested', data_ingested: { data_types: [1] } } }],
    [
      'a comparison with a list',
      {
        event: {
          type: 'conditional_data_ingested',
          conditional: { conditions: { evals: [{ operator: 'eq', value: [] }] } },
        },
      },
    ],
  ])('is not shown: %s', (_what, value) => {
    expect(readForm(value)).toBeUndefined();
  });
});
