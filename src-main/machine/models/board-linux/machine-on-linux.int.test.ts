/** A motor, an encoder and their board on the simulated computer, and their failures. */
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type LinuxBoard, LinuxBoard as Board } from './linux-board.ts';
import { chip0, chip1, eventually, failureOf, SimBench, hardwareIsMissing } from './testing/sim-bench.ts';
import { WireMotor } from './testing/wire-motor.ts';
import { levelsAt } from '../quadrature.ts';
import type { BuiltResource } from '../../catalog/model.ts';
import type { Encoder } from '../../../apis/encoder.ts';
import type { Motor } from '../../../apis/motor.ts';
import { systemClock } from '../../../base/clock.ts';
import { silentLogger } from '../../../base/logger.ts';
import { ComputerHardware } from '../../../hardware/computer-hardware.ts';
import type { LinuxBoardAttributes } from './attributes.ts';

const ticksPerRotation = 200;
const wires = { a: 1, b: 2, pwm: 3, encoder: [5, 6] } as const;
const pins = { a: '1', b: '2', pwm: '3' };
const interrupts = [
  { name: 'enc_a', pin: '5' },
  { name: 'enc_b', pin: '6' },
];

describe.skipIf(hardwareIsMissing)('a motor on a linux board', () => {
  let bench: SimBench;
  let board: LinuxBoard;
  let shaft: WireMotor;
  beforeEach(async () => {
    bench = await SimBench.open(systemClock);
    shaft = new WireMotor({ sim: bench.sim, chip: chip0, wires, maxRpm: 240, ticksPerRotation });
  });
  afterEach(async () => {
    shaft.close();
    await bench.close();
  });

  const motorOn = async (attributes: LinuxBoardAttributes, motor: object): Promise<Motor & BuiltResource> => {
    // Under load the event loop may block for longer than a board's default limit.
    board = await bench.linux({ digital_interrupts: interrupts, expiry_ms: 60_000, ...attributes });
    return bench.build<Motor>('core:component:motor', 'gpio', 'm', { board: 'b', pins, ...motor });
  };
  const encoded = async (attributes: LinuxBoardAttributes = {}): Promise<Motor & BuiltResource> => {
    board = await bench.linux({ digital_interrupts: interrupts, expiry_ms: 60_000, ...attributes });
    const encoder = { board: 'b', pins: { a: 'enc_a', b: 'enc_b' } };
    await bench.build<Encoder>('core:component:encoder', 'incremental', 'e', encoder);
    const motor = { board: 'b', pins, encoder: 'e', ticks_per_rotation: ticksPerRotation, pwm_freq: 1_000 };
    return bench.build<Motor>('core:component:motor', 'gpio', 'm', motor);
  };
  const level = (offset: number) => bench.sim.probe(chip0, offset).isHigh;
  /** Blocks the event loop until the outputs were made safe. */
  const hang = () => {
    const { expiries } = bench.hardware.stats();
    while (bench.hardware.stats().expiries === expiries) {
      const end = Date.now() + 20;
      while (Date.now() < end);
    }
  };
  const outputs = () => [wires.a, wires.b, wires.pwm].map(level);

  it('has power on its wires, in the direction of its sign, and none when it stops', async () => {
    const motor = await motorOn({}, { max_rpm: 240 });
    expect(outputs()).toEqual([false, false, false]);
    await motor.setPower(0.5);
    await eventually(() => shaft.revolutions > 0.5);
    expect([level(wires.a), level(wires.b), await board.gpioPin('3').pwm()]).toEqual([true, false, 0.5]);
    await motor.setPower(-0.8);
    await eventually(() => shaft.revolutions < 0.3);
    expect([level(wires.a), level(wires.b), await board.gpioPin('3').pwm()]).toEqual([false, true, 0.8]);
    await motor.stop();
    expect(outputs()).toEqual([false, false, false]);
    await eventually(() => !shaft.isTurning);
  });

  it('goes as far as its encoder says', async () => {
    const motor = await encoded();
    await motor.goFor(120, 1.5);
    expect(await motor.position()).toBeCloseTo(1.5, 1);
    expect(shaft.revolutions).toBeCloseTo(1.5, 1);
    await motor.goFor(120, -1);
    expect(shaft.revolutions).toBeCloseTo(0.5, 1);
    expect(outputs()).toEqual([false, false, false]);
    expect(await motor.poweredState()).toEqual({ isOn: false, power: 0 });
  });

  it('stops and says why when its chip is unplugged, and stays off when that is back', async () => {
    const motor = await encoded();
    const going = failureOf(() => motor.goFor(120, 1_000));
    await eventually(() => shaft.revolutions > 0.3);
    bench.sim.unplug(chip0);
    expect(await going).toMatch(
      /^hardware.failed: Motor "m" .*GPIO chip \/dev\/gpiochip0 \(sim-0\) was unplugged; plug it in/,
    );
    // Either a write fails first, or the thread that watches the chip reports that its pins are off.
    await eventually(async () => !(await motor.poweredState()).isOn);
    expect(await failureOf(() => motor.setPower(0.5))).toMatch(/^hardware.failed: .*unplugged/);
    bench.sim.plug(chip0);
    await eventually(() => !shaft.isTurning);
    await eventually(async () => ((await board.status())['failures'] as unknown[]).length === 0);
    expect([wires.a, wires.b, wires.pwm].some((offset) => bench.sim.probe(chip0, offset).isDriven)).toBe(false);
    const before = shaft.revolutions;
    await motor.goFor(120, 0.5);
    expect(shaft.revolutions - before).toBeCloseTo(0.5, 1);
  });

  it.each([1, 2, 3])(
    'moves as before when its shaft was turned by %i edges while its chip was away',
    async (unseen) => {
      shaft.close();
      const motor = await encoded();
      const turnTo = (edges: number): void => {
        const levels = levelsAt(edges);
        bench.sim.pull(chip0, wires.encoder[0], levels.a);
        bench.sim.pull(chip0, wires.encoder[1], levels.b);
      };
      for (let edge = 0; edge <= 40; edge++) turnTo(edge);
      await eventually(async () => (await motor.position()) === 20 / ticksPerRotation);
      bench.sim.unplug(chip0);
      expect(await failureOf(() => motor.setPower(0.5))).toMatch(/^hardware.failed: .*unplugged/);
      turnTo(40 + unseen);
      bench.sim.plug(chip0);
      await eventually(async () => ((await board.status())['failures'] as unknown[]).length === 0);
      shaft = new WireMotor({ sim: bench.sim, chip: chip0, wires, maxRpm: 240, ticksPerRotation, edges: 40 + unseen });
      const before = shaft.revolutions;
      await motor.goFor(120, 0.5);
      expect(shaft.revolutions - before).toBeCloseTo(0.5, 1);
    },
  );

  it('that only has power is told within a second that its chip is gone', async () => {
    const motor = await motorOn({}, { max_rpm: 240 });
    await motor.setPower(0.5);
    bench.sim.unplug(chip0);
    await eventually(async () => !(await motor.isMoving()));
    bench.sim.plug(chip0);
    await motor.stop();
    expect(outputs()).toEqual([false, false, false]);
  });

  it('is stopped when the chip of its encoder is unplugged, though its own is not', async () => {
    const far = [5, 6].map((line) => ({ name: `far_${line}`, device_name: 'sim-1', line_number: line }));
    const motor = await encoded({
      pins: far,
      digital_interrupts: interrupts.map(({ name, pin }) => ({ name, pin: `far_${pin}` })),
    });
    // The shaft's edges appear on the other chip: this one sees none, and the motor keeps pushing.
    const going = failureOf(() => motor.goFor(60, 1_000));
    await eventually(() => shaft.revolutions > 0);
    bench.sim.unplug(chip1);
    expect(await going).toMatch(
      /^hardware.failed: Motor "m" was stopped: encoder "e" cannot be read: .*\/dev\/gpiochip1 \(sim-1\) was unplugged/,
    );
    expect(outputs()).toEqual([false, false, false]);
  });

  it.each([
    ['In1, In2 and PWM', pins],
    ['only In1 and In2', { a: '1', b: '2' }],
  ])('with %s is let go by its brake when the program hung', async (_, driver) => {
    const motor = await motorOn({ expiry_ms: 500 }, { pins: driver, max_rpm: 240, stop_mode: 'brake' });
    await motor.setPower(0.5);
    await motor.setPower(0);
    expect(outputs()).toEqual([true, true, 'pwm' in driver]);
    hang();
    await eventually(() => outputs().every((isHigh) => !isHigh));
    await eventually(async () => !('is_braking' in ((await motor.status?.()) ?? {})));
    await motor.setPower(0.5);
    await motor.setPower(0);
    await motor.close();
    expect(outputs()).toEqual([false, false, false]);
  });

  it('does not go on when the program hung, and never turns the other way', async () => {
    const motor = await encoded({ expiry_ms: 500 });
    const going = failureOf(() => motor.goFor(120, 1_000));
    await eventually(() => shaft.revolutions > 0.3);
    hang();
    expect(await going).toMatch(/^hardware.failed: Motor "m" .*the program did not run for more than 500 ms/);
    expect(outputs()).toEqual([false, false, false]);
    expect(shaft.mostBackward).toBe(0);
  });

  it('with only In1 and In2 does not turn the other way when it is commanded again after the program hung', async () => {
    shaft.close();
    shaft = new WireMotor({
      sim: bench.sim,
      chip: chip0,
      wires: { ...wires, pwm: undefined },
      maxRpm: 240,
      ticksPerRotation,
    });
    const motor = await motorOn({ expiry_ms: 500 }, { pins: { a: '1', b: '2' }, max_rpm: 240, pwm_freq: 200 });
    await motor.setPower(0.5);
    await eventually(() => shaft.revolutions > 0.2);
    hang();
    await eventually(async () => !(await motor.isMoving()));
    await motor.setPower(0.6);
    const from = shaft.revolutions;
    // One pin alone would turn it the other way, and it would never arrive.
    await eventually(() => shaft.revolutions > from + 0.3);
    await motor.stop();
    expect(outputs()).toEqual([false, false, false]);
  });

  it('on a line that another program holds is not built, names who, and leaves its other pins low', async () => {
    const held = bench.hardware.openLine({ chip: chip0, offset: wires.pwm, consumer: 'pwm-tool' });
    expect(await failureOf(() => motorOn({}, { max_rpm: 240 }))).toMatch(/^hardware.failed: .*line 3.*'pwm-tool'/);
    expect(outputs()).toEqual([false, false, false]);
    held.close();
    const motor = await bench.build<Motor>('core:component:motor', 'gpio', 'm', { board: 'b', pins, max_rpm: 240 });
    await motor.setPower(1);
    expect(outputs()).toEqual([true, false, true]);
  });

  it('with an impossible frequency says so at its first power, and is off', async () => {
    const motor = await motorOn({}, { max_rpm: 240, pwm_freq: 1_000_000 });
    expect(await failureOf(() => motor.setPower(0.5))).toMatch(
      /^hardware.failed: .*PWM frequency of 1000000 Hz is not possible; allowed is 1 to/,
    );
    expect(outputs()).toEqual([false, false, false]);
    expect(await motor.isMoving()).toBe(false);
  });
});

