import { describe, expect, it } from 'vitest';
import { failureOf, hardwareIsMissing, pwmChip, SimBench } from '../board-linux/testing/sim-bench.ts';
import type { Motor } from '../../../apis/motor.ts';
import type { Servo } from '../../../apis/servo.ts';

const pins = [0, 1, 2].map((channel) => ({ name: `s${channel}`, pwm_chip_sysfs_dir: 'pca9685', pwm_id: channel }));

it.skipIf(hardwareIsMissing)(
  'two servos on a PWM chip with one clock move, at 50 Hz, beside a plain level',
  async () => {
    const bench = await SimBench.open();
    bench.sim.shareClock();
    const board = await bench.linux({ pins });
    const servos: Servo[] = [];
    for (const pin of ['s0', 's1']) {
      servos.push(await bench.build<Servo>('core:component:servo', 'gpio', pin, { board: 'b', pin }));
    }
    await servos[0]?.move(90);
    await servos[1]?.move(0);
    await board.gpioPin('s2').set(true);
    expect(bench.sim.probePwm(pwmChip, 0)).toEqual({ dutyCycle: 0.075, frequencyHz: 50 });
    expect(bench.sim.probePwm(pwmChip, 1)).toEqual({ dutyCycle: 0.025, frequencyHz: 50 });
    expect(bench.sim.probePwm(pwmChip, 2)).toEqual({ dutyCycle: 1, frequencyHz: 50 });
    await servos[0]?.stop();
    await servos[0]?.move(180);
    expect(bench.sim.probePwm(pwmChip, 0)).toEqual({ dutyCycle: 0.125, frequencyHz: 50 });
    expect(await failureOf(() => board.gpioPin('s2').setPwm(0.5))).toMatch(
      /pin "s2" cannot run at 800 Hz while pin "s0" \(servo "s0"\) runs at 50 Hz/,
    );
    for (const servo of servos) await servo.close();
    await bench.close();
  },
);

describe.skipIf(hardwareIsMissing)('a motor and a servo on a PWM chip with one clock', () => {
  it.each(['pca9685', 'pwmchip0', pwmChip, '/sys/devices/sim/pwm'])(
    'whose frequencies differ are refused with both names and frequencies, where the chip is called %s',
    async (chip) => {
      const bench = await SimBench.open();
      bench.sim.shareClock();
      await bench.linux({
        pins: ['speed', 'pan'].map((name, channel) => ({ name, pwm_chip_sysfs_dir: chip, pwm_id: channel })),
      });
      const servo = await bench.build<Servo>('core:component:servo', 'gpio', 'pan', { board: 'b', pin: 'pan' });
      const motor = await bench.build<Motor>('core:component:motor', 'gpio', 'left', {
        board: 'b',
        pins: { dir: '7', pwm: 'speed' },
        max_rpm: 100,
      });
      await servo.move(90);
      expect(await failureOf(() => motor.setPower(0.5))).toMatch(
        /Motor "left" .*pin "speed" \(motor "left"\) cannot run at 800 Hz while pin "pan" \(servo "pan"\) runs at 50 Hz, as all channels of PWM chip \/sys\/class\/pwm\/pwmchip0 \(.*\) have one clock/,
      );
      expect(bench.sim.probePwm(pwmChip, 1)).toEqual({ dutyCycle: 0.075, frequencyHz: 50 });
      expect(bench.sim.probePwm(pwmChip, 0).dutyCycle).toBe(0);
      await servo.stop();
      await motor.setPower(0.5);
      expect(bench.sim.probePwm(pwmChip, 0)).toEqual({ dutyCycle: 0.5, frequencyHz: 800 });
      expect(await failureOf(() => servo.move(90))).toMatch(
        /Servo "pan" .*pin "pan" \(servo "pan"\) cannot run at 50 Hz while pin "speed" \(motor "left"\) runs at 800 Hz/,
      );
      await motor.setPower(1);
      await servo.move(90);
      await Promise.all([motor.close(), servo.close()]);
      await bench.close();
    },
  );
});
