import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { missingReason, openHardware, type Hardware, type SimWorld } from '../index.js';
import { codeOf } from './code-of.ts';

const chip = '/dev/gpiochip0';

describe.skipIf(missingReason() !== undefined)('lines', () => {
  let hardware: Hardware;
  let sim: SimWorld;

  beforeEach(() => {
    hardware = openHardware({ backend: 'sim' });
    sim = hardware.sim!;
  });
  afterEach(() => hardware.close());

  test('a line is not driven before the first write, then holds what was written', () => {
    const line = hardware.openLine({ chip, offset: 3 });
    expect(sim.probe(chip, 3).isDriven).toBe(false);
    sim.pull(chip, 3, true);
    expect(line.read()).toBe(true);
    line.write(false);
    expect(sim.probe(chip, 3)).toMatchObject({ isDriven: true, isHigh: false });
    line.write(true);
    expect(sim.probe(chip, 3)).toMatchObject({ isDriven: true, isHigh: true });
    expect(line.read()).toBe(true);
  });

  test('a line that is active low is logical at our end, electrical at the wire', () => {
    const line = hardware.openLine({ chip, offset: 3, isActiveLow: true });
    line.write(true);
    expect(sim.probe(chip, 3).isHigh).toBe(false);
    expect(line.read()).toBe(true);
    line.close();
    expect(sim.probe(chip, 3).isHigh).toBe(true);
  });

  test('an open drain drives low only; a pull-up holds it high', () => {
    const line = hardware.openLine({ chip, offset: 3, drive: 'open-drain', bias: 'pull-up' });
    line.write(true);
    expect(sim.probe(chip, 3)).toMatchObject({ isDriven: false, isHigh: true });
    sim.pull(chip, 3, false);
    expect(line.read()).toBe(false);
    line.write(false);
    expect(sim.probe(chip, 3)).toMatchObject({ isDriven: true, isHigh: false });
  });

  test('a closed line is at its safe level and free', () => {
    for (const safe of [false, true]) {
      const line = hardware.openLine({ chip, offset: 4, safe });
      line.write(!safe);
      line.close();
      expect(sim.probe(chip, 4).isHigh).toBe(safe);
      expect(codeOf(() => line.write(true))).toBe('hardware.gone');
    }
    expect(hardware.gpioLines(chip)[4]).toMatchObject({ isUsed: false, consumer: '' });
  });

  test('closing a line that was never driven leaves it alone', () => {
    sim.pull(chip, 5, true);
    hardware.openLine({ chip, offset: 5 }).close();
    expect(sim.probe(chip, 5)).toMatchObject({ isDriven: false, isHigh: true });
  });

  test('a line that is held is refused with who holds it', () => {
    hardware.openLine({ chip, offset: 6, consumer: 'left wheel' });
    expect(hardware.gpioLines(chip)[6]).toMatchObject({ isUsed: true, consumer: 'left wheel' });
    expect(() => hardware.openLine({ chip, offset: 6 })).toThrow(/left wheel/);
    expect(codeOf(() => hardware.openLine({ chip, offset: 6 }))).toBe('hardware.busy');
  });

  test('a group writes some and leaves the others as they are', () => {
    const group = hardware.openLines([0, 1, 2].map((offset) => ({ chip, offset })));
    group.write([true, undefined, true]);
    expect([0, 1, 2].map((offset) => sim.probe(chip, offset).isDriven)).toEqual([true, false, true]);
    sim.pull(chip, 1, true);
    expect(group.read()).toEqual([true, true, true]);
    group.write([false, undefined, undefined]);
    expect(group.read()).toEqual([false, true, true]);
    group.lines[2]?.write(false);
    expect(group.read()).toEqual([false, true, false]);
    group.close();
    expect(hardware.gpioLines(chip).some((line) => line.isUsed)).toBe(false);
  });

  test.each([
    [{ chip, offset: 32 }, 'hardware.invalid'],
    [{ chip, offset: -1 }, 'hardware.invalid'],
    [{ chip, offset: 1, expiryMs: 1 }, 'hardware.invalid'],
    [{ chip, offset: 1, bias: 'strong' as never }, 'hardware.invalid'],
    [{ chip: '/dev/gpiochip9', offset: 1 }, 'hardware.missing'],
  ])('%o is refused: %s', (options, code) => {
    expect(codeOf(() => hardware.openLine(options))).toBe(code);
  });

  test('an unplugged chip fails by name, the other goes on, and it works again when it is back', () => {
    const gone = hardware.openLine({ chip, offset: 1 });
    const other = hardware.openLine({ chip: '/dev/gpiochip1', offset: 1 });
    gone.write(true);
    const { id } = hardware.gpioChips()[0]!;
    sim.unplug(chip);
    expect(codeOf(() => gone.write(true))).toBe('hardware.gone');
    expect(() => gone.read()).toThrow(chip);
    expect(hardware.gpioChips().map((one) => one.path)).toEqual(['/dev/gpiochip1']);
    other.write(true);
    expect(sim.probe('/dev/gpiochip1', 1).isHigh).toBe(true);
    gone.close();
    sim.plug(chip);
    expect(hardware.gpioChips()[0]?.id).toBe(id);
    hardware.openLine({ chip, offset: 1 }).write(true);
    expect(sim.probe(chip, 1).isHigh).toBe(true);
  });

  test('closing the hardware makes everything safe', () => {
    hardware.openLine({ chip, offset: 1 }).write(true);
    hardware.openLine({ chip, offset: 2 }).pwm(0.5, 100);
    const pwm = hardware.openPwm({ chip: '/sys/class/pwm/pwmchip0', channel: 2 });
    pwm.set(0.25, 1000);
    expect(sim.probePwm('/sys/class/pwm/pwmchip0', 2)).toEqual({ dutyCycle: 0.25, frequencyHz: 1000 });
    hardware.close();
    expect([1, 2].map((offset) => sim.probe(chip, offset).isHigh)).toEqual([false, false]);
    expect(sim.probePwm('/sys/class/pwm/pwmchip0', 2).dutyCycle).toBe(0);
    expect(codeOf(() => hardware.openLine({ chip, offset: 1 }))).toBe('hardware.gone');
    expect(codeOf(() => pwm.set(1, 1000))).toBe('hardware.gone');
  });
});
