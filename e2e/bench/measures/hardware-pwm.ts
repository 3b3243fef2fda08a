import path from 'node:path';
import process from 'node:process';
import { compiled, ENGINE } from '../hardware/compile.ts';
import { busyLoops, pwmRun, type PwmRun, type PwmTask } from '../hardware/pwm-run.ts';
import type { BenchContext, Measure, Outcome, Row, Target } from '../measure.ts';
import { median, rowOf } from '../statistics.ts';

/** As many as fit into little more than a minute: a round of all tasks takes 20 s. */
const MAX_ROUNDS = 3;
const nodeTimers = [process.execPath, path.join(import.meta.dirname, '../hardware/node-pwm.mjs')];

/** Long enough for a p99 that is more than the single latest edge. */
const tasks: readonly PwmTask[] = [
  { hz: 50, channels: 1, runMs: 4_000 },
  { hz: 50, channels: 8, runMs: 2_000 },
  ...[800, 2_000].flatMap((hz) => [1, 8].map((channels) => ({ hz, channels, runMs: 1_000 }))),
];

interface Load {
  readonly name: string;
  readonly isLoaded: boolean;
}

function of(runs: readonly PwmRun[], key: Exclude<keyof PwmRun, 'isRealTime'>): number[] {
  return runs.map((run) => run[key]);
}

/** The other figures of a program, as one text. */
function others(runs: readonly PwmRun[]): string {
  const text = (key: Exclude<keyof PwmRun, 'isRealTime'>): string => median(of(runs, key)).toPrecision(3);
  return (
    `p50 ${text('p50Us')} us, p99 ${text('p99Us')} us, max ${text('maxUs')} us, off schedule ` +
    `${text('offScheduleUs')} us, duty ${text('dutyErrorPercent')} %, drift ${text('driftMs')} ms, ` +
    `CPU ${text('cpuPercent')} %`
  );
}

/** Targets: for the idle run at 800 Hz its processor time, for every loaded run its jitter. */
function targets({ hz, channels }: PwmTask, { isLoaded }: Load): { cpu: Target | undefined; p99: Target | undefined } {
  const ofPeer: Target = { kind: 'at most', value: 0.15 };
  const ofCore: Target = { kind: 'at most', value: 15, of: 'ours' };
  return {
    cpu: channels === 8 ? ofCore : hz === 800 && !isLoaded ? ofPeer : undefined,
    p99: isLoaded ? { kind: 'at most', value: 0.02 } : undefined,
  };
}

async function rowsOf(
  task: PwmTask,
  load: Load,
  programs: { engine: string; spinning: string },
  rounds: number,
): Promise<Row[]> {
  const ours: PwmRun[] = [];
  const peer: PwmRun[] = [];
  for (let round = 0; round < rounds; round++) {
    ours.push(await pwmRun([programs.engine], task));
    peer.push(await pwmRun([programs.spinning], task));
  }
  const node = await pwmRun(nodeTimers, task);
  const name = `pwm ${task.hz} Hz x ${task.channels}, ${load.name}`;
  const { cpu, p99 } = targets(task, load);
  const details = {
    priority: ours.every(({ isRealTime }) => isRealTime) ? 'real-time' : 'normal',
    ours: others(ours),
    spinning: others(peer),
    'Node timers': others([node]),
  };
  return [
    rowOf(
      { name: `${name}, CPU`, what: 'simulator: processor time / a loop that spins', unit: '%', target: cpu },
      { ours: of(ours, 'cpuPercent'), peer: of(peer, 'cpuPercent') },
      details,
    ),
    rowOf(
      { name: `${name}, p99`, what: 'simulator: error of edges / a loop that spins', unit: 'us', target: p99 },
      { ours: of(ours, 'p99Us'), peer: of(peer, 'p99Us') },
      {},
    ),
  ];
}

/**
 * The addon's thread that makes every software PWM, on lines that record the time of each edge, against a loop per
 * channel that sleeps except for the last 1.5 ms and spins, and against Node's timers.
 */
function pwmMeasure(name: string, load: Load): Measure {
  return {
    name,
    isDefault: true,
    async run({ rounds, scratchFolder, note }: BenchContext): Promise<Outcome[]> {
      const engine = await compiled(scratchFolder, 'engine-pwm.cpp', ENGINE);
      const spinning = await compiled(scratchFolder, 'spinning-pwm.c');
      const end = load.isLoaded ? busyLoops() : () => undefined;
      try {
        const rows: Row[] = [];
        for (const task of tasks) {
          note(`${name}: ${task.hz} Hz, ${task.channels} channels`);
          rows.push(...(await rowsOf(task, load, { engine, spinning }, Math.min(rounds, MAX_ROUNDS))));
        }
        return rows;
      } finally {
        end();
      }
    },
  };
}

export const hardwarePwm = pwmMeasure('hardware-pwm', { name: 'idle', isLoaded: false });
export const hardwarePwmLoaded = pwmMeasure('hardware-pwm-loaded', { name: 'loaded', isLoaded: true });
