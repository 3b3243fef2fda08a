import { describe, expect, it } from 'vitest';
import type { EncodedMotorOptions } from '../encoded-motor.ts';
import { cellsOf, runCell, SimulatedAxis, summaryOf, type Cell } from '../motion/motion-grid.fixture.ts';
import type { JsonObject } from '../../../../apis/resource.ts';

const plain: Cell = { friction: 0.1, timeConstantSec: 0.2, ticks: 200, backlashDeg: 0, deadBand: 0, drag: 0 };
const none = (): void => undefined;

interface TuneAnswer extends JsonObject {
  control_parameters: { p: number; i: number; d: number };
  max_rpm: number;
  power_pct: number;
  farthest_revolutions: number;
  ended_revolutions: number;
  model: { rpm_per_power: number; time_constant_sec: number; friction_pct: number; dead_band_pct: number };
  fit: { r2: number; rms_error_rpm: number };
  samples: { sec: number; ticks: number; rpm: number; model_rpm: number; power: number }[];
}

/** Tunes to the end; returns the result, or why there is none. */
async function tuned(axis: SimulatedAxis, options: JsonObject = {}, onStep: (ms: number) => void = none) {
  let answer: TuneAnswer | undefined;
  const command = axis.motor.doCommand({ tune: options }).then((result) => {
    answer = result['tune'] as TuneAnswer;
  });
  const { failure, ms } = await axis.until(command, onStep);
  return { answer, failure, ms };
}

async function found(axis: SimulatedAxis, options?: JsonObject): Promise<TuneAnswer> {
  const { answer, failure } = await tuned(axis, options);
  if (answer === undefined) throw new Error(failure);
  return answer;
}

describe('what tuning finds of simulated motors', () => {
  const grid = {
    friction: [0, 0.1, 0.25],
    timeConstantSec: [0.05, 0.2, 1],
    backlashDeg: [0, 3],
    deadBand: [0, 0.08],
    drag: [0],
  };
  // As multiples of the true value; for losses and friction, shares of full power.
  const bounds = [
    { ticks: 48, gain: 0.25, timeConstant: 0.2, maxRpm: 0.12, loss: 0.13, friction: 1 },
    { ticks: 200, gain: 0.06, timeConstant: 0.12, maxRpm: 0.03, loss: 0.04, friction: 0.06 },
    { ticks: 2_400, gain: 0.01, timeConstant: 0.01, maxRpm: 0.005, loss: 0.01, friction: 0.01 },
  ];
  for (const bound of bounds) {
    it(`${bound.ticks} ticks a turn: gain within ${bound.gain * 100} %, time constant within ${bound.timeConstant * 100} %`, async () => {
      for (const cell of cellsOf({ ...grid, ticks: [bound.ticks] })) {
        const { friction, timeConstantSec, deadBand } = cell;
        const { model, max_rpm: maxRpm, fit, ...answer } = await found(new SimulatedAxis(cell, 5));
        const words = JSON.stringify({ cell, model });
        const trueFriction = friction * (1 - deadBand);
        expect(Math.abs((model.rpm_per_power * (1 - deadBand)) / 120 - 1), words).toBeLessThan(bound.gain);
        expect(Math.abs(model.time_constant_sec / timeConstantSec - 1), words).toBeLessThan(bound.timeConstant);
        expect(Math.abs(maxRpm / (120 * (1 - friction)) - 1), words).toBeLessThan(bound.maxRpm);
        const loss = model.friction_pct + model.dead_band_pct;
        expect(Math.abs(loss - trueFriction - deadBand), words).toBeLessThan(bound.loss);
        // If it stops at once, the run-out is too short to distinguish friction from dead band.
        if (timeConstantSec > 0.1)
          expect(Math.abs(model.friction_pct - trueFriction), words).toBeLessThan(bound.friction);
        expect(fit.r2, words).toBeGreaterThan(0.94);
        expect(Math.abs(answer.ended_revolutions), words).toBeLessThan(0.08);
        expect(answer.samples.length).toBeLessThanOrEqual(300);
      }
    });
  }

  it('moves with the gains that are proposed arrive as they do without', async () => {
    const cells = cellsOf({
      friction: [0.03, 0.25],
      timeConstantSec: [0.05, 0.2, 1],
      ticks: [48, 200, 2_400],
      backlashDeg: [3],
      deadBand: [0.08],
      drag: [0],
    });
    const [without, withGains] = [[], []] as [
      Awaited<ReturnType<typeof runCell>>[],
      Awaited<ReturnType<typeof runCell>>[],
    ];
    for (const cell of cells) {
      const { control_parameters: gains } = await found(new SimulatedAxis(cell, 5));
      without.push(await runCell(cell, 20));
      withGains.push(await runCell({ ...cell, options: { gains } }, 20));
    }
    const [own, proposed] = [summaryOf(without), summaryOf(withGains)];
    const words = JSON.stringify({ own, proposed });
    expect(proposed.arrived, words).toBeGreaterThanOrEqual(own.arrived);
    expect(proposed.withinOvershoot, words).toBeGreaterThanOrEqual(own.withinOvershoot - 0.02);
    expect(proposed.medianTime, words).toBeLessThanOrEqual(1.25 * own.medianTime);
  }, 30_000);

  it('a motor that was tuned begins its first move knowing itself', async () => {
    const first = async (isTuned: boolean): Promise<number> => {
      const axis = new SimulatedAxis(plain, 5);
      if (isTuned) await found(axis);
      return (await axis.until(axis.motor.goFor(60, 2), none)).ms;
    };
    expect(await first(true)).toBeLessThan(await first(false));
  });

  it('gains follow the closed loop that is asked for: half the time, more than 1.5 times the gain', async () => {
    const slow = await found(new SimulatedAxis(plain, 5), { closed_loop_sec: 0.4 });
    const quick = await found(new SimulatedAxis(plain, 5), { closed_loop_sec: 0.2 });
    expect(quick.control_parameters.p / slow.control_parameters.p).toBeGreaterThan(1.5);
    expect(slow['closed_loop_sec']).toBe(0.4);
  });

  it('the samples say what was done: power, ticks, measured speed and that of the model', async () => {
    const { samples, fit, power_pct: power } = await found(new SimulatedAxis(plain, 5));
    expect(Math.max(...samples.map((sample) => sample.power))).toBe(power);
    expect(Math.min(...samples.map((sample) => sample.power))).toBe(-power);
    const missed = samples.map(({ rpm, model_rpm: model }) => (rpm - model) ** 2);
    expect(Math.sqrt(missed.reduce((sum, one) => sum + one, 0) / missed.length)).toBeCloseTo(fit.rms_error_rpm, 0);
    // (0.5 - 0.1) of 120 rpm.
    expect(Math.max(...samples.map(({ rpm }) => rpm))).toBeGreaterThan(46);
    expect(Math.max(...samples.map(({ rpm }) => rpm))).toBeLessThan(51);
  });
});

