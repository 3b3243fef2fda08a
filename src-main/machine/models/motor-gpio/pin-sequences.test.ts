import { describe, expect, it } from 'vitest';
import { recordPins, TestBench } from '../bench.fixture.ts';
import type { Motor } from '../../../apis/motor.ts';
import type { FakeBoard } from '../board-fake/fake-board.ts';

const API = 'core:component:motor';
const styles = {
  'PWM/DIR': { pwm: 'pwm', dir: 'dir' },
  'In1/In2': { a: 'a', b: 'b' },
  'In1/In2 and PWM': { a: 'a', b: 'b', pwm: 'pwm' },
} as const;

async function motorOn(
  pins: object,
  attributes: object = {},
): Promise<{ motor: Motor; board: FakeBoard; lines: string[]; bench: TestBench }> {
  const bench = new TestBench();
  const board = bench.board();
  const lines = recordPins(board);
  const motor = await bench.build<Motor>(API, 'gpio', 'left', { board: 'bench', max_rpm: 100, pins, ...attributes });
  return { motor, board, lines, bench };
}

/** Runs a step and returns the pin operations during it. */
async function during(lines: string[], step: () => Promise<unknown>): Promise<string[]> {
  lines.length = 0;
  await step();
  return [...lines];
}

const off: Record<keyof typeof styles, string[]> = {
  'PWM/DIR': ['pwm pwm 0', 'pwm set false'],
  'In1/In2': ['a set false', 'b pwm 0', 'b set false'],
  'In1/In2 and PWM': ['pwm pwm 0', 'pwm set false', 'a set false', 'b set false'],
};

const start: Record<keyof typeof styles, { forward: string[]; backward: string[] }> = {
  'PWM/DIR': {
    forward: ['pwm freq 800', 'dir set true', 'pwm pwm 0.25'],
    backward: ['pwm freq 800', 'dir set false', 'pwm pwm 0.25'],
  },
  'In1/In2': {
    forward: ['b freq 800', 'b pwm 0.75', 'a set true'],
    backward: ['a freq 800', 'a pwm 0.75', 'b set true'],
  },
  'In1/In2 and PWM': {
    forward: ['pwm freq 800', 'a set true', 'pwm pwm 0.25'],
    backward: ['pwm freq 800', 'b set true', 'pwm pwm 0.25'],
  },
};

const enables = [
  { title: 'no enable pin', pins: {}, on: [], off: [] },
  { title: 'en_high', pins: { en_high: 'eh' }, on: ['eh set true'], off: ['eh set false'] },
  { title: 'en_low', pins: { en_low: 'el' }, on: ['el set false'], off: ['el set true'] },
];

