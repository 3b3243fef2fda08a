import { expect, it } from 'vitest';
import { daysIn } from './days.ts';

it('takes whole days that a hub takes, and nothing for nothing', () => {
  expect(['0', ' 30 ', '36500'].map(daysIn)).toEqual([0, 30, 36_500]);
  expect(['', ' ', '-1', '1.5', '1e3', '36501', 'a week'].map(daysIn)).toEqual(new Array(7).fill(undefined));
});
