import { describe, expect, it } from 'vitest';
import { textDifference } from './text-difference.ts';

const motor = (name: string, attributes: object, more: object = {}): object => ({
  name,
  api: 'rdk:component:motor',
  model: 'gpio',
  attributes,
  ...more,
});
const text = (components: readonly object[], more: object = {}): string => JSON.stringify({ components, ...more });
const summary = (from: string, to: string): string => textDifference(from, to).summary;

describe('what changed from one text to another', () => {
  const before = text([motor('left', { max_rpm: 60, dir_flip: false }), motor('right', {})]);

  it.each([
    [
      'nothing but spaces and the order of keys',
      `{ "components": ${JSON.stringify([motor('left', { dir_flip: false, max_rpm: 60 }), motor('right', {})], null, 2)} }`,
      'no changes',
    ],
    ['a value', text([motor('left', { max_rpm: 70, dir_flip: false }), motor('right', {})]), 'left: max_rpm 60 to 70'],
    [
      'a value that is new',
      text([motor('left', { max_rpm: 60, dir_flip: false, a: 'x' }), motor('right', {})]),
      'left: a set to x',
    ],
    ['a value that is gone', text([motor('left', { max_rpm: 60 }), motor('right', {})]), 'left: dir_flip removed'],
    [
      'several',
      text([motor('left', { max_rpm: 1, dir_flip: true }), motor('right', {})]),
      'left: max_rpm 60 to 1, dir_flip false to true',
    ],
    [
      'a key of the entry',
      text([motor('left', { max_rpm: 60, dir_flip: false }, { disabled: true }), motor('right', {})]),
      'left: disabled',
    ],
    [
      'a resource more',
      text([motor('left', { max_rpm: 60, dir_flip: false }), motor('right', {}), motor('third', {})]),
      'third: added',
    ],
    ['a resource less', text([motor('left', { max_rpm: 60, dir_flip: false })]), 'right: removed'],
    ['a name', text([motor('port', { max_rpm: 60, dir_flip: false }), motor('right', {})]), 'left → port'],
    [
      'a key of the document',
      text([motor('left', { max_rpm: 60, dir_flip: false }), motor('right', {})], { debug: true }),
      'debug set to true',
    ],
    ['everything', '{}', '2 removed'],
  ])('%s', (_name, after, expected) => {
    expect(summary(before, after)).toBe(expected);
  });

  it('names what it is about in full, in our spelling, however the entry says it', () => {
    const after = JSON.stringify({
      components: [{ name: 'left', type: 'motor', namespace: 'rdk', model: 'fake' }],
      services: [{ name: 'vision', api: 'core:service:vision' }],
      modules: [{ name: 'm' }],
      network: {},
    });
    expect(textDifference('', after).changes.map(({ subject }) => subject)).toEqual([
      'core:component:motor/left',
      'core:service:vision/vision',
      'module/m',
      'network',
    ]);
  });

  it('says of a secret only that it changed', () => {
    const with_ = (password: string): string => text([motor('left', { password })]);
    expect(summary(with_('old'), with_('new'))).toBe('left: password changed (***)');
    expect(summary('', JSON.stringify({ auth: { handlers: [{ config: { a: 'top' } }] } }))).toBe('auth set (***)');
  });

  it('tells a rename once, with how much follows it', () => {
    const on = (name: string, more: object = {}): object => motor(name, { board: 'bench' }, more);
    const bench = { ...motor('bench', {}), api: 'rdk:component:board' };
    const from = text([bench, on('left'), on('right')]);
    expect(summary(from, from.replaceAll('bench', 'desk'))).toBe('bench → desk, 2 references follow');
    expect(summary(from, from.replace('right', 'port').replace('left', 'stern'))).toBe('left → stern, right → port');
    expect(summary(from, text([bench, on('left', { disabled: true }), on('port')]))).toBe('1 renamed, 1 changed');
    const { changes } = textDifference(from, from.replaceAll('left', 'port'));
    expect(changes.map(({ kind, subject, renamedFrom, reason }) => [kind, subject, renamedFrom, reason])).toEqual([
      ['add', 'core:component:motor/port', 'core:component:motor/left', 'settings unchanged'],
      ['remove', 'core:component:motor/left', '', 'renamed to port'],
    ]);
  });

  it('a text that is no JSON has nothing in it', () => {
    expect(textDifference('{"a":', before).changes).toHaveLength(2);
    expect(textDifference('[]', '7')).toEqual({ changes: [], summary: 'no changes' });
  });
});