describe('a measurement is a motion like any other', () => {
  /** Starts a measurement, and advances time until the shaft has turned a few ticks. */
  async function begun(options: { readonly signal?: AbortSignal; readonly motor?: Partial<EncodedMotorOptions> } = {}) {
    const axis = new SimulatedAxis({ ...plain, options: options.motor ?? {} }, 5);
    const outcome = axis.motor.doCommand({ tune: {} }, options).then(
      () => 'done',
      (thrown: unknown) => (thrown instanceof Error ? thrown.message : String(thrown)),
    );
    while (axis.exactTicks < 60) await axis.rest(5, none);
    expect(await axis.motor.isMoving()).toBe(true);
    expect(axis.power).toBeGreaterThan(0);
    return { axis, outcome };
  }

  const settings = { ticksPerRotation: 100, limits: { min: 0, max: 1 }, slewPerSec: 0, freqHz: 800, toleranceDeg: 0 };
  const enders: readonly [string, (axis: SimulatedAxis) => Promise<unknown>][] = [
    ['Stop', (axis) => axis.motor.stop()],
    ['another command', (axis) => axis.motor.setPower(0)],
    ['closing', (axis) => axis.motor.close()],
    ['new settings', (axis) => axis.motor.apply({ ...settings, gains: undefined })],
  ];
  for (const [name, end] of enders) {
    it(`${name} ends it at once with the motor off, and the answer says so`, async () => {
      const { axis, outcome } = await begun();
      await end(axis);
      expect(await outcome).toMatch(/^Tune of motor "axis" ended early and switched it off: Stop, another command/);
      expect(axis.power).toBe(0);
      expect(await axis.motor.isMoving()).toBe(false);
      await expect(axis.motor.doCommand({ get_tuned_pid: true })).rejects.toThrow('has not been tuned');
    });
  }

  it('a caller that leaves ends it', async () => {
    const caller = new AbortController();
    const { axis, outcome } = await begun({ signal: caller.signal });
    caller.abort();
    expect(await outcome).toMatch(/Tune of motor "axis" ended early: its caller cancelled or left/);
    expect(axis.power).toBe(0);
  });

  it('tells how far it is', async () => {
    const axis = new SimulatedAxis(plain, 5);
    const progress = async () => (await axis.motor.doCommand({ get_tuning: true }))['get_tuning'] as JsonObject;
    expect(await progress()).toEqual({ is_running: false });
    const seen: JsonObject[] = [];
    const { failure } = await tuned(axis, {}, () => {
      void progress().then((one) => seen.push(one));
    });
    expect(failure).toBeUndefined();
    const running = seen.filter((one) => one['is_running'] === true);
    const shares = running.map(({ share }) => share as number);
    expect(shares).toEqual(shares.toSorted((one, other) => one - other));
    expect(Math.max(...shares)).toBeGreaterThan(0.95);
    const parts = running.map(({ phase, direction }) => `${phase as string} ${direction as number}`);
    expect([...new Set(parts)]).toEqual(['rest 1', 'start 1', 'step 1', 'stop 1', 'start -1', 'step -1', 'stop -1']);
    expect(await progress()).toEqual({ is_running: false });
  });
});

