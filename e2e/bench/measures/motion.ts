import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import {
  cellsOf,
  faultGrid,
  faultOf,
  faultSpeeds,
  isStoppedInTime,
  runCell,
  summaryOf,
  wholeGrid,
  type Cell,
  type CellResult,
  type Fault,
  type Wires,
} from '../../../src-main/machine/models/motor/motion/motion-grid.fixture.ts';
import type { Measure, Row } from '../measure.ts';

/** File for the figures of each kind of motor: 384 lines are too many for the page of results. */
const tableFile = path.join(import.meta.dirname, '../out/motion-grid.md');

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

/** A line for each kind of motor, as Markdown. */
function tableOf(results: readonly CellResult[]): string {
  const head =
    '| friction | time constant | ticks | play | dead band | drag | arrived | overshoot kept | worst overshoot | time, median | p95 |';
  const lines = results.map(({ cell, arrived, withinOvershoot, worstOvershoot, medianTime, p95Time }) => {
    const kind = [
      `${100 * cell.friction} %`,
      `${cell.timeConstantSec} s`,
      cell.ticks,
      `${cell.backlashDeg}°`,
      `${100 * cell.deadBand} %`,
      `${100 * cell.drag} %`,
    ];
    const figures = [
      `${Math.round(100 * arrived)} %`,
      `${Math.round(100 * withinOvershoot)} %`,
      `${worstOvershoot.toFixed(1)}°`,
      medianTime.toFixed(2),
      p95Time.toFixed(2),
    ];
    return `| ${[...kind, ...figures].join(' | ')} |`;
  });
  return [head, head.replaceAll(/[^|]+/g, ' --- '), ...lines, ''].join('\n');
}

/** Loads that hang on the motor and are held by its friction. */
async function hangingLoads(): Promise<Row> {
  const results: CellResult[] = [];
  const cells = cellsOf({ ...wholeGrid, friction: [0.1, 0.25], backlashDeg: [0], drag: [0] });
  for (const cell of cells) results.push(await runCell({ ...cell, pull: 0.1 }));
  const { arrived, withinOvershoot, medianTime } = summaryOf(results);
  const shares = results.map((result) => result.arrived);
  const what = `moves with a hanging load of 10 % that end within tolerance / all; ${cells.length} kinds of motor`;
  return shareRow('hanging load', what, arrived, shares, { 'overshoot kept, %': 100 * withinOvershoot, medianTime });
}

/** Encoders that fail before a move. */
async function brokenEncoders(): Promise<Row> {
  const details: Record<string, string> = {};
  const known: Fault[] = [];
  for (const isKnown of [true, false]) {
    for (const wires of ['dead', 'swapped'] as const satisfies Wires[]) {
      for (const ticks of faultGrid.ticks) {
        const faults: Fault[] = [];
        for (const cell of cellsOf({ ...faultGrid, ticks: [ticks] })) {
          for (const speed of faultSpeeds) faults.push(await faultOf(cell, wires, { isKnown, speed }));
        }
        const [secs, powers] = [faults.map(({ sec }) => sec), faults.map(({ mostPower }) => mostPower)];
        details[`${isKnown ? 'known' : 'new'}, ${wires}, ${ticks} ticks`] =
          `in time ${faults.filter(isStoppedInTime).length} of ${faults.length}, median ${middle(secs).toFixed(2)} s, latest ${Math.max(...secs).toFixed(2)} s, power ${Math.round(100 * middle(powers))} %, most ${Math.round(100 * Math.max(...powers))} %`;
        if (isKnown) known.push(...faults);
      }
    }
  }
  const share = known.filter(isStoppedInTime).length / known.length;
  const what = 'known motors with a dead or swapped encoder wire that stop within 0.3 s or four ticks / all';
  return { ...shareRow('broken encoder', what, share, [share], details), target: undefined };
}

function middle(values: readonly number[]): number {
  return values.toSorted((one, other) => one - other)[Math.floor(values.length / 2)] ?? 0;
}

/** GoFor and GoTo on 384 kinds of simulated motor, 50 seeded moves each, on a manual clock: no time is measured. */
export const motion: Measure = {
  name: 'motion',
  isDefault: false,
  async run() {
    const results: CellResult[] = [];
    for (const cell of cellsOf(wholeGrid)) results.push(await runCell(cell));
    const { arrived, withinOvershoot, medianTime, worstMedianTime, failed, p95Time } = summaryOf(results);
    const medians = results.map((result) => result.medianTime);
    await mkdir(path.dirname(tableFile), { recursive: true });
    await writeFile(tableFile, tableOf(results));
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
      await hangingLoads(),
      await brokenEncoders(),
    ];
  },
};
