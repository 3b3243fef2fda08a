import type { Measure, Row } from '../measure.ts';
import {
  cellsOf,
  runCell,
  summaryOf,
  wholeGrid,
  type Cell,
  type CellResult,
} from '../../../src-main/machine/models/motor/motion-grid.fixture.ts';

function shareRow(name: string, what: string, share: number, results: readonly number[], details: Row['details']): Row {
  return {
    name: `motion, ${name}`,
    what,
    unit: '%',
    ours: 100 * share,
    peer: 100,
    ratio: share,
    lowest: Math.min(...results),
    highest: Math.max(...results),
    target: { kind: 'at least', value: 0.99 },
    details,
  };
}

/** Figures for each value of each property of the grid. */
function detailsOf(results: readonly CellResult[]): Row['details'] {
  const details: Record<string, string> = {};
  const keys = [
    'friction',
    'timeConstantSec',
    'ticks',
    'backlashDeg',
    'deadBand',
    'drag',
  ] as const satisfies (keyof Cell)[];
  for (const key of keys) {
    for (const value of wholeGrid[key]) {
      const { arrived, withinOvershoot, medianTime, worstMedianTime } = summaryOf(
        results.filter(({ cell }) => cell[key] === value),
      );
      const shares = [arrived, withinOvershoot].map((share) => `${(100 * share).toFixed(2)} %`);
      details[`${key} ${value}`] =
        `arrived ${shares[0]}, overshoot kept ${shares[1]}, median ${medianTime.toFixed(2)}, worst ${worstMedianTime.toFixed(2)}`;
    }
  }
  return details;
}

/** GoFor and GoTo on 384 kinds of simulated motor, 50 seeded moves each, on a clock moved by hand: no time is measured. */
export const motion: Measure = {
  name: 'motion',
  isDefault: false,
  async run() {
    const results: CellResult[] = [];
    for (const cell of cellsOf(wholeGrid)) results.push(await runCell(cell));
    const { arrived, withinOvershoot, medianTime, worstMedianTime, failed, p95Time } = summaryOf(results);
    const medians = results.map((result) => result.medianTime);
    return [
      shareRow(
        'arrived',
        'moves that end within tolerance / all; lowest and highest kind of motor',
        arrived,
        results.map((result) => result.arrived),
        detailsOf(results),
      ),
      shareRow(
        'overshoot',
        'moves that overshoot by at most 3 ticks or 5 degrees / all',
        withinOvershoot,
        results.map((result) => result.withinOvershoot),
        {},
      ),
      {
        name: 'motion, time',
        what: 'median time of a move / trapezoid at the torque left after friction and load',
        unit: 'of it',
        ours: medianTime,
        peer: 1,
        ratio: medianTime,
        lowest: Math.min(...medians),
        highest: worstMedianTime,
        target: { kind: 'at most', value: 1.5 },
        details: { 'moves that failed, %': 100 * failed, '95 % of moves, median kind': p95Time },
      },
    ];
  },
};
