import { describe, expect, it } from 'vitest';
import { readingsIn, shifted, tickWords, windowOf, zoomed } from './time-window.ts';

const all = { from: 1_000, to: 9_000 };

describe('the time that is drawn', () => {
  it('ends with the readings where it is open, and is never empty', () => {
    expect(windowOf({ from: undefined, to: undefined }, all)).toEqual(all);
    expect(windowOf({ from: 5_000, to: undefined }, all)).toEqual({ from: 5_000, to: 9_000 });
    expect(windowOf({ from: 20_000, to: undefined }, all)).toEqual({ from: 20_000, to: 20_001 });
    expect(windowOf({ from: undefined, to: 500 }, all)).toEqual({ from: 499, to: 500 });
  });

  it('is zoomed around its middle, until it contains everything', () => {
    expect(zoomed({ from: 4_000, to: 6_000 }, 2, all)).toEqual({ from: 3_000, to: 7_000 });
    expect(zoomed({ from: 4_000, to: 6_000 }, 0.5, all)).toEqual({ from: 4_500, to: 5_500 });
    expect(zoomed({ from: 2_000, to: 8_000 }, 2, all)).toEqual({ from: undefined, to: undefined });
    expect(zoomed({ from: 5_000, to: 5_004 }, 0.5, all)).toEqual({ from: 4_997, to: 5_007 });
  });

  it('extends beyond the readings only on a side where it did before', () => {
    expect(zoomed({ from: 2_000, to: 6_000 }, 2, all)).toEqual({ from: 1_000, to: 8_000 });
    expect(zoomed({ from: 8_000, to: 10_000 }, 2, all)).toEqual({ from: 7_000, to: 11_000 });
  });

  it('is shifted by a share of its length', () => {
    expect(shifted({ from: 4_000, to: 6_000 }, -0.5)).toEqual({ from: 3_000, to: 5_000 });
  });

  it('contains its share of the readings', () => {
    expect(readingsIn({ from: 0, to: 3_000 }, all, 800)).toBe(200);
    expect(readingsIn({ from: 9_000, to: 20_000 }, all, 800)).toBe(0);
    expect(readingsIn({ from: 0, to: 10 }, { from: 5, to: 5 }, 800)).toBe(0);
  });
});

describe('the words under a time axis', () => {
  const at = (hour: number, minute = 0, ms = 0, day = 21): number =>
    new Date(2026, 10, day, hour, minute, 0, ms).getTime();

  it('show the day once, and again when it changes', () => {
    expect(tickWords([at(22), at(23), at(0, 0, 0, 22)], 3_600_000)).toEqual([
      '22:00\n2026-11-21',
      '23:00',
      '00:00\n2026-11-22',
    ]);
    expect(tickWords([at(0), at(0, 0, 0, 22)], 86_400_000)).toEqual(['2026-11-21', '2026-11-22']);
  });

  it('are as exact as needed', () => {
    expect(tickWords([at(9, 5), at(9, 5, 250)], 250)).toEqual(['09:05:00.000\n2026-11-21', '09:05:00.250']);
    expect(tickWords([at(9, 5)], 5_000)).toEqual(['09:05:00\n2026-11-21']);
  });
});
