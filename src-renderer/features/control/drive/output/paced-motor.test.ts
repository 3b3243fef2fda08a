import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { PACE_MS, PacedMotor } from './paced-motor.ts';

function paced() {
  const passed: string[] = [];
  const motor = new PacedMotor({
    press: (power) => passed.push(`press ${power}`),
    change: (power) => passed.push(`change ${power}`),
    release: () => passed.push('release'),
  });
  return { passed, motor };
}

describe('the pace of a motor', () => {
  it('passes on the first power and each stop at once, other powers when it is time', () => {
    const { passed, motor } = paced();
    motor.set(0.1, 0);
    motor.set(0.2, PACE_MS - 1);
    motor.set(0.3, PACE_MS);
    motor.set(0, PACE_MS + 1);
    motor.set(0, PACE_MS + 2);
    expect(passed).toEqual(['press 0.1', 'change 0.3', 'release']);
    expect(motor.power).toBe(0);
  });

  it('passes on no power that hardly differs', () => {
    const { passed, motor } = paced();
    motor.set(0.1, 0);
    motor.set(0.105, 1_000);
    expect(passed).toEqual(['press 0.1']);
  });

  it('passes on at most 20 powers a second, whatever is asked, and ends with a release', () => {
    const asked = fc.record({
      power: fc.double({ min: -0.3, max: 0.3, noNaN: true }),
      ms: fc.integer({ min: 0, max: 60 }),
    });
    fc.assert(
      fc.property(fc.array(asked, { maxLength: 60 }), (steps) => {
        const { passed, motor } = paced();
        let now = 0;
        for (const { power, ms } of steps) {
          now += ms;
          motor.set(power, now);
        }
        motor.stop();
        const powers = passed.filter((each) => each !== 'release');
        expect(powers.length).toBeLessThanOrEqual(1 + now / PACE_MS);
        expect(passed.at(-1) ?? 'release').toBe('release');
        for (const each of powers) expect(Math.abs(Number(each.split(' ')[1]))).toBeLessThanOrEqual(0.3);
      }),
    );
  });
});
