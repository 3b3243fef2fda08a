import { describe, expect, it } from 'vitest';
import { settle, TestBench } from '../bench.fixture.ts';
import type { Motor } from '../../../apis/motor.ts';

const styles = {
  'PWM/DIR': { pwm: 'pwm', dir: 'dir' },
  'In1/In2': { a: 'a', b: 'b' },
  'In1/In2 and PWM': { a: 'a', b: 'b', pwm: 'pwm' },
} as const;
type Style = keyof typeof styles;
const all = Object.keys(styles) as Style[];

async function motorOn(style: Style, attributes: object = {}) {
  const bench = new TestBench();
  const board = bench.board();
  const pins = styles[style];
  const config = { board: 'bench', max_rpm: 100, pins, direction_dead_time_ms: 100, ...attributes };
  const motor = await bench.build<Motor>('core:component:motor', 'gpio', 'left', config);
  // Without power the level of the direction pin does not matter.
  const driving = Object.values(pins).filter((pin) => pin !== 'dir');
  const outputs = () => driving.map((pin) => board.gpioPin(pin).output);
  const isOff = () => outputs().every((output) => output === 0);
  const power = async () => (await motor.poweredState()).power;
  return { bench, motor, isOff, power };
}

describe('gpio motor, direction_dead_time_ms', () => {
  it.each(all)(
    '%s: all outputs are at zero for so long at a reversal, and it is moving all the same',
    async (style) => {
      for (const sign of [1, -1]) {
        const { bench, motor, isOff, power } = await motorOn(style);
        await motor.setPower(0.5 * sign);
        expect(isOff()).toBe(false);
        await motor.setPower(-0.5 * sign);
        for (let passed = 0; passed < 100; passed += 5) {
          expect(isOff()).toBe(true);
          expect([await power(), await motor.isMoving()]).toEqual([0, true]);
          await bench.pass(5);
        }
        await bench.pass(10);
        expect(isOff()).toBe(false);
        expect(await power()).toBe(-0.5 * sign);
        expect(bench.clock.pending).toBe(0);
      }
    },
  );

  it('counts from when it was switched off, and not where the direction stays', async () => {
    const { bench, motor, power } = await motorOn('In1/In2');
    await motor.setPower(0.5);
    await motor.stop();
    await motor.setPower(0.6);
    expect(await power()).toBe(0.6);
    await motor.stop();
    await bench.pass(60);
    await motor.setPower(-0.5);
    expect(await power()).toBe(0);
    await bench.pass(50);
    expect(await power()).toBe(-0.5);
    await motor.stop();
    await bench.pass(100);
    await motor.setPower(0.5);
    expect(await power()).toBe(0.5);
  });

  it('a Stop, or power the old way, in between is carried out at once', async () => {
    const { bench, motor, isOff, power } = await motorOn('In1/In2');
    await motor.setPower(0.5);
    await motor.setPower(-0.5);
    await motor.stop();
    expect(await motor.isMoving()).toBe(false);
    await bench.pass(300);
    expect(isOff()).toBe(true);
    await motor.setPower(0.5);
    await motor.setPower(-0.5);
    await motor.setPower(0.7);
    expect(await power()).toBe(0.7);
    await bench.pass(300);
    expect(await power()).toBe(0.7);
    expect(bench.clock.pending).toBe(0);
  });

  it('after a brake the outputs are at zero, too, before it turns the other way', async () => {
    const { bench, motor, isOff, power } = await motorOn('In1/In2', { stop_mode: 'brake' });
    await motor.setPower(0.5);
    await motor.setPower(0);
    expect(isOff()).toBe(false);
    await bench.pass(500);
    await motor.setPower(-0.5);
    await settle();
    expect(isOff()).toBe(true);
    await bench.pass(110);
    expect(await power()).toBe(-0.5);
  });

  it('a ramp goes on from nothing after it', async () => {
    const { bench, motor, power } = await motorOn('PWM/DIR', { power_slew_per_sec: 1 });
    await motor.setPower(0.5);
    await bench.pass(600);
    await motor.setPower(-1);
    let zeroMs = 0;
    const seen: number[] = [];
    for (let passed = 0; passed < 1_000; passed += 5) {
      await bench.pass(5);
      seen.push(await power());
      if (seen.at(-1) === 0) zeroMs += 5;
    }
    expect(zeroMs).toBeGreaterThanOrEqual(100);
    expect(zeroMs).toBeLessThan(150);
    for (const [index, now] of seen.entries()) {
      const before = seen[index - 1];
      if (before !== undefined) expect(Math.abs(now - before)).toBeLessThan(0.04);
    }
    expect(seen.at(-1)).toBeCloseTo(-0.38, 1);
  });

  it('motions still end where they should', async () => {
    const { bench, motor } = await motorOn('In1/In2');
    await bench.passUntil(motor.goFor(50, 1));
    const start = bench.clock.monotonic();
    await bench.passUntil(motor.goFor(-50, 1));
    expect(bench.clock.monotonic() - start).toBeGreaterThanOrEqual(1_295);
    expect(await motor.position()).toBeCloseTo(0, 6);
  });
});
