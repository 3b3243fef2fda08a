import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { fitSteps, type StepRun, type StepSample } from './step-fit.ts';
import { closedLoopSecFor, gainsFor } from './tuning-rule.ts';
import { MotorPhysics, type MotorBody } from '../../board-fake/motor-physics.ts';

const STEP_MS = 10;

/** Counts of a body whose power arrives late: 0.35 for a while, 0.7, off; in both directions. */
function measured(body: MotorBody, delaySec: number, ticks: number): { samples: StepSample[]; runs: StepRun[] } {
  const physics = new MotorPhysics(body);
  const samples: StepSample[] = [{ sec: 0, count: 0, power: 0 }];
  const runs: StepRun[] = [];
  let ms = 0;
  const sent: number[] = [];
  const pass = (sec: number, power: number): void => {
    for (let passed = 0; passed < sec * 1_000; passed++) {
      sent.push(power);
      ms++;
      physics.advance(0.001, sent[sent.length - 1 - Math.round(delaySec * 1_000)] ?? 0);
      if (ms % STEP_MS === 0) samples.push({ sec: ms / 1_000, count: Math.floor(physics.revolutions * ticks), power });
    }
  };
  for (const direction of [1, -1] as const) {
    const begin = samples.length - 1;
    const { count } = samples[begin] as StepSample;
    pass(0.6, 0.35 * direction);
    const turning = samples.findIndex((sample, index) => index > begin && (sample.count - count) * direction > 0);
    pass(1.5, 0.7 * direction);
    const off = samples.length - 1;
    pass(3, 0);
    runs.push({ direction, begin, turning, off, end: samples.length - 1 });
  }
  return { samples, runs };
}

describe('fit of a step', () => {
  it('finds gain, time constant, delay, friction and dead band of any motor with a fine encoder', () => {
    fc.assert(
      fc.property(
        fc.double({ min: 1, max: 20, noNaN: true }),
        fc.double({ min: 0.05, max: 1, noNaN: true }),
        fc.double({ min: 0, max: 0.2, noNaN: true }),
        fc.double({ min: 0, max: 0.05, noNaN: true }),
        fc.constantFrom(0, 0.02, 0.05, 0.1),
        (topSpeed, timeConstantSec, friction, deadBand, delaySec) => {
          const { samples, runs } = measured({ topSpeed, timeConstantSec, friction, deadBand }, delaySec, 2_400);
          const fit = fitSteps(samples, runs, 1 / 2_400);
          if (fit === undefined) throw new Error('no fit');
          const { model, quality } = fit;
          expect(Math.abs((model.gain * (1 - deadBand)) / topSpeed - 1)).toBeLessThan(0.15);
          expect(Math.abs(model.timeConstantSec / timeConstantSec - 1)).toBeLessThan(0.15);
          expect(Math.abs(model.delaySec - delaySec)).toBeLessThan(0.02);
          expect(Math.abs(model.friction + model.deadBand - friction * (1 - deadBand) - deadBand)).toBeLessThan(0.03);
          expect(quality.r2).toBeGreaterThan(0.98);
        },
      ),
      { numRuns: 15 },
    );
  });

  it('does not depend on the unit of an encoder: the same motor has the same model', () => {
    const body = { topSpeed: 2, timeConstantSec: 0.2, friction: 0.1 };
    const [coarse, fine] = [1_000, 4_000].map((ticks) => {
      const { samples, runs } = measured(body, 0, ticks);
      return fitSteps(samples, runs, 1 / ticks)?.model;
    });
    expect(coarse?.gain).toBeCloseTo(fine?.gain ?? 0, 1);
    expect(coarse?.timeConstantSec).toBeCloseTo(fine?.timeConstantSec ?? 0, 2);
  });

  it('has no model for what does not answer to power', () => {
    const samples = Array.from({ length: 200 }, (_, index) => ({
      sec: index / 100,
      count: 200 - index,
      power: index < 50 ? 0.3 : 0.6,
    }));
    expect(fitSteps(samples, [{ direction: 1, begin: 0, turning: 1, off: 150, end: 199 }], 0.01)).toBeUndefined();
  });
});

describe('rule of the gains', () => {
  const model = { gain: 2, timeConstantSec: 0.4, delaySec: 0.02, friction: 0.1, deadBand: 0 };

  it('is that of SIMC for a PI controller, in 255ths of power for each tick a second', () => {
    // Full power adds 2 revolutions of 200 ticks per second; the loop itself adds 15 ms of delay.
    const { p, i, d } = gainsFor(model, 1 / 200, 0.165);
    expect(p).toBeCloseTo((255 / 400) * (0.4 / 0.2), 2);
    expect(i).toBeCloseTo(p / 0.4, 2);
    expect(d).toBe(0);
    // If the motor is slow compared with the loop, the integral time is four times the loop's time.
    expect(gainsFor({ ...model, timeConstantSec: 4 }, 1 / 200, 0.165).i).toBeCloseTo(
      ((255 / 400) * (4 / 0.2)) / 0.8,
      2,
    );
  });

  it('asks for a slower loop where the delay is longer or the encoder coarser', () => {
    const usual = closedLoopSecFor(model, 1 / 200);
    expect(closedLoopSecFor({ ...model, delaySec: 0.2 }, 1 / 200)).toBeGreaterThan(usual);
    expect(closedLoopSecFor(model, 1 / 20)).toBeGreaterThan(usual);
  });
});
