import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { missingReason, openHardware, type Hardware, type SimWorld } from '../index.js';
import { codeOf } from './code-of.ts';

const chip = '/dev/gpiochip0';

/** Blocks the event loop, as a program that hangs does. */
function freeze(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
}

describe.skipIf(missingReason() !== undefined)('software PWM', () => {
  let hardware: Hardware;
  let sim: SimWorld;

  beforeEach(() => {
    hardware = openHardware({ backend: 'sim' });
    sim = hardware.sim!;
  });
  afterEach(() => hardware.close());

  /** Lets the pulses continue for this many more edges. */
  function waitForEdges(count: number): void {
    const until = hardware.stats().pwmEdges + count;
    while (hardware.stats().pwmEdges < until) freeze(5);
  }

  test('0 and 1 hold the line without a pulse', () => {
    const line = hardware.openLine({ chip, offset: 1 });
    line.pwm(1, 800);
    sim.probe(chip, 1);
    freeze(20);
    expect(sim.probe(chip, 1)).toEqual({ isDriven: true, isHigh: true, dutyCycle: 1 });
    line.pwm(0, 800);
    sim.probe(chip, 1);
    freeze(20);
    expect(sim.probe(chip, 1)).toEqual({ isDriven: true, isHigh: false, dutyCycle: 0 });
    expect(hardware.stats().pwmEdges).toBe(0);
  });

  test('the share of time high follows the duty cycle, also when it changes', () => {
    const line = hardware.openLine({ chip, offset: 1 });
    for (const duty of [0.25, 0.75, 0.5]) {
      line.pwm(duty, 200);
      waitForEdges(4);
      sim.probe(chip, 1);
      waitForEdges(40);
      expect(Math.abs(sim.probe(chip, 1).dutyCycle - duty)).toBeLessThan(0.15);
    }
  });

  test('a write ends it', () => {
    const line = hardware.openLine({ chip, offset: 1 });
    line.pwm(0.5, 500);
    waitForEdges(4);
    line.write(true);
    const { pwmEdges } = hardware.stats();
    freeze(20);
    expect(hardware.stats().pwmEdges).toBe(pwmEdges);
    expect(sim.probe(chip, 1).isHigh).toBe(true);
  });

  test('lines of one group and of others pulse side by side', () => {
    const group = hardware.openLines([0, 1].map((offset) => ({ chip, offset })));
    const other = hardware.openLine({ chip, offset: 2 });
    group.lines[0]?.pwm(0.2, 100);
    group.lines[1]?.pwm(0.8, 100);
    other.pwm(0.5, 250);
    waitForEdges(20);
    for (const offset of [0, 1, 2]) sim.probe(chip, offset);
    waitForEdges(100);
    const shares = [0, 1, 2].map((offset) => sim.probe(chip, offset).dutyCycle);
    expect(shares[0]).toBeLessThan(shares[2]!);
    expect(shares[1]).toBeGreaterThan(shares[2]!);
  });

  test.each([
    [-0.1, 100],
    [1.1, 100],
    [Number.NaN, 100],
    [0.5, 0],
    [0.5, 1_000_000],
  ])('a duty cycle of %d at %d Hz is refused and changes nothing', (duty, hz) => {
    const line = hardware.openLine({ chip, offset: 1 });
    line.write(true);
    expect(codeOf(() => line.pwm(duty, hz))).toBe('hardware.invalid');
    expect(sim.probe(chip, 1).isHigh).toBe(true);
  });

  test('the limit of the frequency comes with its reason', () => {
    const { pwmHz, reason } = hardware.limits();
    expect(pwmHz).toBeGreaterThanOrEqual(2000);
    expect(reason).toMatch(/priority/);
    expect(() => hardware.openLine({ chip, offset: 1 }).pwm(0.5, pwmHz * 2)).toThrow(reason);
  });

  test('an unplugged chip ends its pulses and not those of another', () => {
    const gone = hardware.openLine({ chip, offset: 1 });
    gone.pwm(0.5, 200);
    hardware.openLine({ chip: '/dev/gpiochip1', offset: 1 }).pwm(0.5, 200);
    waitForEdges(4);
    sim.unplug(chip);
    waitForEdges(10);
    expect(codeOf(() => gone.pwm(0.5, 200))).toBe('hardware.gone');
  });

  test('when the event loop is frozen, every output goes to its safe level; a write drives it again', () => {
    const high = hardware.openLine({ chip, offset: 1, expiryMs: 150 });
    const pulsing = hardware.openLine({ chip, offset: 2, safe: true, expiryMs: 150 });
    const pwm = hardware.openPwm({ chip: '/sys/class/pwm/pwmchip0', channel: 0, expiryMs: 150 });
    high.write(true);
    pulsing.pwm(0.5, 100);
    pwm.set(0.5, 1000);
    const end = Date.now() + 10_000;
    while (hardware.stats().expiries < 3 && Date.now() < end) freeze(20);
    expect(hardware.stats().expiries).toBe(3);
    expect([high, pulsing, pwm].map((output) => output.isExpired())).toEqual([true, true, true]);
    expect(sim.probe(chip, 1).isHigh).toBe(false);
    expect(sim.probe(chip, 2).isHigh).toBe(true);
    expect(sim.probePwm('/sys/class/pwm/pwmchip0', 0).dutyCycle).toBe(0);
    high.write(true);
    pwm.set(0.5, 1000);
    expect(sim.probe(chip, 1).isHigh).toBe(true);
    expect([high, pulsing, pwm].map((output) => output.isExpired())).toEqual([false, true, false]);
  });

  test('while the event loop turns, nothing expires', async () => {
    hardware.openLine({ chip, offset: 1, expiryMs: 5_000 }).write(true);
    const short = hardware.openLine({ chip, offset: 2, expiryMs: 1_000 });
    short.write(true);
    const end = performance.now() + 1_500;
    while (performance.now() < end) await new Promise((resolve) => setImmediate(resolve));
    expect(sim.probe(chip, 2).isHigh).toBe(true);
    expect(hardware.stats().expiries).toBe(0);
  });
});
