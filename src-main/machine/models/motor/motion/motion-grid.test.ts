import { describe, expect, it } from 'vitest';
import {
  cellsOf,
  faultGrid,
  faultOf,
  faultSpeeds,
  isStoppedInTime,
  runCell,
  SimulatedAxis,
  summaryOf,
  toleranceTicks,
} from './motion-grid.fixture.ts';

describe('moves of an encoded motor with friction, on a reduced grid (the whole one: `npm run bench -- motion`)', () => {
  const cells = cellsOf({
    friction: [0.03, 0.25],
    timeConstantSec: [0.05, 1],
    ticks: [12, 200, 2_400],
    backlashDeg: [3],
    deadBand: [0.08],
    drag: [0],
  });

  it('99 of 100 end within tolerance and overshoot, half of them within 1.5 times the ideal time', async () => {
    const results = [];
    for (const cell of cells) results.push(await runCell(cell, 30));
    const { arrived, withinOvershoot } = summaryOf(results);
    expect(arrived).toBeGreaterThanOrEqual(0.99);
    expect(withinOvershoot).toBeGreaterThanOrEqual(0.99);
    for (const { cell, medianTime } of results) expect(medianTime, JSON.stringify(cell)).toBeLessThanOrEqual(1.5);
  });

  it('changes of load on the way do not keep a motor from its goal', async () => {
    const cell = { friction: 0.1, timeConstantSec: 0.2, ticks: 200, backlashDeg: 3, deadBand: 0.08, drag: 0.15 };
    const result = await runCell(cell, 50);
    expect(result.arrived).toBeGreaterThanOrEqual(0.98);
    expect(result.withinOvershoot).toBeGreaterThanOrEqual(0.98);
  });

  it('neither does a load that hangs on it, up or down, as long as its friction holds that', async () => {
    const results = [];
    for (const timeConstantSec of [0.05, 0.2, 1]) {
      for (const friction of [0.1, 0.25]) {
        const cell = { friction, timeConstantSec, ticks: 200, backlashDeg: 0, deadBand: 0.08, drag: 0, pull: 0.1 };
        results.push(await runCell(cell, 50));
      }
    }
    const { arrived, withinOvershoot } = summaryOf(results);
    expect(arrived).toBeGreaterThanOrEqual(0.98);
    expect(withinOvershoot).toBeGreaterThanOrEqual(0.98);
  });

  it('a motor that has only lowered its load can lift it', async () => {
    const cell = { friction: 0.25, timeConstantSec: 0.2, ticks: 200, backlashDeg: 0, deadBand: 0.08, drag: 0 };
    const axis = new SimulatedAxis(cell, 1);
    axis.body.setLoad({ pull: 0.2 });
    for (const way of [-2, -2, -2, 2]) {
      const { failure } = await axis.until(axis.motor.goFor(40, way), () => undefined);
      expect(failure).toBeUndefined();
      await axis.rest(500, () => undefined);
    }
    expect(Math.abs(axis.exactTicks - (-4 * 200 + 0.5))).toBeLessThanOrEqual(4 * toleranceTicks(200));
  });

  it('a motor that meets an end stop on the way is stopped and says so', async () => {
    const cell = { friction: 0.1, timeConstantSec: 0.2, ticks: 200, backlashDeg: 0, deadBand: 0, drag: 0 };
    const axis = new SimulatedAxis(cell, 1);
    let stoodSec = 0;
    const { failure } = await axis.until(axis.motor.goFor(60, 10), () => {
      if (axis.exactTicks < 400) return;
      axis.body.setLoad({ drag: 1 });
      axis.body.halt();
      stoodSec += 0.005;
    });
    expect(failure).toMatch(/has counted nothing for .*blocked/);
    expect(stoodSec).toBeLessThanOrEqual(1.05);
    expect(axis.power).toBe(0);
  });

  it('a motor that cannot come to rest at its goal gives up, stopped, and says how far from it', async () => {
    const cell = { friction: 0.1, timeConstantSec: 0.2, ticks: 200, backlashDeg: 0, deadBand: 0, drag: 0 };
    const axis = new SimulatedAxis(cell, 1);
    // Somebody else moves the motor away whenever it is near the goal.
    const { failure } = await axis.until(axis.motor.goFor(60, 2), () => {
      const left = 400.5 - axis.exactTicks;
      if (Math.abs(left) < 20) axis.body.setLoad({ pull: left > 0 ? 0.9 : -0.9 });
      else axis.body.setLoad({});
    });
    expect(failure).toMatch(/was stopped -?\d+ ticks from its goal|counts against|counted nothing/);
    expect(axis.power).toBe(0);
  });

  for (const wires of ['dead', 'swapped'] as const) {
    const pattern = wires === 'dead' ? /counted nothing/ : /counts against/;

    it(`a known motor whose encoder has ${wires} wires is stopped within 0.3 s or four ticks, with little power`, async () => {
      for (const cell of cellsOf({ ...faultGrid, ticks: [48, 200, 2_400] })) {
        for (const speed of faultSpeeds) {
          const fault = await faultOf(cell, wires, { isKnown: true, speed });
          const told = JSON.stringify({ cell, speed, fault });
          expect(fault.failure, told).toMatch(pattern);
          expect(isStoppedInTime(fault), told).toBe(true);
          // Enough to overcome friction, plus something for a load.
          expect(fault.mostPower, told).toBeLessThanOrEqual(0.5 + 1.35 * cell.friction);
        }
      }
    });
  }

  it('a motor that nothing is known of is stopped before a swapped encoder has counted five ticks or turned 7 degrees', async () => {
    for (const cell of cellsOf(faultGrid)) {
      const { failure, ticks, mostPower } = await faultOf(cell, 'swapped', { isKnown: false, speed: 0.4 });
      const told = JSON.stringify({ cell, ticks });
      expect(failure, told).toMatch(/counts against/);
      expect(ticks, told).toBeLessThanOrEqual(Math.max(4.5, (7 / 360) * cell.ticks));
      expect(mostPower, told).toBeLessThanOrEqual(0.7);
    }
  });

  it('and with a dead encoder after half a second, or a second and a half where ticks are coarse', async () => {
    for (const cell of cellsOf(faultGrid)) {
      const { failure, sec, mostPower } = await faultOf(cell, 'dead', { isKnown: false, speed: 0.4 });
      const told = JSON.stringify({ cell, sec });
      expect(failure, told).toMatch(/counted nothing/);
      expect(sec, told).toBeLessThanOrEqual(cell.ticks >= 200 ? 0.5 : 1.5);
      expect(mostPower, told).toBeLessThanOrEqual(0.7);
    }
  });
});
