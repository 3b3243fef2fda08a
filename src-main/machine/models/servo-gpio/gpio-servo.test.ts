import { describe, expect, it } from 'vitest';
import { recordPins, settle, TestBench } from '../bench.fixture.ts';
import type { Servo } from '../../../apis/servo.ts';

async function servoOn(attributes: object = {}) {
  const bench = new TestBench();
  const board = bench.board();
  const pins = recordPins(board);
  const servo = await bench.build<Servo>('core:component:servo', 'gpio', 'pan', {
    board: 'bench',
    pin: '7',
    ...attributes,
  });
  return { bench, board, pins, pin: board.gpioPin('7'), servo };
}

describe('servo gpio', () => {
  it('is built without a pulse: no probing, and no move that nobody asked for', async () => {
    const { servo, pins } = await servoOn({ pwm_resolution: 4_096 });
    expect(pins).toEqual(['7 pwm 0']);
    await expect(servo.position()).rejects.toMatchObject({ code: 'call.failed_precondition' });
    expect(await servo.isMoving()).toBe(false);
    expect(pins).toEqual(['7 pwm 0']);
  });

  it('owns its pin until it is closed: what a client drives there does not outlive the client', async () => {
    const { board, servo } = await servoOn();
    expect(board.holdsPin('7')).toBe(true);
    await servo.close();
    expect(board.holdsPin('7')).toBe(false);
  });

  it('goes to its starting position when it is started, where there is one', async () => {
    const { servo, pins } = await servoOn({ starting_position_deg: 90, frequency_hz: 50 });
    expect(pins.at(-1)).toBe('7 pwm 0.075');
    expect(await servo.position()).toBe(90);
  });

  it('sets the frequency with no pulses, then the duty of the angle', async () => {
    const { servo, pins } = await servoOn({ frequency_hz: 50 });
    await servo.move(180);
    expect(pins.slice(1)).toEqual(['7 pwm 0', '7 freq 50', '7 pwm 0.125']);
    await servo.move(0);
    expect(pins.slice(4)).toEqual(['7 pwm 0.025']);
  });

  it('without a frequency keeps that of the pin, else takes 50 Hz; never so fast that pulses would meet', async () => {
    const { servo, pin } = await servoOn();
    await servo.move(90);
    expect(await pin.pwmFrequency()).toBe(50);
    expect(await pin.pwm()).toBeCloseTo(0.075, 12);
    await pin.setPwmFrequency(60);
    await servo.move(90);
    expect(await pin.pwm()).toBeCloseTo(0.09, 12);
    const fast = await servoOn({ frequency_hz: 450 });
    await fast.servo.move(90);
    expect(await fast.pin.pwmFrequency()).toBe(392);
  });

  it('clamps an angle out of its range, says so, and answers at once', async () => {
    const { bench, servo, pin } = await servoOn({ frequency_hz: 50, min_angle_deg: 20, max_angle_deg: 100 });
    await servo.move(170);
    expect(await servo.position()).toBe(100);
    expect(await pin.pwm()).toBeCloseTo(0.125, 12);
    await servo.move(0);
    expect(await servo.position()).toBe(20);
    expect(bench.log).toEqual([
      'warn servo "pan": 170° is outside of 20° to 100°; it goes to 100°',
      'warn servo "pan": 0° is outside of 20° to 100°; it goes to 20°',
    ]);
  });

  it('Stop ends the pulses, and reading the position after it drives nothing', async () => {
    const { servo, pins, pin } = await servoOn({ frequency_hz: 50 });
    await servo.move(45);
    await servo.stop();
    expect(await pin.pwm()).toBe(0);
    const before = [...pins];
    expect(await servo.position()).toBe(45);
    expect(await servo.isMoving()).toBe(false);
    expect(pins).toEqual(before);
  });

  it('tells the angle of the pulses where somebody else drives the pin', async () => {
    const { servo, pin } = await servoOn({ frequency_hz: 50 });
    await servo.move(45);
    await pin.setPwm(0.075);
    expect(await servo.position()).toBeCloseTo(90, 9);
  });

  it('is moving for as long as the way takes at its speed, and not at all where that is not known', async () => {
    const { bench, servo } = await servoOn({ speed_deg_per_sec: 90, starting_position_deg: 0 });
    bench.clock.advance(2_000);
    expect(await servo.isMoving()).toBe(false);
    await servo.move(45);
    bench.clock.advance(499);
    expect(await servo.isMoving()).toBe(true);
    bench.clock.advance(1);
    expect(await servo.isMoving()).toBe(false);
    const unknown = await servoOn();
    await unknown.servo.move(45);
    expect(await unknown.servo.isMoving()).toBe(false);
  });

  it('may take the whole way after a Stop in the middle, and what was left after a change of mind', async () => {
    const { bench, servo } = await servoOn({ speed_deg_per_sec: 180, starting_position_deg: 0 });
    bench.clock.advance(1_000);
    await servo.move(180);
    bench.clock.advance(500);
    await servo.move(170);
    bench.clock.advance(540);
    expect(await servo.isMoving()).toBe(true);
    bench.clock.advance(20);
    expect(await servo.isMoving()).toBe(false);
    await servo.move(0);
    await servo.stop();
    expect(await servo.isMoving()).toBe(false);
    await servo.move(0);
    bench.clock.advance(999);
    expect(await servo.isMoving()).toBe(true);
  });

  it('closing ends the pulses, and no later command starts them', async () => {
    const { servo, pin } = await servoOn({ starting_position_deg: 10 });
    await servo.close();
    expect(await pin.pwm()).toBe(0);
    await expect(servo.move(20)).rejects.toMatchObject({ code: 'resource.not_ready' });
    expect(await pin.pwm()).toBe(0);
  });

  it('a board that fails in the middle leaves no pulses, and the error names servo, cause and next step', async () => {
    const { servo, pin } = await servoOn({ frequency_hz: 50 });
    const setPwm = pin.setPwm.bind(pin);
    pin.setPwm = async (duty) => {
      await setPwm(duty);
      if (duty > 0) throw new Error('bus is gone');
    };
    await expect(servo.move(90)).rejects.toThrow(
      'Servo "pan" could not be moved: bus is gone. Check its board and pin.',
    );
    expect(await pin.pwm()).toBe(0);
  });

  it('a board that hangs fails Move and holds up no Stop; what it does late is ended', async () => {
    const { bench, servo, pin } = await servoOn({ frequency_hz: 50, starting_position_deg: 0 });
    const setPwm = pin.setPwm.bind(pin);
    let answer = (): void => undefined;
    pin.setPwm = (duty) =>
      duty === 0 ? setPwm(0) : new Promise((resolve) => (answer = () => void setPwm(duty).then(resolve)));
    await expect(bench.passUntil(servo.move(90))).rejects.toMatchObject({ code: 'hardware.failed' });
    await bench.passUntil(servo.stop());
    answer();
    await settle();
    await settle();
    expect(await pin.pwm()).toBe(0);
  });

  it('takes other limits without a stop, and holds its angle by them', async () => {
    const { servo, pins, pin } = await servoOn({ frequency_hz: 50, starting_position_deg: 100 });
    await servo.reconfigure?.({
      board: 'bench',
      pin: '7',
      frequency_hz: 50,
      max_angle_deg: 90,
      starting_position_deg: 5,
    });
    expect(await servo.position()).toBe(90);
    expect(await pin.pwm()).toBeCloseTo(0.125, 12);
    expect(pins.at(-2)).not.toBe('7 pwm 0');
  });
});
