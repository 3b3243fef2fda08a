import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import {
  missingReason,
  openHardware,
  type EdgeBatch,
  type EdgeOptions,
  type Hardware,
  type SimWorld,
} from '../index.js';
import { codeOf } from './code-of.ts';

const chip = '/dev/gpiochip1';

describe.skipIf(missingReason() !== undefined)('edges', () => {
  let hardware: Hardware;
  let sim: SimWorld;

  beforeEach(() => {
    hardware = openHardware({ backend: 'sim' });
    sim = hardware.sim!;
  });
  afterEach(() => hardware.close());

  /** Watches lines, and returns a function that waits for a number of edges, including lost ones. */
  function watch(options: Omit<EdgeOptions, 'chip'>) {
    const batches: EdgeBatch[] = [];
    let wake = () => {};
    const watching = hardware.watchEdges({ chip, ...options }, (batch) => {
      batches.push(batch);
      wake();
    });
    const count = () => batches.reduce((sum, batch) => sum + batch.offsets.length + batch.lost, 0);
    const until = async (edges: number) => {
      while (count() < edges) await new Promise<void>((resolve) => (wake = resolve));
      return batches;
    };
    return { watching, until };
  }

  function toggle(offset: number, times: number): void {
    for (let i = 0; i < times; i += 1) sim.pull(chip, offset, i % 2 === 0);
  }

  test('come with level, number and time, in order', async () => {
    const { watching, until } = watch({ lines: [{ offset: 2, edges: 'both' }] });
    toggle(2, 3);
    const batches = await until(3);
    expect(batches.flatMap((batch) => [...batch.levels])).toEqual([1, 0, 1]);
    expect(batches.flatMap((batch) => [...batch.numbers])).toEqual([1, 2, 3]);
    const times = batches.flatMap((batch) => [...batch.timesNs]);
    expect(times).toEqual([...times].sort((left, right) => (left < right ? -1 : 1)));
    expect(watching.counts(2)).toEqual({ rising: 2, falling: 1, lost: 0 });
    expect(watching.read(2)).toBe(true);
  });

  test('are told at once to who asks, and not again later', async () => {
    const { watching, until } = watch({ lines: [{ offset: 2, edges: 'both' }] });
    const batches = await until(0);
    watching.deliver();
    expect(batches).toEqual([]);
    toggle(2, 4);
    watching.deliver();
    expect(batches.flatMap((batch) => [...batch.levels])).toEqual([1, 0, 1, 0]);
    toggle(2, 2);
    await until(6);
    expect(batches.flatMap((batch) => [...batch.numbers])).toEqual([1, 2, 3, 4, 5, 6]);
  });

  test('that are asked for throw what hearing of them throws, and a watch may be closed by it', () => {
    const failing = hardware.watchEdges({ chip, lines: [{ offset: 4, edges: 'both' }] }, () => {
      failing.close();
      throw new Error('heard');
    });
    toggle(4, 1);
    expect(() => failing.deliver()).toThrow('heard');
  });

  test('only those that were asked for', async () => {
    const { watching, until } = watch({
      lines: [
        { offset: 2, edges: 'rising' },
        { offset: 3, edges: 'falling', isActiveLow: true },
      ],
    });
    toggle(2, 5);
    toggle(3, 4);
    await until(5);
    expect(watching.counts(2)).toEqual({ rising: 3, falling: 0, lost: 0 });
    expect(watching.counts(3)).toEqual({ rising: 0, falling: 2, lost: 0 });
  });

  test('a stalled reader loses none as long as there is room', async () => {
    const { watching, until } = watch({ lines: [{ offset: 2, edges: 'both' }] });
    for (let i = 0; i < 40; i += 1) {
      toggle(2, 500);
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 20);
    }
    const batches = await until(20_000);
    expect(batches.reduce((sum, batch) => sum + batch.lost, 0)).toBe(watching.counts(2).lost);
    expect(watching.counts(2).rising + watching.counts(2).falling).toBe(20_000);
  });

  test('a flood of edges is counted in full, what was lost is reported', async () => {
    const { watching, until } = watch({ lines: [{ offset: 2, edges: 'both' }], capacity: 16 });
    toggle(2, 50_001);
    // The kernel's buffer never loses the last edge, so all edges before it are accounted for.
    const batches = await until(50_001);
    const counts = watching.counts(2);
    expect(counts.rising).toBe(25_001);
    expect(counts.falling).toBe(25_000);
    expect(counts.lost).toBeGreaterThan(0);
    expect(batches.reduce((sum, batch) => sum + batch.lost, 0)).toBe(counts.lost);
  });

  test('of a flood the newest edge of each line is never lost: its number shows how many were', async () => {
    const lines = [2, 3].map((offset) => ({ offset, edges: 'both' as const }));
    const { watching, until } = watch({ lines, capacity: 16 });
    const counted = (offset: number) => watching.counts(offset).rising + watching.counts(offset).falling;
    // The reader takes all edges of one line from the kernel before the other line begins, and JavaScript takes none
    // until both have ended.
    toggle(2, 2_001);
    while (counted(2) < 2_001);
    toggle(3, 2_000);
    while (counted(3) < 2_000);
    const batches = await until(4_001);
    const edges = batches.flatMap(({ offsets, numbers, levels, timesNs }) =>
      [...offsets].map((offset, at) => ({ offset, number: numbers[at], level: levels[at], time: timesNs[at] })),
    );
    const newest = [2, 3].map((offset) => edges.findLast((edge) => edge.offset === offset));
    expect(newest).toMatchObject([
      { number: 2_001, level: 1 },
      { number: 2_000, level: 0 },
    ]);
    const times = edges.map(({ time }) => time ?? 0n);
    expect(times).toEqual(times.toSorted((left, right) => (left < right ? -1 : 1)));
  });

  test('a bounce that is shorter than the debounce time is no edge', async () => {
    const { watching, until } = watch({ lines: [{ offset: 2, edges: 'both', debounceUs: 20_000 }] });
    toggle(2, 21);
    await until(1);
    expect(watching.counts(2)).toEqual({ rising: 1, falling: 0, lost: 0 });
  });

  test('an unplugged chip is told once', async () => {
    const error = await new Promise<Error>((resolve) => {
      hardware.watchEdges({ chip, lines: [{ offset: 2, edges: 'both' }] }, () => {}, resolve);
      sim.unplug(chip);
    });
    expect(error).toMatchObject({ code: 'hardware.gone', device: chip });
  });

  test('a closed watch says nothing and frees its lines', async () => {
    const { watching } = watch({ lines: [{ offset: 2, edges: 'both' }] });
    toggle(2, 10);
    watching.close();
    const again = watch({ lines: [{ offset: 2, edges: 'both' }] });
    sim.pull(chip, 2, true);
    await again.until(1);
    expect(codeOf(() => watching.read(2))).toBe('hardware.gone');
  });

  test('a line that is not watched is refused by name', () => {
    const { watching } = watch({ lines: [{ offset: 2, edges: 'both' }] });
    expect(codeOf(() => watching.counts(3))).toBe('hardware.invalid');
    expect(codeOf(() => hardware.openLine({ chip, offset: 2 }))).toBe('hardware.busy');
  });
});
