import { compiled, ENGINE } from '../hardware/compile.ts';
import { pwmRun, type PwmRun, type PwmTask } from '../hardware/pwm-run.ts';
import type { Measure, Row } from '../measure.ts';
import { median, rowOf } from '../statistics.ts';

/** Long enough for a p99 that is more than the single latest edge. */
const tasks: readonly PwmTask[] = [
  { hz: 50, channels: 8, runMs: 2_000 },
  { hz: 800, channels: 8, runMs: 2_000 },
];

type Figure = 'p50Us' | 'p99Us' | 'maxUs' | 'cpuPercent';
const of = (runs: readonly PwmRun[], figure: Figure): number[] => runs.map((run) => run[figure]);

async function rowsOf(program: string, task: PwmTask, rounds: number): Promise<Row[]> {
  const runs: Record<'busy' | 'alone', PwmRun[]> = { busy: [], alone: [] };
  for (let round = 0; round < rounds; round++) {
    // The first may find a sleeping processor, so the order alternates.
    const order = round % 2 === 0 ? (['busy', 'alone'] as const) : (['alone', 'busy'] as const);
    for (const how of order) runs[how].push(await pwmRun([program, how], task));
  }
  const row = (name: string, figure: Figure, target: Row['target'], details: Row['details']): Row =>
    rowOf(
      {
        name: `jitter ${task.hz} Hz x ${task.channels}, ${name}`,
        what: 'error of edges on a fast chip: beside a slow chip that is busy / alone',
        unit: 'us',
        target,
      },
      { ours: of(runs.busy, figure), peer: of(runs.alone, figure) },
      details,
    );
  const others = (figure: Figure): string =>
    `${median(of(runs.busy, figure)).toPrecision(3)} / ${median(of(runs.alone, figure)).toPrecision(3)}`;
  const details = {
    priority: [...runs.busy, ...runs.alone].every(({ isRealTime }) => isRealTime) ? 'real-time' : 'normal',
    'latest edge, us': others('maxUs'),
    'processor, %': others('cpuPercent'),
  };
  return [row('p99', 'p99Us', { kind: 'at most', value: 1.2 }, details), row('median', 'p50Us', undefined, {})];
}

/** Software PWM on a fast chip next to one whose writes take a millisecond, against the same without it. */
export const hardwareJitter: Measure = {
  name: 'hardware-jitter',
  isDefault: true,
  async run({ rounds, scratchFolder, note }) {
    const program = await compiled(scratchFolder, 'engine-beside.cpp', ENGINE);
    const rows: Row[] = [];
    for (const task of tasks) {
      note(`hardware-jitter: ${task.hz} Hz`);
      rows.push(...(await rowsOf(program, task, rounds)));
    }
    return rows;
  },
};
