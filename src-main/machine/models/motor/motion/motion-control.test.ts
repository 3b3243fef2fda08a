import { describe, expect, it } from 'vitest';
import { MotionControl, type MotionTask, type SpeedGains } from './motion-control.ts';
import { MotorModel } from './motor-model.ts';

const task: MotionTask = {
  count: 0,
  startSpeed: 0.5,
  direction: 1,
  goal: undefined,
  cruise: 1,
  tick: 1 / 200,
  tolerance: 2 / 360,
  mayReverse: true,
  gains: undefined,
};

function controlWith(gains: SpeedGains): MotionControl {
  const model = new MotorModel();
  model.begin(task.cruise);
  return new MotionControl(model, { ...task, gains });
}

const sample = { sec: 0.01, count: 1, sentPower: 0.2, minPower: 0, maxPower: 1 };

describe('control of a motion', () => {
  it('configured gains act on the error of speed: p on it, i on its sum', () => {
    const none = controlWith({ p: 0, i: 0, d: 0 });
    const bare = none.step(sample);
    const error = none.wantedSpeed - none.speed;
    expect(Math.abs(error)).toBeGreaterThan(0.001);
    expect(controlWith({ p: 2, i: 0, d: 0 }).step(sample)).toBeCloseTo(bare + 2 * error, 9);
    expect(controlWith({ p: 0, i: 3, d: 0 }).step(sample)).toBeCloseTo(bare + 3 * error * sample.sec, 9);
  });

  it('turns power round while it turns only where the encoder can tell the direction', () => {
    const powers = (mayReverse: boolean): number[] => {
      const model = new MotorModel();
      model.begin(task.cruise);
      const control = new MotionControl(model, { ...task, startSpeed: 1, goal: 0.05, mayReverse });
      return Array.from({ length: 10 }, (_, index) => control.step({ ...sample, count: 2 * index, sentPower: 0 }));
    };
    expect(Math.min(...powers(true))).toBeLessThan(0);
    expect(Math.min(...powers(false))).toBe(0);
  });
});