describe('what keeps a measurement from doing harm', () => {
  for (const isKnown of [false, true]) {
    for (const [wires, error] of [
      ['dead', /counted nothing/],
      ['swapped', /counts against/],
    ] as const) {
      it(`${wires} wires stop a motor that is ${isKnown ? '' : 'not '}known, as in any motion`, async () => {
        const axis = new SimulatedAxis(plain, 3);
        for (const way of isKnown ? [2, -2, 2, -2] : []) await axis.until(axis.motor.goFor(60, way), none);
        axis.seenTicks();
        axis.wires = wires;
        axis.mostPower = 0;
        const start = axis.body.revolutions;
        const { failure, ms } = await tuned(axis);
        expect(failure).toMatch(error);
        expect(ms).toBeLessThan(isKnown ? 2_500 : 4_000);
        expect(axis.mostPower).toBeLessThanOrEqual(0.7);
        expect(Math.abs(axis.body.revolutions - start)).toBeLessThan(2.5);
        expect(axis.power).toBe(0);
      });
    }
  }

  it('an encoder that dies during the step stops it', async () => {
    const axis = new SimulatedAxis(plain, 3);
    const { failure } = await tuned(axis, { duration_sec: 5 }, () => {
      if (axis.power === 0.5) axis.wires = 'dead';
    });
    expect(failure).toMatch(/counted nothing for 0\.[34] s/);
    expect(axis.power).toBe(0);
  });

  it('an encoder that cannot be read stops it', async () => {
    let isGone = false;
    const axis = new SimulatedAxis(plain, 3);
    const encoder = {
      name: 'enc',
      position: () =>
        isGone
          ? Promise.reject(new Error('gone'))
          : Promise.resolve({ value: axis.seenTicks(), type: 'ticks' as const }),
      resetPosition: () => Promise.resolve(),
      properties: () => Promise.resolve({ isTicksSupported: true, isDegreesSupported: false }),
      close: () => Promise.resolve(),
    };
    const read = new SimulatedAxis({ ...plain, options: { encoder } }, 3);
    const { failure } = await tuned(read, {}, () => (isGone = true));
    expect(failure).toBe(
      'Motor "axis" was stopped: encoder "enc" cannot be read: gone. Check the encoder and its wires.',
    );
    expect(read.power).toBe(0);
  });

  it('counts that had not caught up after the program hung do not spoil what is found', async () => {
    let [told, toldMs] = [0, 0];
    const axis: SimulatedAxis = new SimulatedAxis(
      {
        ...plain,
        options: {
          encoder: {
            name: 'enc',
            position: () => {
              const nowMs = axis.clock.monotonic();
              // Ticks counted meanwhile are reported only the next time.
              if (nowMs - toldMs < 100) told = axis.seenTicks();
              toldMs = nowMs;
              return Promise.resolve({ value: told, type: 'ticks' as const });
            },
            resetPosition: () => Promise.resolve(),
            properties: () => Promise.resolve({ isTicksSupported: true, isDegreesSupported: false }),
            close: () => Promise.resolve(),
          },
        },
      },
      3,
    );
    let nextMs = 600;
    const { answer } = await tuned(axis, {}, (ms) => {
      if (ms < nextMs) return;
      nextMs = ms + 450;
      axis.clock.advance(120);
      axis.advance();
    });
    expect(answer?.fit.r2).toBeGreaterThan(0.97);
    expect(Math.max(...(answer?.samples ?? []).map(({ rpm }) => Math.abs(rpm)))).toBeLessThan(60);
    expect(Math.abs((answer?.model.time_constant_sec ?? 0) / 0.2 - 1)).toBeLessThan(0.1);
  });

  for (const timeConstantSec of [0.05, 0.2]) {
    it(`the shaft stays within max_revolutions (${timeConstantSec} s)`, async () => {
      const axis = new SimulatedAxis({ ...plain, timeConstantSec, topSpeed: 20 }, 3);
      let farthest = 0;
      const { answer } = await tuned(axis, { max_revolutions: 6, power_pct: 0.6 }, () => {
        farthest = Math.max(farthest, Math.abs(axis.body.revolutions));
      });
      expect(farthest).toBeLessThanOrEqual(6);
      expect(answer?.farthest_revolutions).toBeCloseTo(farthest, 1);
      expect(Math.abs((answer?.model.time_constant_sec ?? 0) / timeConstantSec - 1)).toBeLessThan(0.15);
    });
  }

  it('one that may hardly turn is refused, and told why', async () => {
    const { failure } = await tuned(new SimulatedAxis(plain, 3), { max_revolutions: 0.1 });
    expect(failure).toMatch(/was not tuned: .*It was cut short at 0\.1 revolutions: raise max_revolutions/);
  });

  it('too few ticks are refused with their number', async () => {
    const { failure } = await tuned(new SimulatedAxis({ ...plain, ticks: 12 }, 3));
    expect(failure).toMatch(
      /its encoder counted only \d+ ticks while it turned forward; at least 24 are needed\. Try again/,
    );
  });

  it('a pull in one direction is no motor that the model knows', async () => {
    const axis = new SimulatedAxis(plain, 3);
    axis.body.setLoad({ pull: 0.08 });
    const { failure } = await tuned(axis);
    expect(failure).toMatch(/was not tuned: .* explains only \d+ %/);
    expect(axis.power).toBe(0);
  });

  it('a step that hardly exceeds what moves the shaft is refused', async () => {
    const { failure } = await tuned(new SimulatedAxis({ ...plain, friction: 0.25 }, 3), { power_pct: 0.35 });
    expect(failure).toMatch(/began to turn at 3\d % power, and a step to 35 % shows too little/);
  });

  it('never sends more than max_power_pct, and steps by more than half where the shaft needs it', async () => {
    const limited = new SimulatedAxis({ ...plain, options: { limits: { min: 0, max: 0.4 } } }, 3);
    expect((await found(limited)).power_pct).toBe(0.4);
    expect(limited.mostPower).toBe(0.4);
    expect((await found(new SimulatedAxis({ ...plain, friction: 0.25 }, 3))).power_pct).toBeGreaterThan(0.55);
  });

  it('refuses options that it does not know or that are out of bounds', async () => {
    const { motor } = new SimulatedAxis(plain, 3);
    await expect(motor.doCommand({ tune: { power: 1 } })).rejects.toThrow(/has no option "power"; it has power_pct/);
    await expect(motor.doCommand({ tune: { power_pct: 1.5 } })).rejects.toThrow(/tune.power_pct is 1.5; allowed is/);
    await expect(motor.doCommand({ tune: { duration_sec: 'long' } })).rejects.toThrow(/tune.duration_sec is/);
    await expect(motor.doCommand({ dance: true })).rejects.toThrow('"axis": its model does not support DoCommand.');
  });

  it('get_tuned_pid repeats what was found last', async () => {
    const axis = new SimulatedAxis(plain, 3);
    await expect(axis.motor.doCommand({ get_tuned_pid: true })).rejects.toThrow(/"axis" has not been tuned since/);
    const answer = await found(axis);
    expect(await axis.motor.doCommand({ get_tuned_pid: true })).toEqual({ get_tuned_pid: answer });
  });
});
