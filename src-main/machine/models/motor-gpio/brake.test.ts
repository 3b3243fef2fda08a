import { describe, expect, it } from 'vitest';
import { recordPins, settle, TestBench } from '../bench.fixture.ts';
import type { FakeBoard } from '../board-fake/fake-board.ts';
import type { Encoder } from '../../../apis/encoder.ts';
import type { Motor } from '../../../apis/motor.ts';
import { ArmatureError } from '../../../base/errors.ts';

const styles = {
  'In1/In2': { a: 'a', b: 'b' },
  'In1/In2 and PWM': { a: 'a', b: 'b', pwm: 'pwm' },
} as const;
type Style = keyof typeof styles;
const all = Object.keys(styles) as Style[];
/** A Stop from a caller who is responsible for what follows. */
const commanded = { isCommanded: true };

async function motorOn(pins: object, attributes: object = {}, prepare: (board: FakeBoard) => void = () => undefined) {
  const bench = new TestBench();
  const board = bench.board();
  prepare(board);
  const lines = recordPins(board);
  const config = { board: 'bench', max_rpm: 100, pins, stop_mode: 'brake', ...attributes };
  const motor = await bench.build<Motor>('core:component:motor', 'gpio', 'left', config);
  lines.length = 0;
  const levels = (...names: string[]) => names.map((name) => board.gpioPin(name).output);
  /** The pin operations during a step. */
  const during = async (step: () => Promise<unknown>): Promise<string[]> => {
    lines.length = 0;
    await step();
    return [...lines];
  };
  return { motor, board, bench, lines, levels, during };
}

