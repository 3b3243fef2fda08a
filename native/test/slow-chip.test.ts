/** Software PWM on a chip whose writes take a millisecond, as those of USB adapters do, and on a fast one beside it. */
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { missingReason, openHardware, type Hardware, type SimWorld } from '../index.js';

const slow = '/dev/gpiochip0';
const fast = '/dev/gpiochip1';

/** Blocks the event loop: pulses continue without it. */
function freeze(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
}

/** For a run under a sanitizer on a busy computer. */
const LONGEST_MS = 180_000;

describe.skipIf(missingReason() !== undefined)('a slow chip', { timeout: LONGEST_MS }, () => {
  let hardware: Hardware;
  let sim: SimWorld;

  beforeEach(() => {
    hardware = openHardware({ backend: 'sim' });
    sim = hardware.sim!;
    sim.delayWrites(slow, 1);
  });
  afterEach(() => hardware.close());

  /** Freezes the event loop except for short moments, in which a test that takes too long can be ended. */
  async function frozenUntil(isSo: () => boolean): Promise<void> {
    while (!isSo()) {
      freeze(5);
      await new Promise(setImmediate);
    }
  }
  async function shareOf(chip: string, offset: number): Promise<number> {
    const edges = (count: number) => {
      const end = hardware.stats().pwmEdges + count;
      return frozenUntil(() => hardware.stats().pwmEdges >= end);
    };
    await edges(10);
    sim.probe(chip, offset);
    await edges(100);
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

  /** How long a write to the chip takes according to the message, s: a millisecond, and longer on a slow computer. */
  const saidWrite = (message: string): number => Number(/a write to it takes ([\d.]+) ms/.exec(message)?.[1]) / 1_000;

  test('refuses a frequency whose share of time high it cannot keep within 2 %, and names the highest it can', async () => {
    const line = hardware.openLine({ chip: slow, offset: 1, expiryMs: 60_000 });
    const { code, message } = refusalOf(() => line.pwm(0.2, 400));
    expect(code).toBe('hardware.invalid');
    const write = saidWrite(message);
    expect(write).toBeGreaterThanOrEqual(0.001);
    // A pulse of 0.2 may be shorter than a write by 2 % of the period. Both figures have three digits.
    const highest = Number(/at most (\d+) Hz/.exec(message)?.[1]);
    expect(highest).toBeGreaterThan((0.98 * 0.22) / write - 1);
    expect(highest).toBeLessThan((1.02 * 0.22) / write);
    expect(sim.probe(slow, 1).isHigh).toBe(false);
    line.pwm(0.2, highest / 4);
    // Other work may delay an edge at any time, but not all edges: a chip that is too slow never comes this close.
    while (Math.abs((await shareOf(slow, 1)) - 0.2) >= 0.03) expect(line.isExpired()).toBe(false);
  });

  test('has no neighbour beside which it cannot keep its pulses, whose frequency counts too', () => {
    const [first, second] = [1, 2].map((offset) => hardware.openLine({ chip: slow, offset, expiryMs: 60_000 }));
    const write = saidWrite(refusalOf(() => first?.pwm(0.2, 400)).message);
    // A pulse of another line delays an edge by a write: 10 % of the shorter period, and half a percent of the longer
    // one.
    const [short, long] = [0.1 / write, 0.005 / write];
    first?.pwm(0.5, short);
    const { code, message } = refusalOf(() => second?.pwm(0.5, long));
    expect([code, message]).toEqual(['hardware.invalid', expect.stringContaining('beside 1 other PWM')]);
    first?.pwm(0.5, long);
    second?.pwm(0.25, long);
    expect(sim.probe(slow, 2).isDriven).toBe(true);
  });

  test('that turns slow while it pulses ends its pulses, safe, and says why at the next command', async () => {
    const line = hardware.openLine({ chip: fast, offset: 1, expiryMs: 60_000 });
    line.pwm(0.2, 400);
    sim.delayWrites(fast, 1);
    await frozenUntil(() => hardware.stats().expiries > 0);
    expect([line.isExpired(), sim.probe(fast, 1).isHigh]).toEqual([true, false]);
    expect(hardware.stats()).toMatchObject({ expiries: 1, tooSlow: 1 });
    expect(refusalOf(() => line.pwm(0.2, 400)).message).toMatch(/at most \d+ Hz/);
  });
});
