import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { settle, TestBench } from '../bench.fixture.ts';
import type { BuiltResource } from '../../catalog/model.ts';
import { powerFromPins } from '../board-fake/simulated-motor.ts';
import type { Motor } from '../../../apis/motor.ts';
import type { MotorPins } from '../../../../proto/config/models/motor-pins.ts';

const driver = fc.constantFrom({ pwm: 'p', dir: 'd' }, { a: 'a', b: 'b' }, { a: 'a', b: 'b', pwm: 'p' });
const enable = fc.constantFrom({}, { en_high: 'e' }, { en_low: 'e' });
const limits = fc
  .tuple(fc.double({ min: 0, max: 1, noNaN: true }), fc.double({ min: 0.06, max: 1, noNaN: true }))
  .map(([low, high]) => ({ min_power_pct: Math.min(low, high), max_power_pct: high }));
const power = fc.double({ min: -1, max: 1, noNaN: true });
const command = fc.oneof(
  fc.record({ kind: fc.constant('power' as const), value: power }),
  fc.record({ kind: fc.constant('rpm' as const), value: fc.double({ min: -150, max: 150, noNaN: true }) }),
  fc.record({ kind: fc.constant('for' as const), value: fc.double({ min: -150, max: 150, noNaN: true }) }),
  fc.record({ kind: fc.constant('limits' as const), value: limits }),
  fc.record({ kind: fc.constant('stop' as const) }),
  fc.record({ kind: fc.constant('wait' as const), value: fc.integer({ min: 1, max: 300 }) }),
);

describe('gpio motor, for any configuration and any commands', () => {
  it('duty stays in [0, 1], power within the limits or 0, and Stop switches every pin off', async () => {
    await fc.assert(
      fc.asyncProperty(
        driver,
        enable,
        limits,
        fc.boolean(),
        fc.constantFrom(0, 2),
        fc.array(command, { maxLength: 12 }),
        async (driverPins, enablePins, firstLimits, isFlipped, slew, commands) => {
          const bench = new TestBench();
          const board = bench.board();
          const pins: MotorPins = { ...driverPins, ...enablePins };
          const outputOf = (pin: string): number => board.gpioPin(pin).output;
          board.observe(({ op, value }) => {
            if (op === 'pwm') expect(value).toSatisfy((duty: number) => duty >= 0 && duty <= 1);
          });
          let config = {
            board: 'bench',
            max_rpm: 100,
            pins,
            dir_flip: isFlipped,
            power_slew_per_sec: slew,
            ...firstLimits,
          };
          const motor = await bench.build<Motor & BuiltResource>('core:component:motor', 'gpio', 'm', config);
          const agrees = async (): Promise<void> => {
            const { isOn, power: told } = await motor.poweredState();
            const onPins = powerFromPins(pins, outputOf) * (isFlipped ? -1 : 1);
            expect(onPins).toBeCloseTo(told, 9);
            expect(isOn).toBe(told !== 0);
            if (isOn) {
              expect(Math.abs(told)).toBeGreaterThanOrEqual(config.min_power_pct - 1e-9);
              expect(Math.abs(told)).toBeLessThanOrEqual(config.max_power_pct + 1e-9);
            }
          };
          for (const one of commands) {
            try {
              if (one.kind === 'power') await motor.setPower(one.value);
              else if (one.kind === 'rpm') await motor.setRpm(one.value);
              else if (one.kind === 'for') motor.goFor(one.value, 1).catch(() => undefined);
              else if (one.kind === 'limits') {
                config = { ...config, ...one.value };
                await motor.reconfigure?.(config);
              } else if (one.kind === 'stop') await motor.stop();
              else await bench.pass(one.value, 50);
            } catch (thrown) {
              expect(thrown).toMatchObject({ code: 'call.bad_argument' });
            }
            await settle();
            await agrees();
          }
          await motor.stop();
          await bench.pass(100, 50);
          expect(await motor.poweredState()).toEqual({ isOn: false, power: 0 });
          for (const key of ['a', 'b', 'pwm', 'en_high', 'en_low'] as const) {
            const pin = pins[key];
            if (pin !== undefined) expect(outputOf(pin), key).toBe(key === 'en_low' ? 1 : 0);
          }
        },
      ),
      { numRuns: 150 },
    );
  });
});
