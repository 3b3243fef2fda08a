import { describe, expect, it } from 'vitest';
import { settle, TestBench } from '../bench.fixture.ts';
import type { FakeBoard } from '../board-fake/fake-board.ts';
import type { BuiltResource } from '../../catalog/model.ts';
import type { Tick } from '../../../apis/board/types.ts';
import type { Encoder } from '../../../apis/encoder.ts';
import type { Motor } from '../../../apis/motor.ts';

interface Setup {
  readonly maxRpm?: number;
  readonly ticks?: number;
  readonly timeConstantMs?: number;
  readonly motor?: object;
  readonly encoderPins?: { readonly a: string; readonly b: string };
}

const pins = { a: 'a', b: 'b', en_high: 'en' };

/** Loses the given number of the next edges of pin `ea`, and counts them as the kernel does. */
function losing(board: FakeBoard): { next: number } {
  const loss = { next: 0 };
  const find = board.digitalInterrupt.bind(board);
  board.digitalInterrupt = (name) => {
    const interrupt = find(name);
    if (name !== 'ea') return interrupt;
    let missed = 0;
    const pass = (tick: Tick, listener: (tick: Tick) => void): void => {
      if (loss.next > 0) {
        loss.next--;
        missed++;
        return;
      }
      const told = missed;
      missed = 0;
      listener(told === 0 ? tick : { ...tick, missed: told });
    };
    return {
      name,
      value: () => interrupt.value(),
      level: () => interrupt.level(),
      onTick: (listener) => interrupt.onTick((tick) => pass(tick, listener)),
    };
  };
  return loss;
}

async function encoded(setup: Setup = {}) {
  const { maxRpm = 100, ticks = 200, timeConstantMs = 100, encoderPins = { a: 'ea', b: 'eb' } } = setup;
  const bench = new TestBench();
  const board = bench.board({
    simulated_motors: [
      {
        pins,
        encoder_pins: { a: 'ea', b: 'eb' },
        ticks_per_rotation: ticks,
        max_rpm: maxRpm,
        time_constant_ms: timeConstantMs,
      },
    ],
  });
  const loss = losing(board);
  const encoder = await bench.build<Encoder>('core:component:encoder', 'incremental', 'enc', {
    board: 'bench',
    pins: encoderPins,
  });
  const config = { board: 'bench', pins, encoder: 'enc', ticks_per_rotation: ticks, ...setup.motor };
  const motor = await bench.build<Motor & BuiltResource>('core:component:motor', 'gpio', 'right', config);
  const simulated = board.simulatedMotors[0];
  if (simulated === undefined) throw new Error('no simulated motor');
  return { bench, board, encoder, motor, simulated, config, loss };
}

