import { describe, expect, it } from 'vitest';
import { settle, TestBench } from '../bench.fixture.ts';
import type { BuiltResource } from '../../catalog/model.ts';
import type { Encoder } from '../../../apis/encoder.ts';
import type { Motor } from '../../../apis/motor.ts';

const never = (): Promise<never> => new Promise(() => undefined);

async function pwmDirMotor(attributes: object = {}) {
  const bench = new TestBench();
  const board = bench.board();
  const motor = await bench.build<Motor & BuiltResource>('core:component:motor', 'gpio', 'left', {
    board: 'bench',
    max_rpm: 100,
    pins: { pwm: 'pwm', dir: 'dir', en_high: 'en' },
    ...attributes,
  });
  return { bench, board, motor, pwm: board.gpioPin('pwm'), enable: board.gpioPin('en') };
}

async function encodedMotor(attributes: object = {}) {
  const bench = new TestBench();
  const pins = { a: 'a', b: 'b', en_high: 'en' };
  const board = bench.board({ simulated_motors: [{ pins, encoder_pins: { a: 'ea', b: 'eb' } }] });
  const encoder = await bench.build<Encoder>('core:component:encoder', 'incremental', 'enc', {
    board: 'bench',
    pins: { a: 'ea', b: 'eb' },
  });
  const motor = await bench.build<Motor & BuiltResource>('core:component:motor', 'gpio', 'right', {
    board: 'bench',
    pins,
    encoder: 'enc',
    ticks_per_rotation: 200,
    ...attributes,
  });
  return { bench, board, encoder, motor };
}

describe('gpio motor on a board that hangs', () => {
  it('Stop is answered in time, says what did not answer, and switches off every pin that does', async () => {
    const { bench, motor, pwm, enable } = await pwmDirMotor();
    await motor.setPower(0.5);
    pwm.setPwm = never;
    pwm.set = never;
    const stopped = motor.stop();
    stopped.catch(() => undefined);
    expect(
      await bench.passUntil(
        stopped.catch(() => undefined),
        5_000,
      ),
    ).toBeLessThanOrEqual(2_000);
    await expect(stopped).rejects.toMatchObject({
      code: 'hardware.failed',
      message: expect.stringMatching(
        /Motor "left".*may still be turning: pin "pwm" did not answer within 1000 ms/,
      ) as string,
    });
    expect(enable.output).toBe(0);
    expect(await motor.isMoving()).toBe(true);
  });

  it('a Stop behind a command that hangs is answered within the time that a stop is given', async () => {
    const { bench, motor, pwm } = await pwmDirMotor();
    pwm.setPwm = never;
    const power = motor.setPower(0.5);
    power.catch(() => undefined);
    await bench.pass(5);
    const stopped = motor.stop();
    expect(
      await bench.passUntil(
        stopped.catch(() => undefined),
        10_000,
      ),
    ).toBeLessThanOrEqual(2_000);
    await expect(power).rejects.toMatchObject({ code: 'hardware.failed' });
    await expect(stopped).rejects.toMatchObject({ code: 'hardware.failed' });
  });

  it('a write that a board carries out long after it was given up on ends switched off, and the motor works again', async () => {
    const { bench, motor, pwm, enable } = await pwmDirMotor();
    const works = pwm.setPwm.bind(pwm);
    const wakesUp = Promise.withResolvers<void>();
    pwm.setPwm = async (duty) => {
      await wakesUp.promise;
      await works(duty);
    };
    const power = motor.setPower(0.5);
    await bench.passUntil(
      power.catch(() => undefined),
      10_000,
    );
    expect(await motor.isMoving()).toBe(true);
    const refused = motor.setPower(0.7);
    await bench.passUntil(refused.catch(() => undefined));
    await expect(refused).rejects.toThrow('has not answered an earlier write');
    pwm.setPwm = works;
    wakesUp.resolve();
    await bench.pass(100);
    expect([pwm.output, enable.output]).toEqual([0, 0]);
    expect(await motor.isMoving()).toBe(false);
    await motor.setPower(0.7);
    expect([pwm.output, enable.output]).toEqual([0.7, 1]);
    expect(bench.clock.pending).toBe(0);
  });

  it('a ramp does not pile up writes behind one that hangs', async () => {
    const { bench, motor, pwm } = await pwmDirMotor({ power_slew_per_sec: 0.5 });
    let writes = 0;
    await motor.setPower(1);
    await bench.pass(200);
    pwm.setPwm = () => {
      writes++;
      return never();
    };
    await bench.pass(500);
    expect(writes).toBe(1);
    expect(
      await bench.passUntil(
        motor.stop().catch(() => undefined),
        10_000,
      ),
    ).toBeLessThanOrEqual(2_000);
  });

  it('a pin that throws at once does not keep the others on', async () => {
    const { motor, pwm, enable } = await pwmDirMotor();
    await motor.setPower(0.5);
    enable.set = () => {
      throw new Error('line is gone');
    };
    await expect(motor.stop()).rejects.toThrow('line is gone');
    expect(pwm.output).toBe(0);
  });

  it('a pin that refuses its duty is still driven low', async () => {
    const { motor, pwm } = await pwmDirMotor();
    await motor.setPower(0.5);
    pwm.setPwm = () => Promise.reject(new Error('no PWM'));
    await expect(motor.stop()).rejects.toThrow('no PWM');
    expect(pwm.output).toBe(0);
  });
});