describe('pins of a gpio motor: golden sequences', () => {
  for (const style of Object.keys(styles) as (keyof typeof styles)[]) {
    for (const enable of enables) {
      for (const isFlipped of [false, true]) {
        for (const direction of ['forward', 'backward'] as const) {
          it(`${style}, ${enable.title}, dir_flip ${isFlipped}: ${direction}, then stop`, async () => {
            const { motor, lines } = await motorOn({ ...styles[style], ...enable.pins }, { dir_flip: isFlipped });
            const sign = direction === 'forward' ? 1 : -1;
            const wired = isFlipped === (direction === 'forward') ? 'backward' : 'forward';
            expect(await during(lines, () => motor.setPower(0.25 * sign))).toEqual([
              ...start[style][wired],
              ...enable.on,
            ]);
            expect(await motor.poweredState()).toEqual({ isOn: true, power: 0.25 * sign });
            const steady =
              style === 'In1/In2' && wired === 'backward' ? ['b set false', 'a pwm 0', 'a set false'] : off[style];
            expect((await during(lines, () => motor.stop())).toSorted()).toEqual([...enable.off, ...steady].toSorted());
            expect(lines[0]).toBe([...enable.off, ...steady][0]);
          });
        }
      }
    }
  }

  it('construction ends with outputs off', async () => {
    const { lines, motor } = await motorOn({ ...styles['In1/In2 and PWM'], en_high: 'eh' });
    expect(lines).toEqual(['eh set false', 'pwm pwm 0', 'pwm set false', 'a set false', 'b set false']);
    expect(await motor.isMoving()).toBe(false);
  });

  it('the same direction touches only the duty', async () => {
    for (const style of Object.keys(styles) as (keyof typeof styles)[]) {
      const { motor, lines } = await motorOn(styles[style]);
      await motor.setPower(0.25);
      const expected = { 'PWM/DIR': 'pwm pwm 0.75', 'In1/In2': 'b pwm 0.25', 'In1/In2 and PWM': 'pwm pwm 0.75' };
      expect(await during(lines, () => motor.setPower(0.75))).toEqual([expected[style]]);
    }
  });

  it('a reversal passes through zero and keeps the driver enabled', async () => {
    const first = await motorOn({ ...styles['PWM/DIR'], en_high: 'eh' });
    await first.motor.setPower(0.5);
    expect(await during(first.lines, () => first.motor.setPower(-0.5))).toEqual([
      'pwm pwm 0',
      'dir set false',
      'pwm pwm 0.5',
    ]);
    const second = await motorOn(styles['In1/In2']);
    await second.motor.setPower(0.5);
    const sequence = await during(second.lines, () => second.motor.setPower(-0.5));
    expect(sequence.toSorted()).toEqual(
      ['a set false', 'b pwm 0', 'b set false', 'a freq 800', 'a pwm 0.5', 'b set true'].toSorted(),
    );
    expect(sequence.slice(-3)).toEqual(['a freq 800', 'a pwm 0.5', 'b set true']);
    const third = await motorOn(styles['In1/In2 and PWM']);
    await third.motor.setPower(0.5);
    expect(await during(third.lines, () => third.motor.setPower(-0.5))).toEqual([
      'pwm pwm 0',
      'a set false',
      'b set false',
      'b set true',
      'pwm pwm 0.5',
    ]);
  });

  it('with In1/In2 no operation leaves one pin high and the other plainly low, short of full power', async () => {
    const { motor, board } = await motorOn(styles['In1/In2']);
    const worst: number[] = [];
    board.observe(() => {
      const a = board.gpioPin('a').output;
      const b = board.gpioPin('b').output;
      worst.push(Math.abs(a - b));
    });
    for (const power of [0.3, 0.6, -0.3, -0.6, 0.4]) await motor.setPower(power);
    await motor.stop();
    expect(Math.max(...worst)).toBeLessThan(1);
  });

  it('with In1/In2 the minimum is applied before the duty is inverted: full power stays full', async () => {
    const { motor, lines } = await motorOn(styles['In1/In2'], { min_power_pct: 0.3 });
    expect(await during(lines, () => motor.setPower(1))).toContain('b pwm 0');
    expect(await during(lines, () => motor.setPower(0.1))).toEqual(['b pwm 0.7']);
  });

  it('zero power does not enable the driver first', async () => {
    const { motor, lines } = await motorOn({ ...styles['PWM/DIR'], en_high: 'eh' });
    expect(await during(lines, () => motor.setPower(0.005))).toEqual(['eh set false', 'pwm pwm 0', 'pwm set false']);
    expect(await during(lines, () => motor.setPower(0))).not.toContain('eh set true');
  });

  it('an enable pin that fails while stopping is reported, and the other pins are still switched off', async () => {
    const { motor, board, lines } = await motorOn({ ...styles['PWM/DIR'], en_high: 'eh' });
    await motor.setPower(0.5);
    const enable = board.gpioPin('eh');
    const works = enable.set.bind(enable);
    enable.set = () => Promise.reject(new Error('line is gone'));
    lines.length = 0;
    await expect(motor.stop()).rejects.toMatchObject({
      code: 'hardware.failed',
      message: expect.stringContaining('line is gone') as string,
    });
    expect(lines).toEqual(['pwm pwm 0', 'pwm set false']);
    enable.set = works;
    await motor.stop();
    expect(lines).toContain('eh set false');
    expect(await motor.isMoving()).toBe(false);
  });

  it('a pin that fails while starting leaves everything off and the motor not powered', async () => {
    const { motor, board } = await motorOn(styles['PWM/DIR']);
    board.gpioPin('dir').set = () => Promise.reject(new Error('line is gone'));
    await expect(motor.setPower(0.5)).rejects.toMatchObject({ code: 'hardware.failed' });
    expect(board.gpioPin('pwm').output).toBe(0);
    expect(await motor.poweredState()).toEqual({ isOn: false, power: 0 });
  });
});