describe('gpio motor with an encoder', () => {
  it('encoder: position is measured and agrees with the simulated shaft', async () => {
    const { bench, motor, simulated } = await encoded();
    expect(await motor.properties()).toEqual({ isPositionReported: true });
    await motor.setPower(0.5);
    await bench.pass(1_000);
    await motor.stop();
    await bench.pass(2_000);
    expect(simulated.revolutions).toBeGreaterThan(0.7);
    expect(Math.abs((await motor.position()) - simulated.revolutions)).toBeLessThanOrEqual(1 / 200);
  });

  for (const maxRpm of [60, 300, 3_000]) {
    for (const timeConstantMs of [20, 100, 300]) {
      for (const ticks of [24, 200, 2_000]) {
        it(`GoFor and GoTo converge: ${maxRpm} rpm, ${timeConstantMs} ms, ${ticks} ticks`, async () => {
          const { bench, motor, simulated } = await encoded({ maxRpm, timeConstantMs, ticks });
          const rpm = maxRpm * 0.6;
          const revolutions = Math.max(1, rpm / 60);
          const ideal = (revolutions / rpm) * 60_000;
          const took = await bench.passUntil(motor.goFor(rpm, revolutions));
          await bench.pass(500);
          const tolerance = Math.max(3.5 / ticks, (maxRpm / 60) * 0.0002);
          expect(Math.abs(simulated.revolutions - revolutions)).toBeLessThanOrEqual(tolerance);
          expect(took).toBeLessThan(ideal + 3_500);
          await bench.passUntil(motor.goTo(rpm, -0.5));
          await bench.pass(500);
          expect(Math.abs(simulated.revolutions + 0.5)).toBeLessThanOrEqual(tolerance);
        });
      }
    }
  }

  it('a motor slows down before its goal and does not overshoot it', async () => {
    const { bench, motor, simulated } = await encoded();
    let farthest = 0;
    await bench.passUntil(motor.goFor(60, 0.1));
    const done = motor.goFor(60, 2);
    const start = simulated.revolutions;
    let isDone = false;
    void done.then(() => (isDone = true));
    while (!isDone) {
      await bench.pass(20);
      farthest = Math.max(farthest, simulated.revolutions - start);
    }
    expect(farthest).toBeLessThan(2.03);
  });

  for (const rpm of [80, 30, 5, 0.5, -0.5, -5, -80]) {
    it(`SetRPM holds ${rpm} rpm`, async () => {
      const { bench, motor, simulated } = await encoded();
      await motor.setRpm(rpm);
      await bench.pass(4_000);
      const from = simulated.revolutions;
      const speeds: number[] = [];
      for (let index = 0; index < 60; index++) {
        await bench.pass(100);
        speeds.push(simulated.rpm);
      }
      const mean = ((simulated.revolutions - from) / 6) * 60;
      expect(Math.abs(mean - rpm)).toBeLessThan(Math.max(0.3, Math.abs(rpm) * 0.03));
      if (Math.abs(rpm) >= 30) {
        expect(Math.max(...speeds) - Math.min(...speeds)).toBeLessThan(Math.abs(rpm) * 0.15);
      }
      expect(await motor.isMoving()).toBe(true);
      await motor.stop();
      await bench.pass(2_000);
      expect(simulated.rpm).toBe(0);
      expect(await motor.isMoving()).toBe(false);
    });
  }

  it('position_tolerance_deg: a goal within it is met already, and it can be changed in place', async () => {
    const { bench, motor, simulated, config } = await encoded({ motor: { position_tolerance_deg: 20 } });
    await bench.passUntil(motor.goTo(60, 15 / 360));
    expect(simulated.revolutions).toBe(0);
    await motor.reconfigure?.({ ...config, position_tolerance_deg: 2 });
    await bench.passUntil(motor.goTo(60, 15 / 360));
    expect(Math.abs(simulated.revolutions - 15 / 360)).toBeLessThan(3.5 / 360);
  });

  it('control_parameters take the place of its own gains, and a motor arrives with them', async () => {
    const withGains = async (parameters: object): Promise<number[]> => {
      const { bench, board, motor, simulated } = await encoded({ motor: { control_parameters: parameters } });
      const powers: number[] = [];
      board.observe(({ op, value }) => op === 'pwm' && powers.push(Number(value)));
      await bench.passUntil(motor.goFor(60, 2));
      await bench.pass(500);
      expect(Math.abs(simulated.revolutions - 2)).toBeLessThan(3.5 / 200);
      return powers;
    };
    const own = await withGains({ p: 0, i: 0, d: 0 });
    expect(await withGains({})).toEqual(own);
    expect(await withGains({ p: 0.3, i: 0.5, d: 0 })).not.toEqual(own);
  });

  it('max_rpm is not used with an encoder', async () => {
    const { bench, motor, simulated } = await encoded({ motor: { max_rpm: 1 } });
    await motor.setRpm(60);
    await bench.pass(4_000);
    expect(Math.abs(simulated.rpm - 60)).toBeLessThan(5);
  });

  it('works within min_power_pct and max_power_pct', async () => {
    const { bench, motor, simulated } = await encoded({ motor: { min_power_pct: 0.15, max_power_pct: 0.7 } });
    await bench.passUntil(motor.goFor(40, 2));
    await bench.pass(500);
    expect(Math.abs(simulated.revolutions - 2)).toBeLessThan(0.04);
  });

  it('dir_flip turns the other way, and a motor whose encoder then counts against it is stopped', async () => {
    const { bench, motor, simulated } = await encoded({ motor: { dir_flip: true } });
    const done = motor.goFor(60, 5);
    await expect(bench.passUntil(done)).rejects.toMatchObject({
      code: 'hardware.failed',
      details: { finding: 'reversed' },
    });
    await bench.pass(2_000);
    expect(simulated.rpm).toBe(0);
  });

  it('dir_flip with the encoder swapped as well converges', async () => {
    const { bench, motor, simulated } = await encoded({ motor: { dir_flip: true }, encoderPins: { a: 'eb', b: 'ea' } });
    await bench.passUntil(motor.goFor(60, 1));
    await bench.pass(500);
    expect(Math.abs(simulated.revolutions + 1)).toBeLessThan(0.03);
  });

  it('a stalled motor is stopped with an error that names the likely causes', async () => {
    const { bench, motor, simulated, board } = await encoded();
    simulated.jam(true);
    const done = motor.goFor(60, 5);
    const start = bench.clock.monotonic();
    const failed = bench.passUntil(done);
    await expect(failed).rejects.toMatchObject({
      code: 'hardware.failed',
      message: expect.stringMatching(/"right".*"enc".*supply.*blocked.*max_power_pct.*pins/) as string,
    });
    expect(bench.clock.monotonic() - start).toBeGreaterThan(300);
    expect(bench.clock.monotonic() - start).toBeLessThan(1_200);
    expect(board.gpioPin('en').output).toBe(0);
  });

  it('a motor that stalls under SetRPM is stopped and the log says so', async () => {
    const { bench, motor, simulated } = await encoded();
    await motor.setRpm(60);
    await bench.pass(1_000);
    simulated.jam(true);
    await bench.pass(6_000);
    expect(await motor.isMoving()).toBe(false);
    expect(bench.log.at(-1)).toContain('has counted nothing');
  });

  it('a failing encoder stops the motor, a moment of failing does not', async () => {
    const { bench, motor, encoder, simulated } = await encoded();
    const done = motor.goFor(60, 20);
    done.catch(() => undefined);
    await bench.pass(1_000);
    const works = encoder.position.bind(encoder);
    encoder.position = () => Promise.reject(new Error('bus is gone'));
    await bench.pass(200);
    encoder.position = works;
    await bench.pass(500);
    expect(await motor.isMoving()).toBe(true);
    encoder.position = () => Promise.reject(new Error('bus is gone'));
    await expect(bench.passUntil(done)).rejects.toMatchObject({
      message: expect.stringContaining('encoder "enc" cannot be read: bus is gone') as string,
    });
    await bench.pass(2_000);
    expect(simulated.rpm).toBe(0);
  });

  it('an encoder that cannot be read refuses SetRPM and leaves the motor stopped', async () => {
    const { motor, encoder } = await encoded();
    await motor.setPower(0.5);
    encoder.position = () => Promise.reject(new Error('bus is gone'));
    await expect(motor.setRpm(50)).rejects.toThrow('bus is gone');
    await settle();
    expect(await motor.poweredState()).toEqual({ isOn: false, power: 0 });
  });

  it.each(['GoFor', 'GoTo', 'SetRPM'])('a Stop ends %s, which is no failure', async (name) => {
    const { bench, motor } = await encoded();
    const moving = name === 'GoFor' ? motor.goFor(60, 20) : name === 'GoTo' ? motor.goTo(60, 20) : motor.setRpm(60);
    await bench.pass(300);
    await motor.stop();
    await moving;
    expect(await motor.isMoving()).toBe(false);
    await Promise.all([motor.setRpm(60), motor.goFor(60, 1), motor.stop()]);
    expect(await motor.isMoving()).toBe(false);
  });

  it('a caller that leaves stops the motor; a newer command does not', async () => {
    const { bench, motor } = await encoded();
    const caller = new AbortController();
    const done = motor.goFor(60, 20, { signal: caller.signal });
    done.catch(() => undefined);
    await bench.pass(500);
    caller.abort();
    await expect(done).rejects.toMatchObject({ code: 'call.cancelled' });
    expect(await motor.isMoving()).toBe(false);
    const first = motor.goFor(60, 20);
    await bench.pass(500);
    await motor.setPower(0.9);
    await first;
    await bench.pass(500);
    expect(await motor.poweredState()).toEqual({ isOn: true, power: 0.9 });
  });

  it('a lowered max_power_pct holds a motor under SetRPM at once, without a stop', async () => {
    const { bench, motor, config, board } = await encoded();
    await motor.setRpm(90);
    await bench.pass(3_000);
    const enable: unknown[] = [];
    board.observe(({ pin, value }) => pin === 'en' && enable.push(value));
    await motor.reconfigure?.({ ...config, max_power_pct: 0.4 });
    expect((await motor.poweredState()).power).toBeLessThanOrEqual(0.4);
    await bench.pass(1_000);
    expect((await motor.poweredState()).power).toBeCloseTo(0.4, 6);
    expect(enable).toEqual([]);
  });

  it('arrives although edges are lost, where the encoder makes them good', async () => {
    const { bench, motor, encoder, simulated, loss } = await encoded();
    const done = motor.goFor(60, 2);
    await bench.pass(1_000);
    loss.next = 1;
    await bench.pass(500);
    loss.next = 3;
    await bench.passUntil(done);
    await bench.pass(500);
    expect(await encoder.status?.()).toMatchObject({ missed_edges: 4, repaired_edges: 4, doubt_ticks: 0 });
    expect(Math.abs(simulated.revolutions - 2)).toBeLessThanOrEqual(3.5 / 200);
  });

  it.each(['GoFor', 'GoTo'])(
    '%s ends with an error where the position has become doubtful on the way',
    async (name) => {
      const { bench, motor, encoder, simulated, loss } = await encoded();
      // From rest: nothing shows in which direction the shaft turned meanwhile.
      loss.next = 1;
      await expect(bench.passUntil(name === 'GoFor' ? motor.goFor(60, 5) : motor.goTo(60, 5))).rejects.toMatchObject({
        code: 'hardware.failed',
        message: expect.stringMatching(
          /^Motor "right" was stopped: encoder "enc" lost 1 edge .* off by up to \d+ ticks?\..*speed.*interface.*ticks.*ResetZeroPosition/,
        ) as string,
        details: { motor: 'right', operation: name, finding: 'lost_edges', encoder: 'enc', edges: 1 },
      });
      await bench.pass(2_000);
      expect(simulated.rpm).toBe(0);
      expect((await encoder.status?.())?.['doubt_ticks']).toBeGreaterThan(0);
      await bench.passUntil(motor.goFor(60, 1));
      await motor.resetZeroPosition(0);
      expect(await encoder.status?.()).toMatchObject({ doubt_ticks: 0 });
    },
  );

  it('SetRPM goes on where edges are lost, and the log says so once', async () => {
    const { bench, motor, loss } = await encoded();
    loss.next = 1;
    await motor.setRpm(60);
    await bench.pass(1_000);
    expect(await motor.isMoving()).toBe(true);
    await motor.setRpm(-60);
    // The edges during the reversal.
    loss.next = 60;
    await bench.pass(4_000);
    expect(await motor.isMoving()).toBe(true);
    expect(bench.log.filter((line) => line.includes('lost'))).toEqual([
      expect.stringMatching(/^warn Motor "right" turns on, but encoder "enc" lost 1 edge /),
      expect.stringMatching(/^warn Motor "right" turns on, but encoder "enc" lost 61 edges /),
    ]);
  });

  it('ResetZeroPosition stops and puts zero ahead by the offset', async () => {
    const { bench, motor } = await encoded();
    await bench.passUntil(motor.goFor(60, 1));
    await motor.resetZeroPosition(0.5);
    expect(await motor.position()).toBe(-0.5);
    await bench.passUntil(motor.goTo(60, 0));
    await bench.pass(500);
    expect(Math.abs(await motor.position())).toBeLessThan(0.02);
  });

  it('a motor at rest costs no timer', async () => {
    const { bench, motor } = await encoded();
    await bench.passUntil(motor.goFor(60, 0.5));
    await bench.pass(5_000);
    expect(bench.clock.pending).toBe(0);
  });
});