describe('gpio motor whose encoder hangs', () => {
  it('is stopped, with an error that names the encoder', async () => {
    const { bench, motor, encoder, board } = await encodedMotor();
    const done = motor.goFor(60, 20);
    done.catch(() => undefined);
    await bench.pass(500);
    encoder.position = never;
    expect(
      await bench.passUntil(
        done.catch(() => undefined),
        5_000,
      ),
    ).toBeLessThanOrEqual(600);
    await expect(done).rejects.toMatchObject({
      code: 'hardware.failed',
      message: expect.stringContaining('encoder "enc" cannot be read') as string,
    });
    expect(board.gpioPin('en').output).toBe(0);
  });

  it('is stopped at once by Stop', async () => {
    const { bench, motor, encoder } = await encodedMotor();
    await motor.setRpm(60);
    await bench.pass(500);
    encoder.position = never;
    await bench.pass(40);
    expect(await bench.passUntil(motor.stop(), 5_000)).toBeLessThanOrEqual(20);
    expect(await motor.isMoving()).toBe(false);
  });

  it('does not block the motor by a reset that is never answered', async () => {
    const { bench, motor, encoder } = await encodedMotor();
    encoder.resetPosition = never;
    const reset = motor.resetZeroPosition(0);
    await bench.passUntil(
      reset.catch(() => undefined),
      5_000,
    );
    await expect(reset).rejects.toMatchObject({ message: expect.stringContaining('"enc"') as string });
    await motor.stop();
  });
});

describe('gpio motor, commands that meet', () => {
  /** A pin whose next duty write waits until it is released. */
  async function slowPwm() {
    const setup = await pwmDirMotor();
    const { pwm } = setup;
    const works = pwm.setPwm.bind(pwm);
    const through = Promise.withResolvers<void>();
    return {
      ...setup,
      through,
      holdNext: () => {
        pwm.setPwm = async (duty) => {
          pwm.setPwm = works;
          await through.promise;
          await works(duty);
        };
      },
      change: (attributes: object) =>
        setup.motor.reconfigure?.({
          board: 'bench',
          max_rpm: 100,
          pins: { pwm: 'pwm', dir: 'dir', en_high: 'en' },
          ...attributes,
        }),
    };
  }

  it('a Stop while new limits are on their way to the pins stays a stop', async () => {
    const { motor, pwm, holdNext, change, through } = await slowPwm();
    await motor.setRpm(80);
    const changed = change({ max_power_pct: 0.5 });
    holdNext();
    await settle();
    const stopped = motor.stop();
    await settle();
    through.resolve();
    await Promise.all([changed, stopped]);
    await settle();
    expect(pwm.output).toBe(0);
    expect(await motor.poweredState()).toEqual({ isOn: false, power: 0 });
  });

  it('a limit that arrives while a higher power is on its way to the pins holds', async () => {
    const { motor, pwm, holdNext, change, through } = await slowPwm();
    await motor.setPower(0.5);
    holdNext();
    const power = motor.setPower(0.8);
    await settle();
    const changed = change({ max_power_pct: 0.5 });
    await settle();
    through.resolve();
    await Promise.all([power, changed]);
    expect(pwm.output).toBe(0.5);
    expect(await motor.poweredState()).toEqual({ isOn: true, power: 0.5 });
  });

  it('the same power after a Stop that failed half way is sent anew', async () => {
    const { motor, pwm, enable } = await pwmDirMotor();
    await motor.setPower(0.5);
    const works = enable.set.bind(enable);
    enable.set = () => Promise.reject(new Error('line is gone'));
    await expect(motor.stop()).rejects.toThrow('line is gone');
    enable.set = works;
    await motor.setPower(0.5);
    expect([pwm.output, enable.output]).toEqual([0.5, 1]);
  });

  it('GoTo to where an encoded motor is ends a ramp that has only begun', async () => {
    const { bench, motor } = await encodedMotor({ power_slew_per_sec: 0.2 });
    await motor.setPower(1);
    await bench.passUntil(motor.goTo(60, 0));
    await bench.pass(1_000);
    expect(await motor.poweredState()).toEqual({ isOn: false, power: 0 });
  });

  it('a motor that is closed takes no more commands', async () => {
    const { motor, pwm } = await pwmDirMotor();
    await motor.close();
    await expect(motor.setPower(0.5)).rejects.toMatchObject({ code: 'resource.not_ready' });
    await expect(motor.goFor(50, 1)).rejects.toThrow('motor "left" is closed');
    expect(pwm.output).toBe(0);
    await motor.close();
  });

  it('a journey of weeks asks for no timer that the clock cannot hold', async () => {
    const { bench, motor } = await pwmDirMotor();
    const asked: number[] = [];
    const after = bench.clock.after.bind(bench.clock);
    bench.clock.after = (ms, callback) => {
      asked.push(ms);
      return after(ms, callback);
    };
    const done = motor.goFor(2, 1e6);
    done.catch(() => undefined);
    await settle();
    expect(Math.max(...asked)).toBeLessThan(2 ** 31);
    await motor.stop();
  });
});
