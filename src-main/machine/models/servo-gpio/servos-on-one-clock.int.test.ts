import { expect, it } from 'vitest';
import { failureOf, hardwareIsMissing, pwmChip, SimBench } from '../board-linux/sim-bench.fixture.ts';
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
      /channel 2 cannot run at 800 Hz while channel/,
    );
    for (const servo of servos) await servo.close();
    await bench.close();
  },
);