describe('gpio motor, stop_mode "brake"', () => {
  it.each(all)(
    '%s: a Stop turns both sides on, no pin falls on the way, and the driver stays enabled',
    async (style) => {
      for (const isFlipped of [false, true]) {
        for (const power of [0.4, -0.4]) {
          const pins = { ...styles[style], en_high: 'eh' };
          const { motor, levels, during } = await motorOn(pins, { dir_flip: isFlipped });
          await motor.setPower(power);
          const steps = await during(() => motor.stop(commanded));
          expect(steps.filter((step) => step.endsWith('false') || step.endsWith(' 0'))).toEqual([]);
          expect(levels('a', 'b', 'eh')).toEqual([1, 1, 1]);
          if (style === 'In1/In2 and PWM') expect(levels('pwm')).toEqual([1]);
          expect(await motor.poweredState()).toEqual({ isOn: false, power: 0 });
          expect(await motor.isMoving()).toBe(false);
          expect(await motor.status?.()).toMatchObject({ is_braking: true });
        }
      }
    },
  );

  it.each(all)('%s: so do SetPower 0 and the end of GoFor', async (style) => {
    const { motor, bench, levels } = await motorOn(styles[style]);
    await motor.setPower(0.4);
    await motor.setPower(0);
    expect(levels('a', 'b')).toEqual([1, 1]);
    await bench.passUntil(motor.goFor(50, 1));
    expect(levels('a', 'b')).toEqual([1, 1]);
    expect(await motor.status?.()).toMatchObject({ is_braking: true });
  });

  it.each(all)('%s: a motor at rest is not braked by a Stop: nobody would be answerable for it', async (style) => {
    const { motor, levels } = await motorOn(styles[style]);
    await motor.stop(commanded);
    expect(levels('a', 'b')).toEqual([0, 0]);
  });

  it.each(all)('%s: from the brake it takes power in either direction', async (style) => {
    for (const power of [0.25, -0.25]) {
      const { motor, board, levels } = await motorOn({ ...styles[style], en_low: 'el' });
      await motor.setPower(0.5);
      await motor.stop(commanded);
      await motor.setPower(power);
      expect(await motor.poweredState()).toEqual({ isOn: true, power });
      const [low, high] = power > 0 ? ['b', 'a'] : ['a', 'b'];
      expect(board.gpioPin(high ?? '').output).toBe(1);
      expect(board.gpioPin(low ?? '').output).toBe(style === 'In1/In2' ? 0.75 : 0);
      if (style === 'In1/In2 and PWM') expect(levels('pwm')).toEqual([0.25]);
      expect(await motor.status?.()).not.toHaveProperty('is_braking');
    }
  });

  it.each(all)(
    '%s: a stop that nobody commanded, a caller that leaves and closing end with outputs off',
    async (style) => {
      const { motor, bench, levels } = await motorOn({ ...styles[style], en_high: 'eh' });
      const isOff = () => expect(levels('a', 'b', 'pwm', 'eh')).toEqual([0, 0, 0, 0]);
      await motor.setPower(0.4);
      await motor.stop();
      isOff();
      await motor.setPower(0.4);
      await motor.stop(commanded);
      // The session of the caller who braked has ended.
      await motor.stop();
      isOff();
      const caller = new AbortController();
      const going = motor.goFor(50, 5, { signal: caller.signal });
      going.catch(() => undefined);
      await bench.pass(100);
      caller.abort();
      await expect(going).rejects.toMatchObject({ code: 'call.cancelled' });
      isOff();
      await motor.setPower(0.4);
      await motor.stop(commanded);
      await motor.close();
      isOff();
    },
  );

  it('stops that come together end as the safest of them', async () => {
    const { motor, levels } = await motorOn(styles['In1/In2']);
    await motor.setPower(0.4);
    await Promise.all([motor.setPower(0.5), motor.stop(commanded), motor.stop()]);
    expect(levels('a', 'b')).toEqual([0, 0]);
  });

  it('a brake that fails ends with outputs off and is told', async () => {
    const { motor, board, levels } = await motorOn(styles['In1/In2 and PWM']);
    await motor.setPower(0.4);
    const pin = board.gpioPin('b');
    const works = pin.set.bind(pin);
    pin.set = (isHigh) => (isHigh ? Promise.reject(new Error('line is gone')) : works(isHigh));
    await expect(motor.stop(commanded)).rejects.toMatchObject({ code: 'hardware.failed' });
    expect(levels('a', 'b', 'pwm')).toEqual([0, 0, 0]);
    expect(await motor.poweredState()).toEqual({ isOn: false, power: 0 });
  });

  it('is let go where one of its pins ended without a command: the other alone would be full power', async () => {
    let lose: (reason: ArmatureError) => void = () => undefined;
    const { motor, board, levels } = await motorOn(styles['In1/In2'], {}, (fake) => {
      Object.assign(fake.gpioPin('a'), { onLost: (listener: typeof lose) => ((lose = listener), () => undefined) });
    });
    await motor.setPower(0.4);
    await motor.stop(commanded);
    await board.gpioPin('a').set(false);
    lose(new ArmatureError('hardware.gone', 'it was unplugged'));
    await settle();
    expect(levels('a', 'b')).toEqual([0, 0]);
    expect(await motor.status?.()).not.toHaveProperty('is_braking');
  });

  it('an encoded motor brakes at its goal, and not where it failed', async () => {
    const pins = { a: 'a', b: 'b', en_high: 'en' };
    const bench = new TestBench();
    const board = bench.board({
      simulated_motors: [
        { pins, encoder_pins: { a: 'ea', b: 'eb' }, ticks_per_rotation: 200, max_rpm: 100, time_constant_ms: 100 },
      ],
    });
    await bench.build<Encoder>('core:component:encoder', 'incremental', 'enc', {
      board: 'bench',
      pins: { a: 'ea', b: 'eb' },
    });
    const config = { board: 'bench', pins, encoder: 'enc', ticks_per_rotation: 200, stop_mode: 'brake' };
    const motor = await bench.build<Motor>('core:component:motor', 'gpio', 'right', config);
    const levels = () => ['a', 'b', 'en'].map((name) => board.gpioPin(name).output);
    await bench.passUntil(motor.goTo(60, 1));
    expect(levels()).toEqual([1, 1, 1]);
    expect(await motor.status?.()).toMatchObject({ is_braking: true });
    await bench.pass(1_000);
    board.simulatedMotors[0]?.jam(true);
    await expect(bench.passUntil(motor.goFor(60, 5))).rejects.toMatchObject({ code: 'hardware.failed' });
    expect(levels()).toEqual([0, 0, 0]);
  });

  it('coasts where nothing else is said', async () => {
    for (const stop_mode of ['coast', undefined]) {
      const { motor, levels } = await motorOn(styles['In1/In2'], { stop_mode });
      await motor.setPower(0.4);
      await motor.stop(commanded);
      expect(levels('a', 'b')).toEqual([0, 0]);
    }
  });
});
