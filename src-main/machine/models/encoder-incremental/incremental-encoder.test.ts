import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { IncrementalEncoder } from './incremental-encoder.ts';
import { halfTicksBetween, levelsAt } from '../quadrature.ts';
import type { DigitalInterrupt, Tick } from '../../../apis/board/types.ts';
import { ManualClock } from '../../../base/clock.ts';

class Line implements DigitalInterrupt {
  readonly name: string;
  isHigh: boolean;
  /** Timestamp of the next edge. */
  timeNs = 0n;
  /** Drops this many of the next edges, and counts them as the kernel does. */
  loses = 0;
  #missed = 0;
  #listeners = new Set<(tick: Tick) => void>();
  #gapListeners = new Set<() => void>();

  constructor(name: string, isHigh: boolean) {
    this.name = name;
    this.isHigh = isHigh;
  }

  /** A count that is independent of the level. */
  value = (): Promise<number> => Promise.resolve(12_345);
  level = (): Promise<boolean> => Promise.resolve(this.isHigh);

  onTick(listener: (tick: Tick) => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  onGap(listener: () => void): () => void {
    this.#gapListeners.add(listener);
    return () => void this.#gapListeners.delete(listener);
  }

  catchUp = (): void => undefined;

  get listeners(): number {
    return this.#listeners.size + this.#gapListeners.size;
  }

  /** The shaft was turned while unwatched, and is watched again. */
  backAt(isHigh: boolean): void {
    this.isHigh = isHigh;
    for (const listener of this.#gapListeners) listener();
  }

  drive(isHigh: boolean): void {
    if (isHigh === this.isHigh) return;
    this.isHigh = isHigh;
    if (this.loses > 0) {
      this.loses--;
      this.#missed++;
      return;
    }
    const missed = this.#missed;
    this.#missed = 0;
    const tick: Tick = { interrupt: this.name, timeNs: this.timeNs, isHigh, ...(missed > 0 && { missed }) };
    for (const listener of this.#listeners) listener(tick);
  }
}

async function encoderAt(halfTicks: number) {
  const levels = levelsAt(halfTicks);
  const a = new Line('a', levels.a);
  const b = new Line('b', levels.b);
  const clock = new ManualClock();
  const encoder = new IncrementalEncoder({ name: 'enc', a, b, clock });
  await encoder.start();
  let at = halfTicks;
  const turn = (by: number): void => {
    for (let step = 0; step < Math.abs(by); step++) {
      at += Math.sign(by);
      a.drive(levelsAt(at).a);
      b.drive(levelsAt(at).b);
    }
  };
  const ticks = async () => (await encoder.position(undefined)).value;
  const skip = (by: number): void => void (at += by);
  return { encoder, a, b, turn, ticks, clock, skip, levels: () => levelsAt(at) };
}

describe('incremental encoder', () => {
  it('the start state is taken from levels: the first edge counts right in all four states', async () => {
    for (const start of [0, 1, 2, 3]) {
      const { turn, ticks } = await encoderAt(start);
      turn(2);
      expect(await ticks()).toBe(1);
      turn(-4);
      expect(await ticks()).toBe(-1);
    }
  });

  it('an edge that comes while the levels are read is newer than they are', async () => {
    const a = new Line('a', false);
    const b = new Line('b', false);
    const encoder = new IncrementalEncoder({ name: 'enc', a, b, clock: new ManualClock() });
    const started = encoder.start();
    a.drive(true);
    await started;
    b.drive(true);
    a.drive(false);
    expect((await encoder.position(undefined)).value).toBe(1);
    expect(await encoder.status()).toMatchObject({ missed_edges: 0 });
  });

  it('tells where it is now, also to a program that was held up and has heard of no edge since', async () => {
    const { encoder, a, b, turn } = await encoderAt(0);
    a.catchUp = () => turn(1);
    b.catchUp = () => turn(1);
    expect((await encoder.position('ticks')).value).toBe(1);
    await encoder.resetPosition();
    a.catchUp = b.catchUp = () => undefined;
    expect((await encoder.position('ticks')).value).toBe(0);
  });

  it('its speed is that of the times its edges carry', async () => {
    const { encoder, a, b, turn } = await encoderAt(0);
    for (let edge = 0; edge < 200; edge++) {
      a.timeNs = b.timeNs = BigInt(edge) * 500_000n;
      turn(-1);
    }
    expect((await encoder.status())['ticks_per_sec']).toBeCloseTo(-1_000, 6);
  });

  it('a position is half the edges, rounded down, wherever the shaft went', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 0, max: 3 }),
        fc.array(fc.integer({ min: -50, max: 50 })),
        async (start, turns) => {
          const { turn, ticks } = await encoderAt(start);
          for (const by of turns) turn(by);
          expect(await ticks()).toBe(Math.floor(turns.reduce((sum, by) => sum + by, 0) / 2));
        },
      ),
    );
  });

  it('reset makes the position zero and keeps an odd half-tick', async () => {
    const { encoder, turn, ticks } = await encoderAt(0);
    turn(5);
    await encoder.resetPosition();
    expect(await ticks()).toBe(0);
    turn(1);
    expect(await ticks()).toBe(1);
  });

  it('makes good the edges that never came, where the shaft turned on', async () => {
    const { encoder, a, b, turn, ticks } = await encoderAt(0);
    turn(-20);
    [a.loses, b.loses] = [7, 6];
    turn(-40);
    expect(await ticks()).toBe(-30);
    expect(await encoder.status()).toMatchObject({ missed_edges: 13, repaired_edges: 13, doubt_ticks: 0 });
    expect(encoder.uncertainty).toEqual({ ticks: 0, edges: 0 });
  });

  it('says by how much it may be off where it may have turned round, until it is reset', async () => {
    const { encoder, a, turn, ticks } = await encoderAt(0);
    turn(21);
    a.loses = 1;
    turn(2);
    turn(-21);
    expect(encoder.uncertainty.edges).toBe(1);
    expect(encoder.uncertainty.ticks).toBeGreaterThan(0);
    expect(Math.abs((await ticks()) - 1)).toBeLessThanOrEqual(encoder.uncertainty.ticks);
    expect(await encoder.status()).toMatchObject({
      missed_edges: 1,
      repaired_edges: 0,
      doubt_ticks: encoder.uncertainty.ticks,
    });
    await encoder.resetPosition();
    expect(encoder.uncertainty).toEqual({ ticks: 0, edges: 0 });
  });

  it('is uncertain where the shaft stopped before it could be decided', async () => {
    const { encoder, a, turn, clock } = await encoderAt(0);
    turn(20);
    a.loses = 1;
    turn(3);
    expect(encoder.uncertainty).toEqual({ ticks: 0, edges: 0 });
    clock.advance(20);
    expect(encoder.uncertainty.edges).toBe(1);
    expect(encoder.uncertainty.ticks).toBeGreaterThan(0);
    turn(1);
    expect(encoder.uncertainty).toEqual({ ticks: 0, edges: 0 });
  });

  it('goes on from where its lines are after a time in which nobody counted, and says that nobody knows how far it is off', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: -30, max: 30 }),
        fc.integer({ min: -30, max: 30 }),
        fc.integer({ min: -30, max: 30 }),
        async (before, unseen, after) => {
          const { encoder, a, b, turn, ticks, levels, skip } = await encoderAt(0);
          turn(before);
          skip(unseen);
          a.backAt(levels().a);
          b.backAt(levels().b);
          await new Promise((resolve) => setImmediate(resolve));
          const known = await ticks();
          expect(Math.abs(known - Math.floor(before / 2))).toBeLessThanOrEqual(1);
          turn(after);
          turn(-after);
          expect(await ticks()).toBe(known);
          expect(encoder.uncertainty).toEqual({ ticks: Infinity, edges: 0 });
          expect(await encoder.status()).toMatchObject({ missed_edges: 0, doubt_ticks: null });
          await encoder.resetPosition();
          expect(encoder.uncertainty).toEqual({ ticks: 0, edges: 0 });
        },
      ),
    );
  });

  it('counts ticks only', async () => {
    const { encoder } = await encoderAt(0);
    expect(await encoder.properties()).toEqual({ isTicksSupported: true, isDegreesSupported: false });
    expect(await encoder.position('ticks')).toEqual({ value: 0, type: 'ticks' });
    await expect(encoder.position('degrees')).rejects.toMatchObject({ code: 'call.unimplemented' });
  });

  it('closing lets the interrupts go', async () => {
    const { encoder, a, b } = await encoderAt(0);
    await encoder.close();
    expect([a.listeners, b.listeners]).toEqual([0, 0]);
  });

  it('one that cannot read its levels at the start lets the interrupts go', async () => {
    const a = new Line('a', false);
    const b = new Line('b', false);
    b.level = () => Promise.reject(new Error('line is gone'));
    await expect(new IncrementalEncoder({ name: 'enc', a, b, clock: new ManualClock() }).start()).rejects.toThrow(
      'line is gone',
    );
    expect([a.listeners, b.listeners]).toEqual([0, 0]);
  });

  it('tells a lost edge from a turn', () => {
    expect(halfTicksBetween(levelsAt(0), levelsAt(2))).toBeUndefined();
    expect(halfTicksBetween(levelsAt(3), levelsAt(4))).toBe(1);
    expect(halfTicksBetween(levelsAt(0), levelsAt(-1))).toBe(-1);
    expect(halfTicksBetween(levelsAt(1), levelsAt(1))).toBe(0);
  });
});
