import { describe, expect, it } from 'vitest';
import { TestBench } from './bench.fixture.ts';
import type { Encoder } from '../../apis/encoder.ts';
import type { Motor } from '../../apis/motor.ts';
import type { Servo } from '../../apis/servo.ts';
import { model } from './motor-fake/schema.ts';

const encoderOf = (bench: TestBench, attributes: object = {}) =>
  bench.build<Encoder>('core:component:encoder', 'fake', 'e', attributes);
const motorOf = (bench: TestBench, attributes: object = {}) =>
  bench.build<Motor>('core:component:motor', 'fake', 'm', attributes);

async function encoded(attributes: object = {}) {
  const bench = new TestBench();
  const encoder = await encoderOf(bench, attributes);
  const motor = await motorOf(bench, { encoder: 'e', ticks_per_rotation: 100, max_rpm: 60 });
  const ticks = async () => (await encoder.position('ticks')).value;
  return { bench, encoder, motor, ticks };
}

describe('a fake motor without an encoder', () => {
  it('reports no position, and refuses what needs one', async () => {
    const motor = await motorOf(new TestBench());
    expect(await motor.properties()).toEqual({ isPositionReported: false });
    const refusal = { code: 'call.unimplemented', message: expect.stringContaining('encoder') as string };
    await expect(motor.position()).rejects.toMatchObject(refusal);
    await expect(motor.goTo(60, 1)).rejects.toMatchObject(refusal);
    await expect(motor.resetZeroPosition(1)).rejects.toMatchObject(refusal);
    expect(await motor.status?.()).toEqual({ power: 0, is_moving: false });
  });

  it('goes for its distance all the same', async () => {
    const bench = new TestBench();
    const motor = await motorOf(bench, { max_rpm: 60 });
    expect(await bench.passUntil(motor.goFor(60, 2))).toBeCloseTo(2_000, -2);
    expect(await motor.isMoving()).toBe(false);
  });
});

describe('a fake motor with a fake encoder', () => {
  it('turns it, and has its position', async () => {
    const { bench, motor, ticks } = await encoded();
    expect(await motor.properties()).toEqual({ isPositionReported: true });
    await motor.setPower(-0.5);
    bench.clock.advance(4_000);
    expect(await ticks()).toBe(-200);
    expect(await motor.position()).toBe(-2);
    await motor.stop();
    bench.clock.advance(4_000);
    expect(await motor.position()).toBe(-2);
  });

  it('ends GoFor and GoTo exactly at their goals', async () => {
    const { bench, motor, ticks } = await encoded();
    await bench.passUntil(motor.goFor(37, 1.5));
    expect(await ticks()).toBe(150);
    await bench.passUntil(motor.goTo(37, -0.25));
    expect(await ticks()).toBe(-25);
    expect(await motor.position()).toBe(-0.25);
  });

  it('follows what the encoder says, also after that was reset', async () => {
    const { bench, encoder, motor, ticks } = await encoded();
    await bench.passUntil(motor.goFor(60, 3));
    await encoder.resetPosition();
    expect(await motor.position()).toBe(0);
    await bench.passUntil(motor.goTo(60, 1));
    expect(await ticks()).toBe(100);
    await motor.resetZeroPosition(2);
    expect(await motor.position()).toBe(-2);
    expect(await ticks()).toBe(-200);
  });

  it('leaves the encoder at rest when it is closed', async () => {
    const { bench, motor, ticks } = await encoded();
    await motor.setPower(1);
    await motor.close();
    const before = await ticks();
    bench.clock.advance(1_000);
    expect(await ticks()).toBe(before);
  });

  it('changes its speed in place with its encoder', async () => {
    const { bench, motor, ticks } = await encoded();
    await motor.setPower(1);
    await motor.reconfigure?.({ encoder: 'e', ticks_per_rotation: 100, max_rpm: 120 });
    bench.clock.advance(1_000);
    expect(await ticks()).toBe(200);
  });

  it('needs one that is fake, and its ticks', async () => {
    const bench = new TestBench();
    bench.board({ digital_interrupts: [{ name: 'a', pin: '1' }] });
    await bench.build('core:component:encoder', 'single', 'real', { board: 'bench', pins: { i: 'a' } });
    await expect(motorOf(bench, { encoder: 'real', ticks_per_rotation: 1 })).rejects.toMatchObject({
      code: 'config.invalid',
    });
    const pointers = (attributes: object) => model.check?.({ ...attributes }).map(({ pointer }) => pointer);
    expect(pointers({ encoder: 'e' })).toEqual(['/ticks_per_rotation']);
    expect(pointers({ encoder: 'e', ticks_per_rotation: 0 })).toEqual(['/ticks_per_rotation']);
    expect(pointers({ encoder: 'e', ticks_per_rotation: 5 })).toEqual([]);
    expect(pointers({})).toEqual([]);
  });
});

describe('a fake encoder with update_rate_msec', () => {
  it('counts at that pace', async () => {
    const bench = new TestBench();
    const encoder = await encoderOf(bench, { update_rate_msec: 100, ticks_per_sec: 1_000 });
    const value = async () => (await encoder.position('ticks')).value;
    bench.clock.advance(99);
    expect(await value()).toBe(0);
    bench.clock.advance(51);
    expect(await value()).toBe(100);
    await encoder.doCommand?.({ ticks_per_sec: 0 });
    bench.clock.advance(49);
    expect(await value()).toBe(100);
    bench.clock.advance(1);
    expect(await value()).toBe(150);
    await encoder.resetPosition();
    expect(await value()).toBe(0);
  });
});

describe('a fake servo', () => {
  it('is at once where it is sent', async () => {
    const servo = await new TestBench().build<Servo>('core:component:servo', 'fake', 's', {});
    expect(await servo.position()).toBe(0);
    await servo.move(90);
    expect([await servo.position(), await servo.isMoving()]).toEqual([90, false]);
    await servo.stop();
    expect(await servo.position()).toBe(90);
  });
});
