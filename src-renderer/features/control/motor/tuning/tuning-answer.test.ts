import { describe, expect, it } from 'vitest';
import { isTunable } from './tunable.ts';
import { gainsOf, readProgress, readTuning } from './tuning-answer.ts';
import { pictureHeight, tuningPicture } from './tuning-picture.ts';

const response = {
  tune: {
    control_parameters: { p: 0.5, i: 2, d: 0 },
    closed_loop_sec: 0.1,
    max_rpm: 108,
    model: { time_constant_sec: 0.2, delay_sec: 0.01, friction_pct: 0.1, dead_band_pct: 0.02, breakaway_pct: 0.15 },
    fit: { r2: 0.99, rms_error_rpm: 1.2 },
    samples: [
      { sec: 0, ticks: 0, rpm: 0, model_rpm: 0, power: 0 },
      { sec: 2, ticks: 50, rpm: 48, model_rpm: 47, power: 0.5 },
      { sec: 4, ticks: 0, rpm: -48, model_rpm: -47, power: -0.5 },
    ],
  },
};

describe('responses of tuning', () => {
  it('are read as the machine sends them', () => {
    expect(readTuning(response)).toMatchObject({
      gains: { p: 0.5, i: 2, d: 0 },
      maxRpm: 108,
      timeConstantSec: 0.2,
      r2: 0.99,
      samples: [{ rpm: 0 }, { sec: 2, rpm: 48, modelRpm: 47, power: 0.5 }, { power: -0.5 }],
    });
    expect(() => readTuning({})).toThrow('no measurement');
  });

  it('give the progress of a measurement, or undefined where none runs', () => {
    const running = { get_tuning: { is_running: true, phase: 'step', direction: -1, share: 0.7 } };
    expect(readProgress(running)).toEqual({ phase: 'step', direction: -1, share: 0.7 });
    expect(readProgress({ get_tuning: { is_running: false } })).toBeUndefined();
  });

  it('have 0 for gains that a configuration does not have', () => {
    expect(gainsOf({ p: 3 })).toEqual({ p: 3, i: 0, d: 0 });
    expect(gainsOf(undefined)).toEqual({ p: 0, i: 0, d: 0 });
  });
});

describe('which motors can be tuned', () => {
  it('those of the gpio model with an encoder', () => {
    expect(isTunable('core:builtin:gpio', { encoder: 'wheel' })).toBe(true);
    expect(isTunable('core:builtin:gpio', { encoder: '' })).toBe(false);
    expect(isTunable('core:builtin:gpio', {})).toBe(false);
    expect(isTunable('core:builtin:fake', { encoder: 'wheel' })).toBe(false);
  });
});

describe('picture of a measurement', () => {
  const { samples } = readTuning(response);

  it('draws every sample between the axes, with zero among the numbers', () => {
    const { area, measured, speedTicks, timeTicks, ...picture } = tuningPicture(samples, 400);
    const points = [...measured.matchAll(/[ML]([\d.-]+) ([\d.-]+)/g)].map(
      ([, x, y]) => [Number(x), Number(y)] as const,
    );
    expect(points).toHaveLength(3);
    for (const [x, y] of points) {
      expect(x).toBeGreaterThanOrEqual(area.left);
      expect(x).toBeLessThanOrEqual(area.right);
      expect(y).toBeGreaterThanOrEqual(area.top);
      expect(y).toBeLessThanOrEqual(area.bottom);
    }
    expect(area.bottom).toBeLessThan(pictureHeight);
    expect(speedTicks.map(({ value }) => value)).toContain(0);
    expect(timeTicks.map(({ value }) => value)).toEqual([0, 1, 2, 3, 4]);
    expect(picture.x(0)).toBe(area.left);
  });

  it('is drawn also without room, and without samples', () => {
    expect(tuningPicture(samples, 0).area.right).toBeGreaterThan(tuningPicture(samples, 0).area.left);
    expect(tuningPicture([], 300).measured).toBe('');
  });
});
