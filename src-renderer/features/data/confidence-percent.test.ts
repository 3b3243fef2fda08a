import { expect, it } from 'vitest';
import { confidencePercent } from './confidence-percent.ts';

it('a confidence is rounded, but to 100 only where it is 1', () => {
  const found = [0, 0.004, 0.005, Math.fround(0.9), 0.994, 0.9999, 1].map(confidencePercent);
  expect(found).toEqual([0, 0, 1, 90, 99, 99, 100]);
});
