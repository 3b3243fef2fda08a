import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { IncrementalEncoder } from './incremental-encoder.ts';
import { chip0, eventually, hardwareIsMissing, SimBench } from '../board-linux/testing/sim-bench.ts';
import { levelsAt } from '../quadrature.ts';

async function errorOf(encoder: IncrementalEncoder, ticks: number): Promise<number> {
  return Math.abs((await encoder.position('ticks')).value - ticks);
}

describe.skipIf(hardwareIsMissing)('incremental encoder on a linux board that is too slow for it', () => {
  let bench: SimBench;
  beforeEach(async () => {
    bench = await SimBench.open();
  });
  afterEach(() => bench.close());

  async function encoderOnLines() {
    const board = await bench.linux({
      digital_interrupts: [
        { name: 'a', pin: '3' },
        { name: 'b', pin: '5' },
      ],
    });
    const [a, b] = [board.digitalInterrupt('a'), board.digitalInterrupt('b')];
    const encoder = new IncrementalEncoder({ name: 'enc', a, b, clock: bench.clock });
    await encoder.start();
    let at = 0;
    /** All at once: meanwhile only the addon's thread reads, and the kernel keeps 1,024 edges. */
    const turn = (halfTicks: number): void => {
      for (let step = 0; step < Math.abs(halfTicks); step++) {
        at += Math.sign(halfTicks);
        const levels = levelsAt(at);
        bench.sim.pull(chip0, 3, levels.a);
        bench.sim.pull(chip0, 5, levels.b);
      }
    };
    let told = 0;
    const ends = [a, b].map((line) => line.onTick(({ missed = 0 }) => (told += 1 + missed)));
    const settled = (edges: number) => eventually(() => told === edges);
    return { encoder, turn, settled, end: () => ends.forEach((end) => end()) };
  }

  it('is right, or says by how much it is not, although most edges were lost; and certain again after a reset', async () => {
    const { encoder, turn, settled } = await encoderOnLines();
    turn(100);
    await settled(100);
    turn(300_000);
    await settled(300_100);
    expect((await encoder.status())['missed_edges']).toBeGreaterThan(0);
    bench.clock.advance(1_000);
    // How many gaps can be closed depends on how long the reading thread was delayed; rarely all of them.
    expect(await errorOf(encoder, 150_050)).toBeLessThanOrEqual(encoder.uncertainty.ticks);
    expect(encoder.uncertainty.ticks > 0).toBe(encoder.uncertainty.edges > 0);
    turn(1);
    await settled(300_101);
    // A delay of the thread that drives the wires looks like a shaft that stood still: the uncertainty may remain.
    expect(await errorOf(encoder, 150_050)).toBeLessThanOrEqual(encoder.uncertainty.ticks);
    const { missed_edges: missed, repaired_edges: repaired } = await encoder.status();
    expect(Number(repaired) + encoder.uncertainty.edges).toBe(missed);
    await encoder.resetPosition();
    turn(-1_000);
    await settled(301_101);
    expect(await errorOf(encoder, -500)).toBe(0);
    expect(encoder.uncertainty).toEqual({ ticks: 0, edges: 0 });
    await encoder.close();
  });
});
