import { expect, it } from 'vitest';
import { daysIn } from './days.ts';

it('reads whole days within the limit of a hub, and nothing else', () => {
  expect(['0', ' 30 ', '36500'].map(daysIn)).toEqual([0, 30, 36_500]);
  expect(['', ' ', '-1', '1.5', '1e3', '36501', 'a week'].map(daysIn)).toEqual(new Array(7).fill(undefined));
});
