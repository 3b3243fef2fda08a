import { describe, expect, it } from 'vitest';
import { settle, TestBench } from '../bench.fixture.ts';
import type { BuiltResource } from '../../catalog/model.ts';
import type { Motor } from '../../../apis/motor.ts';

const pins = { pwm: 'pwm', dir: 'dir' };

async function openLoop(attributes: object = {}, simulated: object = { time_constant_ms: 1 }) {
  const bench = new TestBench();
  const board = bench.board({ simulated_motors: [{ pins, max_rpm: 100, friction: 0, ...simulated }] });
  const config = { board: 'bench', pins, max_rpm: 100, ...attributes };
  const motor = await bench.build<Motor & BuiltResource>('core:component:motor', 'gpio', 'left', config);
  const turned = (): number => {
    board.simulatedMotors[0]?.advance();
    return board.simulatedMotors[0]?.revolutions ?? Number.NaN;
  };
  return { bench, board, motor, config, turned };
}

describe('gpio motor without an encoder', () => {
  it('max_rpm: GoFor turns rpm for revolutions; a motor with 100 takes percent as rpm', async () => {
    const { bench, motor, turned } = await openLoop();
    const done = motor.goFor(50, 2);
    await settle();
    expect(await motor.poweredState()).toEqual({ isOn: true, power: 0.5 });
    expect(await motor.isMoving()).toBe(true);
    expect(await bench.passUntil(done)).toBeCloseTo(2_400, -1);
    expect(turned()).toBeCloseTo(2, 1);
    expect(await motor.isMoving()).toBe(false);
  });

  it('cannot be tuned, and says what it lacks; other DoCommands it does not have', async () => {
    const { motor } = await openLoop();
    for (const command of ['tune', 'get_tuned_pid']) {
      await expect(motor.doCommand?.({ [command]: {} })).rejects.toThrow(
        'Motor "left" cannot be tuned: it has no encoder. Set "encoder" and "ticks_per_rotation" in its attributes.',
      );
    }
    await expect(motor.doCommand?.({ dance: true })).rejects.toThrow('"left": its model does not support DoCommand.');
  });

  it('two stops at once, of two windows, are both done', async () => {
    const { motor } = await openLoop();
    const moving = motor.goFor(50, 1000);
    await settle();
    await Promise.all([motor.stop(), motor.stop()]);
    expect(await motor.isMoving()).toBe(false);
    await moving;
  });

  it('signs multiply: both negative is forward', async () => {
    for (const [rpm, revolutions, sign] of [
      [60, 1, 1],
      [-60, 1, -1],
      [60, -1, -1],
      [-60, -1, 1],
    ] as const) {
      const { bench, motor, turned } = await openLoop();
      await bench.passUntil(motor.goFor(rpm, revolutions));
      expect(turned()).toBeCloseTo(sign, 1);
    }
  });

  it('the duration follows the effective speed: max_power_pct 0.5 takes twice as long and turns as far', async () => {
    const { bench, motor, turned } = await openLoop({ max_power_pct: 0.5 });
    expect(await bench.passUntil(motor.goFor(100, 1))).toBeCloseTo(1_200, -1);
    expect(turned()).toBeCloseTo(1, 1);
  });

  it('min_power_pct above the asked speed shortens it', async () => {
    const { bench, motor, turned } = await openLoop({ min_power_pct: 0.5 });
    expect(await bench.passUntil(motor.goFor(10, 1))).toBeCloseTo(1_200, -1);
    expect(turned()).toBeCloseTo(1, 1);
  });

  it('rpm of 1 % of max_rpm or less is an error, and stops nothing that runs', async () => {
    const { bench, motor } = await openLoop();
    await motor.setPower(0.4);
    await expect(motor.goFor(1, 1)).rejects.toMatchObject({ code: 'call.bad_argument' });
    await expect(motor.setRpm(0.5)).rejects.toMatchObject({ code: 'call.bad_argument' });
    await bench.pass(20);
    expect(await motor.poweredState()).toEqual({ isOn: true, power: 0.4 });
  });

  it('nearly zero rpm and zero revolutions are errors naming the motor and the value', async () => {
    const { motor } = await openLoop();
    await expect(motor.goFor(0.05, 1)).rejects.toThrow('Motor "left": speed 0.05 rpm is nearly zero');
    await expect(motor.goTo(0, 1)).rejects.toThrow('nearly zero');
    await expect(motor.setRpm(0)).rejects.toThrow('nearly zero');
    await expect(motor.goFor(50, 0)).rejects.toThrow('0 revolutions');
  });

  it('a speed above max_rpm is held to it, with a warning', async () => {
    const { bench, motor } = await openLoop();
    expect(await bench.passUntil(motor.goFor(500, 1))).toBeCloseTo(600, -1);
    expect(bench.log).toEqual(['warn motor "left": 500 rpm is above its fastest, 100 rpm']);
  });

  it('position is reckoned from power and time and is flagged as an estimate', async () => {
    const { bench, motor } = await openLoop();
    expect(await motor.properties()).toEqual({ isPositionReported: false });
    await motor.setPower(-0.5);
    await bench.pass(1_200);
    expect(await motor.position()).toBeCloseTo(-1, 6);
    expect(await motor.status?.()).toMatchObject({ position_is_estimated: true, power: -0.5, is_moving: true });
    await motor.stop();
    await bench.pass(1_000);
    expect(await motor.position()).toBeCloseTo(-1, 6);
  });

  it('GoTo goes to a reckoned position, whatever the sign of rpm, and not at all when there', async () => {
    const { bench, motor, turned } = await openLoop();
    await bench.passUntil(motor.goTo(-60, 1.5));
    expect(await motor.position()).toBe(1.5);
    expect(turned()).toBeCloseTo(1.5, 1);
    await bench.passUntil(motor.goTo(60, -0.5));
    expect(turned()).toBeCloseTo(-0.5, 1);
    expect(await bench.passUntil(motor.goTo(60, -0.5))).toBe(0);
  });

  it('ResetZeroPosition stops and puts zero ahead by the offset', async () => {
    const { bench, motor } = await openLoop();
    await motor.setPower(0.5);
    await bench.pass(300);
    await motor.resetZeroPosition(0.25);
    expect(await motor.isMoving()).toBe(false);
    expect(await motor.position()).toBe(-0.25);
  });

  it('a caller that leaves stops the motor and gets a cancelled error', async () => {
    const { bench, motor, board } = await openLoop();
    const caller = new AbortController();
    const done = motor.goFor(50, 100, { signal: caller.signal });
    done.catch(() => undefined);
    await bench.pass(200);
    caller.abort();
    await bench.pass(5);
    await expect(done).rejects.toMatchObject({ code: 'call.cancelled' });
    expect(board.gpioPin('pwm').output).toBe(0);
    expect(await motor.isMoving()).toBe(false);
  });

  it('a command replaced by a newer one ends without a failure, and without a stop in between', async () => {
    const { bench, motor, board } = await openLoop();
    const first = motor.goFor(50, 100);
    await bench.pass(200);
    const duties: number[] = [];
    board.observe(({ pin, op, value }) => pin === 'pwm' && op === 'pwm' && duties.push(value as number));
    const second = motor.goFor(80, 1);
    await first;
    await settle();
    expect(duties).toEqual([0.8]);
    await bench.passUntil(second);
    expect(duties).toEqual([0.8, 0]);
  });

  it('a caller that leaves while its command waits for its turn leaves a stopped motor', async () => {
    const { motor, board } = await openLoop();
    const first = motor.goFor(50, 100);
    await settle();
    const caller = new AbortController();
    const second = motor.goFor(80, 1, { signal: caller.signal });
    caller.abort();
    await expect(second).rejects.toMatchObject({ code: 'call.cancelled' });
    await first;
    expect(board.gpioPin('pwm').output).toBe(0);
  });

  it('a command on one motor does not cancel one on another', async () => {
    const bench = new TestBench();
    bench.board();
    const build = (name: string, offset: string) =>
      bench.build<Motor>('core:component:motor', 'gpio', name, {
        board: 'bench',
        max_rpm: 100,
        pins: { pwm: `p${offset}`, dir: `d${offset}` },
      });
    const left = await build('left', '1');
    const right = await build('right', '2');
    const done = left.goFor(100, 1);
    await settle();
    await right.setPower(0.5);
    await right.stop();
    expect(await bench.passUntil(done)).toBeCloseTo(600, -1);
  });

  it('a limit changed during GoFor is in force at once and the distance still holds', async () => {
    const { bench, motor, config, turned } = await openLoop();
    const done = motor.goFor(100, 2);
    await bench.pass(600);
    await motor.reconfigure?.({ ...config, max_power_pct: 0.5 });
    expect(await motor.poweredState()).toEqual({ isOn: true, power: 0.5 });
    expect(await bench.passUntil(done)).toBeCloseTo(1_200, -1);
    expect(turned()).toBeCloseTo(2, 1);
  });

  it('a changed max_rpm keeps the commanded speed of a turning motor', async () => {
    const { motor, config } = await openLoop();
    await motor.setRpm(50);
    await motor.reconfigure?.({ ...config, max_rpm: 200 });
    expect(await motor.poweredState()).toEqual({ isOn: true, power: 0.25 });
  });

  it('GoFor with a power ramp still turns the distance', async () => {
    const { bench, motor } = await openLoop({ power_slew_per_sec: 2 });
    await bench.passUntil(motor.goFor(100, 1));
    expect(await motor.position()).toBeCloseTo(1, 6);
  });

  it('closing switches off, and settles though the board does not answer', async () => {
    const first = await openLoop();
    await first.motor.setPower(0.5);
    await first.motor.close();
    expect(first.board.gpioPin('pwm').output).toBe(0);
    const { bench, motor, board } = await openLoop();
    await motor.setPower(0.5);
    board.gpioPin('pwm').setPwm = () => new Promise(() => undefined);
    expect(await bench.passUntil(motor.close())).toBeLessThanOrEqual(2_000);
    expect(bench.log.at(-1)).toMatch(/"left" was closed but not switched off: .*did not answer/);
  });
});
