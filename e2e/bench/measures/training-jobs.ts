import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import pg from 'pg';
import { startPostgres, whyNoPostgres } from '../../../build/postgres-server.mjs';
import { TrainingStatus } from '../../../proto/gen/core/app/mltraining/v1/ml_training.ts';
import { until } from '../../harness/until.ts';
import { quickPython, TrainingLoad, type QuickPython } from '../hub/training-load.ts';
import { CannotMeasure, type Measure, type Outcome } from '../measure.ts';
import { endAtExit, endProcess, SERVER_CPU, spawnNode } from '../pinned-process.ts';
import { wallClock } from '../page/browser.ts';
import { pinnedTo, startBenchHub } from '../servers/hub.ts';
import { installPeer, peerFile, type Peer } from '../servers/install-peer.ts';
import { median, quantile, rowOf } from '../statistics.ts';

const JOBS = 25;
const WARM_UP = 5;
const LONGEST_JOB_MS = 30_000;

const graphile: Peer = { name: 'graphile-worker', version: '0.18.0', file: 'dist/index.js' };

/** Runs a job to its end, and returns the milliseconds from its submission until its script began. */
type Run = (word: string) => Promise<number>;

interface Queue {
  readonly run: Run;
  end(): Promise<void>;
}

async function startGraphile(address: string, python: QuickPython): Promise<Queue> {
  const program = path.join(import.meta.dirname, '../servers/graphile-worker.mjs');
  const args = [program, peerFile(graphile), address, ...python.begin];
  const child = spawnNode(args, { cpu: SERVER_CPU, environment: {}, hasChannel: true });
  let errors = '';
  child.stderr?.setEncoding('utf8').on('data', (text: string) => (errors += text));
  const ended = once(child, 'exit').then(() => Promise.reject(new Error(`graphile-worker ended: ${errors}`)));
  ended.catch(() => undefined);
  await Promise.race([once(child, 'message'), ended]);
  const client = new pg.Client({ connectionString: address });
  await client.connect();
  return {
    run: async (word) => {
      const done = once(child, 'message');
      const submittedAt = wallClock();
      await client.query('SELECT graphile_worker.add_job($1, $2::json)', ['train', JSON.stringify({ word })]);
      await Promise.race([done, ended]);
      return ((await python.starts()).get(word) ?? Number.NaN) - submittedAt;
    },
    end: async () => {
      await client.end();
      await endProcess(child);
    },
  };
}

/** The word that a job records is the version of its model. */
function oursOf(load: TrainingLoad, python: QuickPython): Run {
  return async (word) => {
    const before = (await python.starts()).size;
    const submittedAt = wallClock();
    const id = await load.submit(word);
    const isOver = async (): Promise<boolean> => (await load.status(id)) === TrainingStatus.COMPLETED;
    await until(`the job ${word} is completed`, isOver, LONGEST_JOB_MS, 25);
    const starts = [...(await python.starts()).values()];
    return (starts[before] ?? Number.NaN) - submittedAt;
  };
}

/**
 * From the submission of a training job until its script begins, compared with graphile-worker on the same PostgreSQL.
 */
export const trainingJobs: Measure = {
  name: 'training-jobs',
  isDefault: true,
  async run({ rounds, scratchFolder, note }): Promise<readonly Outcome[]> {
    if (whyNoPostgres !== undefined) throw new CannotMeasure(whyNoPostgres);
    await installPeer(graphile, note);
    const folder = await mkdtemp(path.join(os.tmpdir(), 'armature-bench-pg-'));
    const postgres = await startPostgres(folder, pinnedTo(SERVER_CPU));
    endAtExit(postgres.process);
    const hub = await startBenchHub(scratchFolder, ['--database', postgres.address]);
    const own = await quickPython(await mkdtemp(path.join(scratchFolder, 'own-')), { ends: true });
    const other = await quickPython(await mkdtemp(path.join(scratchFolder, 'other-')), { ends: true });
    const peer = await startGraphile(postgres.address, other);
    try {
      const ours = oursOf(await TrainingLoad.open(hub, own.program), own);
      const found = { ours: [] as number[][], peer: [] as number[][] };
      for (let round = 0; round <= rounds; round++) {
        note(round === 0 ? 'warms up' : `round ${round}`);
        const words = Array.from({ length: round === 0 ? WARM_UP : JOBS }, (_, job) => `${round}.${job}.0`);
        const times = { ours: [] as number[], peer: [] as number[] };
        for (const word of words) {
          times.ours.push(await ours(word));
          times.peer.push(await peer.run(word));
        }
        if (round === 0) continue;
        found.ours.push(times.ours);
        found.peer.push(times.peer);
      }
      const what = 'from the submission until the script begins / graphile-worker, a task that starts the same program';
      const of = (part: (values: readonly number[]) => number) => ({
        ours: found.ours.map(part),
        peer: found.peer.map(part),
      });
      const whole = (part: number) => ({
        ours: [quantile(found.ours.flat(), part)],
        peer: [quantile(found.peer.flat(), part)],
      });
      const heading = { what, unit: 'ms', target: undefined };
      return [
        rowOf({ ...heading, name: 'training, to start, p50' }, of(median), {}),
        rowOf({ ...heading, name: 'training, to start, p99' }, whole(0.99), { jobs: found.ours.flat().length }),
      ];
    } finally {
      await peer.end();
      await hub.end();
      await postgres.stop();
      await rm(folder, { recursive: true, force: true });
    }
  },
};
