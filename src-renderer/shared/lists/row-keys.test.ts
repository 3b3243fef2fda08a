import { describe, expect, it } from 'vitest';
import { rowFor, rowsOfPage } from './row-keys.ts';

describe('keys of a list', () => {
  it.each([
    ['ArrowDown', 3, 4],
    ['ArrowDown', 9, 9],
    ['ArrowUp', 3, 2],
    ['ArrowUp', 0, 0],
    ['PageDown', 3, 8],
    ['PageUp', 3, 0],
    ['Home', 7, 0],
    ['End', 0, 9],
    ['ArrowDown', -1, 0],
    ['ArrowUp', -1, 0],
    ['x', 3, undefined],
  ] as const)('%s at row %d leads to %s', (key, from, target) => {
    expect(rowFor(key, { from, count: 10, page: 5 })).toBe(target);
  });

  it('do nothing in a list without rows', () => {
    expect(rowFor('End', { from: -1, count: 0, page: 5 })).toBeUndefined();
  });

  it('move by a page of whole rows, of which one stays visible', () => {
    expect([rowsOfPage(434, 34, 40), rowsOfPage(0, 34, 40)]).toEqual([9, 1]);
  });
});