describe.skipIf(hardwareIsMissing)('a linux board without permission', () => {
  const root = mkdtempSync(path.join(tmpdir(), 'armature-board-'));
  const nobody = 65_534;
  afterEach(() => rmSync(root, { recursive: true }));

  it('says for which device, and what to do', async () => {
    mkdirSync(path.join(root, 'dev'));
    writeFileSync(path.join(root, 'dev/gpiochip0'), '');
    chmodSync(path.join(root, 'dev/gpiochip0'), 0);
    chmodSync(root, 0o755);
    const hardware = await new ComputerHardware('linux', root).open();
    const isRoot = process.geteuid?.() === 0;
    if (isRoot) process.seteuid?.(nobody);
    try {
      const board = new Board({
        name: 'b',
        attributes: {},
        header: undefined,
        hardware,
        clock: systemClock,
        logger: silentLogger,
      });
      board.start();
      const wanted = /^hardware.permission: Board "b", pin "4": .*gpiochip0.*add the user to group gpio/;
      expect(await failureOf(() => board.gpioPin('4').set(true))).toMatch(wanted);
      expect(await failureOf(() => board.gpioPin('4').get())).toMatch(wanted);
      await board.close();
    } finally {
      if (isRoot) process.seteuid?.(0);
      hardware.close();
    }
  });
});
