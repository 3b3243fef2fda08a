import { describe, expect, it } from 'vitest';
import { curveLine, epochAt, epochsOf, scaleOf, side, valueAt, type Curve } from './curve-path.ts';

const curve = (...values: number[]): Curve => ({
  label: 'loss',
  points: values.map((value, index) => ({ epoch: index + 1, value })),
});

describe('curves over epochs', () => {
  it('have a scale from 0 to a round number, and shares from 0 to 1', () => {
    expect(scaleOf([curve(2.4, 0.7)], 'loss')).toMatchObject({ min: 0, max: 3 });
    expect(scaleOf([curve(-0.5, 1)], 'loss').min).toBeLessThan(0);
    expect(scaleOf([curve(0.2, 0.3)], 'share')).toMatchObject({ min: 0, max: 1 });
    expect(scaleOf([curve(3)], 'share').max).toBeGreaterThanOrEqual(3);
    expect(scaleOf([curve(Number.NaN)], 'loss')).toMatchObject({ min: -1, max: 1 });
  });

  it('leave room for the epochs that may come', () => {
    expect(epochsOf([curve(1, 2)], 60)).toBe(60);
    expect(epochsOf([curve(1, 2, 3)], 0)).toBe(3);
    expect(epochsOf([], 0)).toBe(2);
  });

  it('are lines with gaps, and a dot for a single epoch', () => {
    const scale = { min: 0, max: 1, step: 0.25 };
    expect(curveLine(curve(0, 1), 3, scale)).toBe(`M0 ${side}h0L${side / 2} 0`);
    expect(curveLine(curve(1, Number.NaN, 1), 3, scale)).toBe(`M0 0h0M${side} 0h0`);
    expect(curveLine(curve(), 3, scale)).toBe('');
  });

  it('are read at the nearest epoch', () => {
    const curves = [curve(5, 6, 7)];
    expect([epochAt(curves, 0, 5), epochAt(curves, 0.3, 5), epochAt(curves, 1, 5)]).toEqual([1, 2, 3]);
    expect(epochAt([], 0.5, 5)).toBeUndefined();
    expect([valueAt(curve(5, 6), 2), valueAt(curve(5, 6), 9)]).toEqual([6, undefined]);
  });
});
