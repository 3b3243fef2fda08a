import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { TurnedServo } from './turned-servo.ts';

const range = { min: 0, max: 120 };

function turned() {
  const sent: number[] = [];
  return { sent, servo: new TurnedServo((angleDeg) => sent.push(angleDeg)) };
}

describe('turning a servo', () => {
  it('goes on from where it is at the chosen rate, and stays where it is let go', () => {
    const { sent, servo } = turned();
    for (let now = 1_000; now <= 2_000; now += 25) servo.turn(40, range, 60, now);
    expect(sent.at(-1)).toBeGreaterThanOrEqual(98);
    expect(sent.at(-1)).toBeLessThanOrEqual(100);
    const { length } = sent;
    servo.turn(0, range, 60, 2_025);
    servo.turn(-40, range, 60, 2_050);
    servo.turn(-40, range, 60, 2_150);
    expect(sent.length).toBe(length + 1);
    expect(Number(sent.at(-2)) - Number(sent.at(-1))).toBeLessThanOrEqual(5);
  });

  it('turns nothing where it is not known where the servo is', () => {
    const { sent, servo } = turned();
    for (let now = 1_000; now <= 2_000; now += 25) servo.turn(40, range, undefined, now);
    expect(sent).toEqual([]);
  });

  it('never leaves its limits, jumps, or sends more than 20 angles a second', () => {
    const step = fc.record({ rate: fc.integer({ min: -180, max: 180 }), ms: fc.integer({ min: 1, max: 2_000 }) });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
        const { sent, servo } = turned();
        let now = 1_000;
        for (const { rate, ms } of steps) {
          now += ms;
          servo.turn(rate, range, sent.at(-1) ?? 60, now);
        }
        expect(sent.length).toBeLessThanOrEqual(1 + (now - 1_000) / 50);
        let before = 60;
        for (const angle of sent) {
          expect(angle >= range.min && angle <= range.max && Number.isInteger(angle)).toBe(true);
          before = angle;
        }
        expect(before).toBe(sent.at(-1) ?? 60);
      }),
    );
  });

  it('does not jump after the page stood still', () => {
    const { sent, servo } = turned();
    servo.turn(180, range, 60, 1_000);
    servo.turn(180, range, 60, 11_000);
    expect(sent).toEqual([78]);
  });
});
