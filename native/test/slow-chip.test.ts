/** Software PWM on a chip whose writes take a millisecond, as those of USB adapters do, and on a fast one beside it. */
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { missingReason, openHardware, type Hardware, type SimWorld } from '../index.js';

const slow = '/dev/gpiochip0';
const fast = '/dev/gpiochip1';

/** Blocks the event loop: pulses go on without it. */
function freeze(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
}

describe.skipIf(missingReason() !== undefined)('a slow chip', () => {
  let hardware: Hardware;
  let sim: SimWorld;

  beforeEach(() => {
    hardware = openHardware({ backend: 'sim' });
    sim = hardware.sim!;
    sim.delayWrites(slow, 1);
  });
  afterEach(() => hardware.close());

  function shareOf(chip: string, offset: number): number {
    const until = (edges: number) => {
      const end = hardware.stats().pwmEdges + edges;
      while (hardware.stats().pwmEdges < end) freeze(5);
    };
    until(10);
    sim.probe(chip, offset);
    until(100);
    return sim.probe(chip, offset).dutyCycle;
  }

  function refusalOf(call: () => void): { readonly code: string; readonly message: string } {
    try {
      call();
    } catch (error) {
      return error as { code: string; message: string };
    }
    return { code: '', message: '' };
  }

  test('refuses a frequency whose share of time high it cannot keep within 2 %, and names the highest it can', () => {
    const line = hardware.openLine({ chip: slow, offset: 1, expiryMs: 60_000 });
    const { code, message } = refusalOf(() => line.pwm(0.2, 400));
    expect(code).toBe('hardware.invalid');
    expect(message).toMatch(/a write to it takes 1\.\d\d ms/);
    const highest = Number(/at most (\d+) Hz/.exec(message)?.[1]);
    expect(highest).toBeGreaterThan(150);
    expect(highest).toBeLessThan(221);
    expect(sim.probe(slow, 1).isHigh).toBe(false);
    line.pwm(0.2, 50);
    expect(Math.abs(shareOf(slow, 1) - 0.2)).toBeLessThan(0.03);
  });

  test('has no neighbour beside which it cannot keep its pulses, whose frequency counts too', () => {
    const [first, second] = [1, 2].map((offset) => hardware.openLine({ chip: slow, offset, expiryMs: 60_000 }));
    first?.pwm(0.5, 100);
    const { code, message } = refusalOf(() => second?.pwm(0.5, 15));
    expect([code, message]).toEqual(['hardware.invalid', expect.stringContaining('beside 1 other PWM')]);
    first?.pwm(0.5, 15);
    second?.pwm(0.25, 15);
    expect(sim.probe(slow, 2).isDriven).toBe(true);
  });

  test('that turns slow while it pulses ends its pulses, safe, and says why at the next command', () => {
    const line = hardware.openLine({ chip: fast, offset: 1, expiryMs: 60_000 });
    line.pwm(0.2, 400);
    sim.delayWrites(fast, 1);
    while (hardware.stats().expiries === 0) freeze(5);
    expect([line.isExpired(), sim.probe(fast, 1).isHigh]).toEqual([true, false]);
    expect(hardware.stats()).toMatchObject({ expiries: 1, tooSlow: 1 });
    expect(refusalOf(() => line.pwm(0.2, 400)).message).toMatch(/at most \d+ Hz/);
  });
});
