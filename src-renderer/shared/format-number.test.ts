import { describe, expect, it } from 'vitest';
import { decimalsFor, formatBytes, formatFixed, formatNumber, withUnit } from './format-number.ts';

describe('numbers on the screen', () => {
  it('show sizes in the unit that needs two or three digits', () => {
    const sizes = [0, 812, 999.6, 3_412_000, 99_960_000, 128_400_000, 2e12, -1];
    expect(sizes.map(formatBytes)).toEqual([
      '0\u00a0B',
      '812\u00a0B',
      '1.0\u00a0kB',
      '3.4\u00a0MB',
      '100\u00a0MB',
      '128\u00a0MB',
      '2.0\u00a0TB',
      '0\u00a0B',
    ]);
  });

  it('have groups of three digits and as many decimals as they need', () => {
    expect([18402, 0.5, 21.123456, -3].map((value) => formatNumber(value))).toEqual(['18,402', '0.5', '21.123', '−3']);
    expect(formatNumber(1.26, 1)).toBe('1.3');
  });

  it('do not show small measured values as 0, down to a billionth', () => {
    const shown = [21.12345, 0.5, 0.05123, -0.00012345, 0.000000002, 1e-17, 0];
    expect(shown.map((value) => formatNumber(value, decimalsFor(value)))).toEqual([
      '21.123',
      '0.5',
      '0.0512',
      '−0.000123',
      '0.000000002',
      '0',
      '0',
    ]);
  });

  it('have a fixed number of decimals if asked for', () => {
    expect([12.4, 0, -0.001, -12.345].map((value) => formatFixed(value, 2))).toEqual([
      '12.40',
      '0.00',
      '0.00',
      '−12.35',
    ]);
  });

  it('are not separated from their unit by a line break', () => {
    expect(withUnit('40', 'ms')).toBe('40\u00a0ms');
    expect(withUnit('40', '')).toBe('40');
  });
});
