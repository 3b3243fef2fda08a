import { describe, expect, it } from 'vitest';
import { Package, Package_State } from '../../../../proto/gen/core/status/v1/status.ts';
import { createTexts } from '../../../shared/text.ts';
import { itemAfter, listItems, stepOf } from './list-items.ts';
import type { ResourceRow } from './resource-rows.ts';

const row = (name: string, group: ResourceRow['group']): ResourceRow => ({
  key: name,
  address: name,
  name,
  group,
  what: '',
  entry: undefined,
  live: undefined,
  module: undefined,
  remote: undefined,
  mark: undefined,
  isDisabled: false,
  problems: 0,
  worst: undefined,
});
const rows = [row('a', 'component'), row('b', 'component'), row('s', 'service')];
const t = createTexts();
const items = listItems(rows, [], true, false, t);

describe('the lines of the list', () => {
  it('are the rows under headings, and the pages of the machine', () => {
    expect(items.map(({ key, kind }) => (kind === 'heading' ? `- ${key}` : key))).toEqual([
      '- component',
      'a',
      'b',
      '- service',
      's',
      '- machine',
      'configure',
      'configure-machine',
      'configure-packages',
    ]);
    expect(listItems(rows, [], false, false, t)).toHaveLength(5);
  });

  it('count the packages, and those that are missing', () => {
    const packageIn = (state: Package_State): Package => Package.fromPartial({ state });
    const page = (...states: Package_State[]) => listItems(rows, states.map(packageIn), true, false, t).at(-1);
    expect(page(Package_State.READY)).toMatchObject({ text: 'Packages 1', trouble: undefined });
    expect(page(Package_State.READY, Package_State.PENDING)).toMatchObject({ trouble: { tone: 'warn' } });
    expect(page(Package_State.PENDING, Package_State.FAILED)).toMatchObject({
      text: 'Packages 2',
      trouble: { tone: 'bad', text: '1 failed' },
    });
  });

  it('keep the JSON view', () => {
    expect(listItems(rows, [], true, true, t)).toContainEqual(
      expect.objectContaining({
        key: 'a',
        to: { name: 'configure-resource', params: { name: 'a' }, query: { view: 'json' } },
      }),
    );
  });

  it.each([
    ['ArrowDown', 1, 2],
    ['ArrowDown', 2, 4],
    ['ArrowUp', 4, 2],
    ['ArrowUp', 1, 1],
    ['ArrowDown', 8, 8],
    ['End', 1, 8],
    ['Home', 8, 1],
    ['PageDown', 1, 8],
  ])('%s from %i leads to %i, never to a heading', (key, from, to) => {
    expect(itemAfter(items, from, stepOf(key) ?? 0)).toBe(to);
  });

  it('have no first line in an empty list', () => {
    expect(itemAfter([], -1, 1)).toBe(-1);
    expect(stepOf('a')).toBeUndefined();
  });
});
