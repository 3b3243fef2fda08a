import { expect, it } from 'vitest';
import { PictureRate } from './picture-rate.ts';

it('the rate of pictures is known from the second one on, until they have stopped', () => {
  const rate = new PictureRate();
  expect(rate.at(0)).toBeUndefined();
  rate.add(1_000);
  expect(rate.at(1_000)).toBeUndefined();
  for (let at = 1_200; at <= 9_000; at += 200) rate.add(at);
  expect(rate.at(9_000)).toBeCloseTo(5);
  expect(rate.at(9_500)).toBeCloseTo(5);
  expect(rate.at(12_000)).toBeUndefined();
});
