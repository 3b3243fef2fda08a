import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { PlotBuffer } from './plot-buffer.ts';
import { changeBetween, endTime, sampleTime, steppedTime, valueAt, type ReadLine } from './plot-reading.ts';

type Samples = readonly (readonly [at: number, value: number])[];

function line(samples: Samples, isStepped = false): ReadLine {
  const buffer = new PlotBuffer();
  for (const [at, value] of samples) {
    if (isStepped) buffer.addStep(at, value);
    else if (Number.isNaN(value)) buffer.addGap();
    else buffer.add(at, value);
  }
  return { buffer, isStepped };
}

const view = { to: 1_000, windowMs: 1_000 };
const fast = line([
  [100, 1],
  [120, 2],
  [140, 3],
]);
const slow = line([
  [110, 10],
  [160, 20],
]);

describe('the value at a time', () => {
  it('is that of the nearest sample at or before it', () => {
    expect([99, 100, 119, 120, 500].map((at) => valueAt(fast.buffer, at))).toEqual([undefined, 1, 1, 2, 3]);
  });

  it('is none in a gap', () => {
    const { buffer } = line([
      [100, 1],
      [0, Number.NaN],
      [400, 2],
    ]);
    expect([100, 101, 399, 400].map((at) => valueAt(buffer, at))).toEqual([1, undefined, undefined, 2]);
  });

  it('is a sample that was added, for any times', () => {
    const steps = fc.array(fc.integer({ min: 1, max: 60 }), { minLength: 1, maxLength: 200 });
    fc.assert(
      fc.property(steps, fc.integer({ min: 0, max: 8_000 }), (gaps, at) => {
        let time = 0;
        const samples = gaps.map((gap): [number, number] => [(time += gap), time * 2]);
        const expected = samples.findLast(([each]) => each <= at);
        const { buffer } = line(samples, true);
        expect(valueAt(buffer, at)).toBe(expected?.[1]);
      }),
    );
  });
});

describe('a reading', () => {
  it('is at the latest sample of all lines, not between two', () => {
    expect(sampleTime([fast, slow], 139, view)).toBe(120);
    expect(sampleTime([fast, slow], 115, view)).toBe(110);
    expect(sampleTime([fast, slow], 50, view)).toBe(50);
  });

  it('is not drawn to a value that has been held for long, nor out of the view', () => {
    const held = line([[100, 5]], true);
    expect(sampleTime([held], 700, view)).toBe(700);
    expect(sampleTime([fast], 700, { to: 1_000, windowMs: 500 })).toBe(700);
  });

  it('goes from sample to sample of any line, and stops at the last one', () => {
    const lines = [fast, slow];
    const times = [100, 110, 120, 140, 160];
    for (const [index, at] of times.entries()) {
      expect(steppedTime(lines, at, 1, view)).toBe(times[Math.min(index + 1, 4)]);
      expect(steppedTime(lines, at, -1, view)).toBe(times[Math.max(index - 1, 0)]);
      expect(steppedTime(lines, at, 10, view)).toBe(160);
    }
    expect(steppedTime(lines, 1_000.001, -1, view)).toBe(160);
    expect(steppedTime(lines, 130, 1, { to: 150, windowMs: 100 })).toBe(140);
    expect(steppedTime(lines, 140, 1, { to: 150, windowMs: 100 })).toBe(140);
  });

  it('passes over gaps', () => {
    const broken = line([
      [100, 1],
      [0, Number.NaN],
      [400, 2],
    ]);
    expect(steppedTime([broken], 100, 1, view)).toBe(400);
    expect(steppedTime([broken], 400, -1, view)).toBe(100);
  });

  it('goes to the first and the last sample of the view', () => {
    expect(endTime([fast, slow], 'first', view)).toBe(100);
    expect(endTime([fast, slow], 'last', view)).toBe(160);
    expect(endTime([fast, slow], 'last', { to: 140, windowMs: 25 })).toBe(140);
    expect(endTime([fast, slow], 'first', { to: 140, windowMs: 25 })).toBe(120);
    expect(endTime([fast], 'first', { to: 900, windowMs: 100 })).toBeUndefined();
  });
});

describe('the change between two cursors', () => {
  it('is the difference, and what that is per second', () => {
    expect(changeBetween(2, 5, 500)).toEqual({ difference: 3, perSecond: 6 });
    expect(changeBetween(2, 5, -500)).toEqual({ difference: 3, perSecond: -6 });
    expect(changeBetween(2, 5, 0)).toEqual({ difference: 3, perSecond: undefined });
    expect(changeBetween(undefined, 5, 500)).toBeUndefined();
  });

  it('has the slope of a ramp, wherever its cursors are', () => {
    const cursor = fc.integer({ min: 0, max: 9_000 });
    fc.assert(
      fc.property(cursor, cursor, fc.double({ min: -100, max: 100, noNaN: true }), (a, b, slope) => {
        fc.pre(a !== b);
        const change = changeBetween((a / 1_000) * slope, (b / 1_000) * slope, b - a);
        expect(change?.perSecond).toBeCloseTo(slope, 6);
      }),
    );
  });
});
