import { describe, expect, it } from 'vitest';
import { SingleEncoder } from './single-encoder.ts';
import { TestBench } from '../bench.fixture.ts';
import type { DriveDirection } from '../directed-encoder.ts';
import type { DigitalInterrupt, Tick } from '../../../apis/board/types.ts';
import type { Encoder } from '../../../apis/encoder.ts';
import type { Motor } from '../../../apis/motor.ts';
import { ManualClock } from '../../../base/clock.ts';

function encoderOnLine() {
  const listeners = new Set<(tick: Tick) => void>();
  const gapListeners = new Set<() => void>();
  let isHigh = false;
  const interrupt: DigitalInterrupt = {
    name: 'i',
    value: () => Promise.resolve(0),
    level: () => Promise.resolve(isHigh),
    onTick: (listener) => {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    onGap: (listener) => {
      gapListeners.add(listener);
      return () => void gapListeners.delete(listener);
    },
  };
  const encoder = new SingleEncoder({ name: 'enc', interrupt, clock: new ManualClock() });
  let atMs = 1;
  let missed = 0;
  const pass = (everyMs: number): void => {
    atMs += everyMs;
    isHigh = !isHigh;
  };
  const edges = (count: number, everyMs = 10): void => {
    for (let edge = 0; edge < count; edge++) {
      pass(everyMs);
      const tick: Tick = { interrupt: 'i', timeNs: BigInt(atMs) * 1_000_000n, isHigh, ...(missed > 0 && { missed }) };
      missed = 0;
      for (const listener of listeners) listener(tick);
    }
  };
  /** Edges that are lost. */
  const lose = (count: number): void => {
    for (let edge = 0; edge < count; edge++) pass(10);
    missed += count;
  };
  const ticks = async (): Promise<number> => (await encoder.position(undefined)).value;
  /** Edges went uncounted for a while. */
  const gap = (): void => gapListeners.forEach((listener) => listener());
  return { encoder, edges, lose, gap, ticks, listeners };
}

describe('single encoder', () => {
  it('counts both edges, and up while no motor is attached', async () => {
    const { encoder, edges, ticks } = encoderOnLine();
    edges(5);
    expect(await ticks()).toBe(5);
    await encoder.resetPosition();
    expect(await ticks()).toBe(0);
  });

  it('says that nobody knows how far it is off where nobody counted for a while, until it is reset', async () => {
    const { encoder, edges, gap, ticks } = encoderOnLine();
    edges(5);
    gap();
    edges(5);
    expect(await ticks()).toBe(10);
    expect(encoder.uncertainty).toEqual({ ticks: Infinity, edges: 0 });
    expect(await encoder.status()).toMatchObject({ doubt_ticks: null });
    await encoder.resetPosition();
    expect(encoder.uncertainty).toEqual({ ticks: 0, edges: 0 });
  });

  it('counts in the direction of the attached motor', async () => {
    const { encoder, edges, ticks } = encoderOnLine();
    let direction: DriveDirection = 1;
    const detach = encoder.attachMotor('left', () => direction);
    edges(7);
    direction = -1;
    edges(10);
    expect(await ticks()).toBe(-3);
    detach();
    edges(1);
    expect(await ticks()).toBe(-2);
  });

  it('counts on in the last direction while the shaft runs out, and ignores what turns it after that', async () => {
    const { encoder, edges, ticks } = encoderOnLine();
    let direction: DriveDirection = 0;
    encoder.attachMotor('left', () => direction);
    edges(3);
    expect(await ticks()).toBe(0);
    direction = -1;
    edges(4);
    direction = 0;
    edges(3, 100);
    expect(await ticks()).toBe(-7);
    edges(1, 501);
    edges(5);
    expect(await ticks()).toBe(-7);
  });

  it('counts edges that never came in the direction of those around them', async () => {
    const { encoder, edges, lose, ticks } = encoderOnLine();
    let direction: DriveDirection = -1;
    encoder.attachMotor('left', () => direction);
    edges(5);
    lose(3);
    edges(2);
    expect(await ticks()).toBe(-10);
    direction = 0;
    lose(2);
    edges(1);
    expect(await ticks()).toBe(-13);
    expect(await encoder.status()).toMatchObject({ missed_edges: 5, repaired_edges: 5, doubt_ticks: 0 });
    expect(encoder.uncertainty).toEqual({ ticks: 0, edges: 0 });
  });

  it('is uncertain by those that were lost while the direction changed, until it is reset', async () => {
    const { encoder, edges, lose, ticks } = encoderOnLine();
    let direction: DriveDirection = 1;
    encoder.attachMotor('left', () => direction);
    edges(10);
    lose(4);
    direction = -1;
    edges(1);
    expect(await ticks()).toBe(9);
    expect(encoder.uncertainty).toEqual({ ticks: 4, edges: 4 });
    expect(await encoder.status()).toMatchObject({ missed_edges: 4, repaired_edges: 0, doubt_ticks: 4 });
    await encoder.resetPosition();
    expect(encoder.uncertainty).toEqual({ ticks: 0, edges: 0 });
  });

  it('counts for one motor only', () => {
    const { encoder } = encoderOnLine();
    const detach = encoder.attachMotor('left', () => 1);
    expect(() => encoder.attachMotor('right', () => 1)).toThrow('Encoder "enc" counts for motor "left" already');
    detach();
    encoder.attachMotor('right', () => 1);
    detach();
    expect(() => encoder.attachMotor('left', () => 1)).toThrow('"right"');
  });

  it('counts ticks only, tells its speed, and lets its interrupt go', async () => {
    const { encoder, edges, listeners } = encoderOnLine();
    expect(await encoder.properties()).toEqual({ isTicksSupported: true, isDegreesSupported: false });
    await expect(encoder.position('degrees')).rejects.toMatchObject({ code: 'call.unimplemented' });
    edges(20);
    expect(await encoder.status()).toEqual({
      ticks: 20,
      ticks_per_sec: 100,
      motor: null,
      missed_edges: 0,
      repaired_edges: 0,
      doubt_ticks: 0,
    });
    await encoder.close();
    expect(listeners.size).toBe(0);
  });
});

describe('gpio motor with a single encoder', () => {
  const pins = { a: '11', b: '13', pwm: '15' };

  async function benchWithMotor() {
    const bench = new TestBench();
    bench.board({
      simulated_motors: [{ pins, encoder_pins: { a: '29', b: '31' }, ticks_per_rotation: 200, max_rpm: 120 }],
    });
    const encoder = await bench.build<Encoder>('core:component:encoder', 'single', 'wheel', {
      board: 'bench',
      pins: { i: '29' },
    });
    const attributes = { board: 'bench', pins, encoder: 'wheel', ticks_per_rotation: 200 };
    const build = () => bench.build<Motor>('core:component:motor', 'gpio', 'left', attributes);
    return { bench, encoder, build };
  }

  it('attaches itself: GoFor goes there and back', async () => {
    const { bench, encoder, build } = await benchWithMotor();
    const motor = await build();
    expect(await encoder.status?.()).toMatchObject({ motor: 'left' });
    await bench.passUntil(motor.goFor(60, 2));
    expect(await motor.position()).toBeCloseTo(2, 1);
    await bench.passUntil(motor.goFor(60, -3));
    expect(await motor.position()).toBeCloseTo(-1, 1);
  });

  it('lets the encoder go when it is closed, so that one built anew has it', async () => {
    const { encoder, build } = await benchWithMotor();
    const first = await build();
    await expect(build()).rejects.toMatchObject({ code: 'config.invalid' });
    await first.close();
    expect(await encoder.status?.()).toMatchObject({ motor: null });
    await build();
  });
});
