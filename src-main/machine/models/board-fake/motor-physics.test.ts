import { describe, expect, it } from 'vitest';
import { MotorPhysics } from './motor-physics.ts';

describe('physics of the simulated motor', () => {
  it('closes 63 % of the gap to power times top speed in one time constant', () => {
    const motor = new MotorPhysics({ topSpeed: 2, timeConstantSec: 0.1 });
    motor.advance(0.1, 0.5);
    expect(motor.speed).toBeCloseTo(1 - Math.exp(-1), 9);
    motor.advance(10, 0.5);
    expect(motor.speed).toBeCloseTo(1, 9);
  });

  it('gives the same in one step as in many, also across standstill', () => {
    const body = { topSpeed: 2, timeConstantSec: 0.2, friction: 0.1, staticFriction: 0.15, backlash: 0.01 };
    const once = new MotorPhysics(body);
    const often = new MotorPhysics(body);
    for (const power of [0.5, -0.4, 0.12, 0, 0.9]) {
      once.advance(0.3, power);
      for (let step = 0; step < 300; step++) often.advance(0.001, power);
      expect(often.speed).toBeCloseTo(once.speed, 9);
      expect(often.revolutions).toBeCloseTo(once.revolutions, 9);
    }
  });

  it('friction takes its share of the speed, holds a resting motor, and ends the turning without power', () => {
    const motor = new MotorPhysics({ topSpeed: 2, timeConstantSec: 0.1, friction: 0.2, staticFriction: 0.3 });
    motor.advance(1, 0.3);
    expect(motor.speed).toBe(0);
    expect(motor.isAtRest(0.3)).toBe(true);
    motor.advance(10, 0.5);
    expect(motor.speed).toBeCloseTo(0.6, 9);
    motor.advance(10, 0.25);
    expect(motor.speed).toBeCloseTo(0.1, 9);
    motor.advance(1, 0);
    expect(motor.speed).toBe(0);
  });

  it('a dead band gives nothing below it, and full power at full power', () => {
    const motor = new MotorPhysics({ topSpeed: 2, timeConstantSec: 0.1, deadBand: 0.1 });
    motor.advance(10, 0.1);
    expect(motor.speed).toBe(0);
    motor.advance(10, -1);
    expect(motor.speed).toBeCloseTo(-2, 9);
  });

  it('a drag brakes, a pull turns a resting motor that friction does not hold', () => {
    const motor = new MotorPhysics({ topSpeed: 2, timeConstantSec: 0.1, friction: 0.1 });
    motor.setLoad({ drag: 0.2 });
    motor.advance(10, 0.5);
    expect(motor.speed).toBeCloseTo(0.4, 9);
    motor.setLoad({ pull: 0.3 });
    motor.advance(10, 0);
    expect(motor.speed).toBeCloseTo(-0.4, 9);
  });

  it('play is turned through before the encoder follows', () => {
    const motor = new MotorPhysics({ topSpeed: 1, timeConstantSec: 0.001, backlash: 0.1 });
    motor.advance(1, 1);
    const there = motor.revolutions;
    motor.halt();
    motor.advance(0.05, -1);
    expect(motor.revolutions).toBe(there);
    motor.advance(1, -1);
    expect(motor.revolutions).toBeCloseTo(there + 0.1 - 1.049, 2);
  });
});