describe('gpio motor, attribute by attribute', () => {
  it('pwm_freq: default 800, 0 is the default, a number is used', async () => {
    for (const [attributes, freq] of [
      [{}, 800],
      [{ pwm_freq: 0 }, 800],
      [{ pwm_freq: 4000 }, 4000],
    ] as const) {
      const { motor, lines } = await motorOn(styles['PWM/DIR'], attributes);
      expect(await during(lines, () => motor.setPower(0.5))).toContain(`pwm freq ${freq}`);
    }
  });

  it('pwm_freq: a changed frequency reaches a turning motor without a stop', async () => {
    const { motor, lines } = await motorOn(styles['PWM/DIR']);
    await motor.setPower(0.5);
    const change = { board: 'bench', max_rpm: 100, pins: styles['PWM/DIR'], pwm_freq: 2000 };
    const reconfigure = (motor as Motor & { reconfigure(attributes: object): Promise<void> }).reconfigure.bind(motor);
    expect(await during(lines, () => reconfigure(change))).toEqual(['pwm freq 2000', 'pwm pwm 0.5']);
  });

  for (const sign of [1, -1]) {
    it(`min_power_pct, max_power_pct: right at both ends, ${sign > 0 ? 'forward' : 'backward'}`, async () => {
      const { motor } = await motorOn(styles['PWM/DIR'], { min_power_pct: 0.2, max_power_pct: 0.6 });
      for (const [asked, sent] of [
        [0.05, 0.2],
        [0.2, 0.2],
        [0.4, 0.4],
        [0.6, 0.6],
        [1, 0.6],
      ] as const) {
        await motor.setPower(asked * sign);
        expect(await motor.poweredState()).toEqual({ isOn: true, power: sent * sign });
      }
      await motor.setPower(0.01 * sign);
      expect(await motor.poweredState()).toEqual({ isOn: false, power: 0 });
    });
  }

  it('a power that is no number stops the motor', async () => {
    const { motor } = await motorOn(styles['PWM/DIR']);
    await motor.setPower(0.5);
    await motor.setPower(Number.NaN);
    expect(await motor.poweredState()).toEqual({ isOn: false, power: 0 });
  });

  it('max_power_pct: 0 means no limit', async () => {
    const { motor } = await motorOn(styles['PWM/DIR'], { max_power_pct: 0 });
    await motor.setPower(1);
    expect(await motor.poweredState()).toEqual({ isOn: true, power: 1 });
  });

  it('a lowered max_power_pct holds a turning motor at once, without a stop', async () => {
    const { motor, lines } = await motorOn(styles['PWM/DIR']);
    await motor.setPower(0.9);
    const change = { board: 'bench', max_rpm: 100, pins: styles['PWM/DIR'], max_power_pct: 0.5 };
    const reconfigure = (motor as Motor & { reconfigure(attributes: object): Promise<void> }).reconfigure.bind(motor);
    const sequence = await during(lines, () => reconfigure(change));
    expect(sequence.at(-1)).toBe('pwm pwm 0.5');
    expect(sequence).not.toContain('pwm pwm 0');
    expect(await motor.isMoving()).toBe(true);
    await reconfigure({ ...change, max_power_pct: 1 });
    expect(await motor.poweredState()).toEqual({ isOn: true, power: 0.9 });
  });

  it('power_slew_per_sec ramps the power, also through a reversal; Stop is at once', async () => {
    const { motor, bench, board } = await motorOn(styles['PWM/DIR'], { power_slew_per_sec: 1 });
    await motor.setPower(1);
    expect(await motor.isMoving()).toBe(true);
    await bench.pass(500);
    const half = (await motor.poweredState()).power;
    expect(half).toBeGreaterThan(0.45);
    expect(half).toBeLessThan(0.55);
    await bench.pass(600);
    expect((await motor.poweredState()).power).toBe(1);
    await motor.setPower(-1);
    await bench.pass(500);
    expect((await motor.poweredState()).power).toBeCloseTo(0.5, 1);
    await bench.pass(1_000);
    expect((await motor.poweredState()).power).toBeCloseTo(-0.5, 1);
    await motor.stop();
    expect(board.gpioPin('pwm').output).toBe(0);
    await bench.pass(1_000);
    expect(await motor.poweredState()).toEqual({ isOn: false, power: 0 });
    expect(bench.clock.pending).toBe(0);
  });
});

describe('gpio motor', () => {
  it('owns its pins until it is closed: what a client drives there does not outlive the client', async () => {
    const { motor, board } = await motorOn({ ...styles['In1/In2 and PWM'], en_high: 'eh' });
    const held = () => ['a', 'b', 'pwm', 'eh', 'other'].map((pin) => board.holdsPin(pin));
    expect(held()).toEqual([true, true, true, true, false]);
    await motor.close();
    expect(held()).toEqual([false, false, false, false, false]);
  });
});
