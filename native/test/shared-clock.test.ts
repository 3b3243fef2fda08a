/**
 * A pwmchip whose channels share one clock, as on a PCA9685: the kernel refuses a second frequency while another
 * channel runs.
 */
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { missingReason, openHardware, type Hardware, type HardwarePwm, type SimWorld } from '../index.js';
import { codeOf } from './code-of.ts';

const chip = '/sys/class/pwm/pwmchip0';

describe.skipIf(missingReason() !== undefined)('channels of one clock', () => {
  let hardware: Hardware;
  let sim: SimWorld;
  let first: HardwarePwm;
  let second: HardwarePwm;

  beforeEach(() => {
    hardware = openHardware({ backend: 'sim' });
    sim = hardware.sim!;
    sim.shareClock();
    first = hardware.openPwm({ chip, channel: 0, expiryMs: 5_000 });
    second = hardware.openPwm({ chip, channel: 1, expiryMs: 5_000 });
  });
  afterEach(() => hardware.close());

  test('one that is told 0 at another frequency before it ever ran keeps nobody from running', () => {
    for (const pwm of [first, second]) pwm.set(0, 800);
    for (const pwm of [first, second]) pwm.set(0, 50);
    first.set(0.075, 50);
    second.set(0.1, 50);
    expect([0, 1].map((channel) => sim.probePwm(chip, channel).frequencyHz)).toEqual([50, 50]);
    expect(sim.probePwm(chip, 1).dutyCycle).toBeCloseTo(0.1, 6);
  });

  test('one that was stopped gives the clock up', () => {
    first.set(0.5, 800);
    first.set(0, 800);
    second.set(0.1, 50);
    expect(sim.probePwm(chip, 1).frequencyHz).toBe(50);
    first.set(0, 800);
    first.set(0.05, 50);
    expect([0, 1].map((channel) => sim.probePwm(chip, channel).frequencyHz)).toEqual([50, 50]);
  });

  test('two frequencies at once are refused with the other channel and its frequency; nothing changes', () => {
    first.set(0.5, 800);
    second.set(0, 50);
    expect(() => second.set(0.1, 50)).toThrow(
      `${chip}: channel 1 cannot run at 50 Hz while channel 0 runs at 800 Hz, as all channels of this chip have one clock; give both the same frequency, or stop the other`,
    );
    expect(codeOf(() => second.set(0.1, 50))).toBe('hardware.busy');
    expect([0, 1].map((channel) => sim.probePwm(chip, channel).dutyCycle)).toEqual([0.5, 0]);
    second.set(0.1, 800);
    expect(() => second.set(0.2, 400)).toThrow('channel 0 runs at 800 Hz');
    expect(sim.probePwm(chip, 1)).toEqual({ dutyCycle: 0.1, frequencyHz: 800 });
  });

  test('a plain level has no frequency of its own: it takes that of the chip', () => {
    first.set(0.1, 50);
    second.set(1, 800);
    expect(sim.probePwm(chip, 1)).toEqual({ dutyCycle: 1, frequencyHz: 50 });
    second.set(0, 400);
    expect(sim.probePwm(chip, 1).dutyCycle).toBe(0);
    expect(sim.probePwm(chip, 0)).toEqual({ dutyCycle: 0.1, frequencyHz: 50 });
    second.set(1, 50);
    first.set(0.1, 400);
    expect([0, 1].map((channel) => sim.probePwm(chip, channel))).toEqual([
      { dutyCycle: 0.1, frequencyHz: 400 },
      { dutyCycle: 1, frequencyHz: 400 },
    ]);
    expect(codeOf(() => first.set(0.1, 100_000))).toBe('hardware.invalid');
    expect(sim.probePwm(chip, 1)).toEqual({ dutyCycle: 1, frequencyHz: 400 });
  });

  test('an impossible frequency is refused and changes nothing', () => {
    first.set(0.5, 800);
    expect(codeOf(() => first.set(0.5, 100_000))).toBe('hardware.invalid');
    expect(codeOf(() => second.set(0.5, 100_000))).toBe('hardware.invalid');
    expect([0, 1].map((channel) => sim.probePwm(chip, channel).dutyCycle)).toEqual([0.5, 0]);
    first.set(0.25, 800);
    second.set(0.1, 800);
  });

  test('a frequency that was refused is no expiry', async () => {
    first.set(0.5, 800);
    expect(codeOf(() => second.set(0.1, 50))).toBe('hardware.busy');
    expect(codeOf(() => first.set(0.5, 100_000))).toBe('hardware.invalid');
    // The expiry thread checks at least every 100 ms while something is on.
    const end = performance.now() + 400;
    while (performance.now() < end) await new Promise((resolve) => setImmediate(resolve));
    expect([first, second].map((pwm) => pwm.isExpired())).toEqual([false, false]);
    expect(hardware.stats().expiries).toBe(0);
  });
});
