import { describe, expect, it } from 'vitest';
import { draftTriggers, freeName, nameFault, plainMessage } from './draft-triggers.ts';

const trigger = (name: string, type = 'part_online') => ({ name, event: { type }, notifications: [] });

describe('triggers of the draft', () => {
  it('have their own name in addresses, or else their position', () => {
    const found = draftTriggers({ triggers: [trigger('a'), trigger('a'), {}, 3] }, undefined);
    expect(found.map(({ key, name, mark }) => [key, name, mark])).toEqual([
      ['a', 'a', undefined],
      ['#2', 'a', undefined],
      ['#3', '', undefined],
      ['#4', '', undefined],
    ]);
    expect(found[1]).toMatchObject({ pointer: '/triggers/1', path: ['triggers', 1] });
    expect(found.map(({ form }) => form !== undefined)).toEqual([true, true, false, false]);
  });

  it('are found under their key however it is spelled, and nowhere else', () => {
    expect(draftTriggers({ Triggers: [trigger('a')] }, {})[0]?.path).toEqual(['Triggers', 0]);
    expect(draftTriggers({ triggers: {} }, {})).toEqual([]);
  });

  it('are marked if they are not applied', () => {
    const applied = { triggers: [trigger('b', 'part_offline'), trigger('a')] };
    const found = draftTriggers({ triggers: [trigger('a'), trigger('b'), trigger('c')] }, applied);
    expect(found.map(({ mark }) => mark)).toEqual([undefined, 'changed', 'added']);
  });

  it('get names that no other trigger has', () => {
    const triggers = draftTriggers({ triggers: [trigger('trigger-2'), trigger('x')] }, undefined);
    expect(freeName(triggers)).toBe('trigger-3');
    expect(['', 'x', 'y', 'z'.repeat(101)].map((name) => nameFault(name, triggers))).toEqual([
      'empty',
      'taken',
      undefined,
      'long',
    ]);
  });
});

it('a message is shown without the name of its trigger', () => {
  expect(plainMessage({ message: 'trigger "a b": "x" is no URL.' })).toBe('"x" is no URL.');
  expect(plainMessage({ message: 'trigger "a": notifications[0].value is 1.' })).toBe('notifications[0].value is 1.');
  expect(plainMessage({ message: 'trigger 2: the value names no field.' })).toBe('The value names no field.');
});
