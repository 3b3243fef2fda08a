import { describe, expect, it } from 'vitest';
import { cellsOf, faultOf, runCell, summaryOf } from './motion-grid.fixture.ts';

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

  for (const wires of ['dead', 'swapped'] as const) {
    it(`a known motor whose encoder has ${wires} wires is stopped before it has full power`, async () => {
      const cell = { friction: 0.1, timeConstantSec: 0.2, ticks: 200, backlashDeg: 0, deadBand: 0, drag: 0 };
      const { sec, mostPower, failure } = await faultOf(cell, wires, { isKnown: true, speed: 1 });
      expect(failure).toMatch(wires === 'dead' ? /counted nothing/ : /counts against/);
      expect(sec).toBeLessThanOrEqual(0.35);
      expect(mostPower).toBeLessThanOrEqual(0.6);
    });

    it(`so is one that nothing is known of, later and with more power (${wires})`, async () => {
      const cell = { friction: 0.1, timeConstantSec: 0.2, ticks: 200, backlashDeg: 0, deadBand: 0, drag: 0 };
      const { sec, mostPower, failure } = await faultOf(cell, wires, { isKnown: false, speed: 1 });
      expect(failure).toMatch(wires === 'dead' ? /counted nothing/ : /counts against/);
      expect(sec).toBeLessThanOrEqual(1.2);
      expect(mostPower).toBeLessThanOrEqual(0.7);
    });
  }
});
