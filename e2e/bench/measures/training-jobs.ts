import { mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import pg from 'pg';
import { startPostgres, whyNoPostgres } from '../../../build/postgres-server.mjs';
import { DatasetServiceDefinition } from '../../../proto/gen/core/app/dataset/v1/dataset.ts';
import {
  MLTrainingServiceDefinition,
  ModelFramework,
  ModelType,
  TrainingStatus,
} from '../../../proto/gen/core/app/mltraining/v1/ml_training.ts';
import { HubTrainingServiceDefinition } from '../../../proto/gen/core/hub/v1/training.ts';
import { systemClock } from '../../../src-main/base/clock.ts';
import { camera, DataBench, picture } from '../../../src-main/hub/data/testing/data-bench.ts';
import { ScriptedRunner } from '../../../src-main/hub/training/testing/scripted-runner.ts';
import { CannotMeasure, type Measure, type Outcome } from '../measure.ts';
import { endAtExit, SERVER_CPU } from '../pinned-process.ts';
import { pinnedTo } from '../servers/hub.ts';
import { installPeer, peerFile, type Peer } from '../servers/install-peer.ts';
import { median, rowOf } from '../statistics.ts';

const PICTURES = 20;
/** Jobs of a round, each submitted when the one before has ended. */
const JOBS = 100;
const LISTED = 1_000;
const LABELS = ['good', 'bad'];
/** A list that a person asked for is there at once. */
const AT_ONCE_MS = 100;

const graphileWorker: Peer = { name: 'graphile-worker', version: '0.18.0', file: 'dist/index.js' };

/** What is used of the peer. */
interface GraphileWorker {
  readonly Logger: new (factory: () => () => void) => object;
  run(options: object): Promise<{
    addJob(task: string, payload: object): Promise<unknown>;
    stop(): Promise<void>;
  }>;
}

function p99(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[Math.ceil(values.length * 0.99) - 1] ?? Number.NaN;
}

/** A hub on this database whose trainings end as soon as they begin, and a dataset to train on. */
class QueueBench {
  readonly #runner: ScriptedRunner;
  readonly #bench: DataBench;
  readonly #datasetId: string;
  #versions = 0;

  private constructor(runner: ScriptedRunner, bench: DataBench, datasetId: string) {
    this.#runner = runner;
    this.#bench = bench;
    this.#datasetId = datasetId;
  }

  static async open(address: string): Promise<QueueBench> {
    const runner = new ScriptedRunner();
    const place = { address, remove: () => Promise.resolve() };
    const kind = { name: 'PostgreSQL', makePlace: () => Promise.resolve(place) };
    const bench = await DataBench.open(kind, systemClock, undefined, { trainingRunner: runner });
    const { organizationId } = bench.test.first;
    const made = { organizationId, name: 'Screws', type: undefined };
    const token = { token: bench.ownerToken };
    const { id } = await bench.test.call(DatasetServiceDefinition, 'createDataset', made, token);
    for (let index = 0; index < PICTURES; index++) {
      const tags = [LABELS[index % 2] ?? ''];
      const contents = [picture(Date.now() + index, Buffer.from(`picture ${index}`))];
      await bench.upload(contents, { ...camera, tags, datasetIds: [id] });
    }
    return new QueueBench(runner, bench, id);
  }

  get organizationId(): string {
    return this.#bench.test.first.organizationId;
  }

  /** Submits a job, and ends it when it has begun. @returns ms from the call to the answer, and to the begin */
  async job(): Promise<{ readonly answerMs: number; readonly startMs: number }> {
    const { organizationId } = this;
    const begun = this.#runner.next().then((run) => ({ run, at: performance.now() }));
    const submittedAt = performance.now();
    const { id } = await this.#bench.test.call(
      MLTrainingServiceDefinition,
      'submitTrainingJob',
      {
        ...{ organizationId, datasetId: this.#datasetId, modelName: 'screws', modelVersion: String(++this.#versions) },
        ...{ modelType: ModelType.SINGLE_LABEL_CLASSIFICATION, modelFramework: ModelFramework.UNSPECIFIED },
        tags: LABELS,
      },
      { token: this.#bench.ownerToken },
    );
    const answerMs = performance.now() - submittedAt;
    const { run, at } = await begun;
    run.end({ kind: 'failed', code: 'call.failed_precondition', message: 'The bench has ended it.' });
    while ((await this.#statusOf(id)) === TrainingStatus.RUNNING);
    return { answerMs, startMs: at - submittedAt };
  }

  async #statusOf(id: string): Promise<TrainingStatus | undefined> {
    const token = { token: this.#bench.ownerToken };
    const { metadata } = await this.#bench.test.call(MLTrainingServiceDefinition, 'getTrainingJob', { id }, token);
    return metadata?.status;
  }

  /** ms until all jobs are listed, as the window does it, and those that wait, as public clients do it. */
  async list(): Promise<{ readonly allMs: number; readonly pendingMs: number }> {
    const { organizationId } = this;
    const { test, ownerToken: token } = this.#bench;
    const start = performance.now();
    const all = await test.call(HubTrainingServiceDefinition, 'listJobs', { organizationId }, { token });
    const listed = performance.now();
    const request = { organizationId, status: TrainingStatus.PENDING };
    const pending = await test.call(MLTrainingServiceDefinition, 'listTrainingJobs', request, { token });
    const end = performance.now();
    if (all.jobs.length !== LISTED || pending.jobs.length !== LISTED) {
      throw new Error(`${all.jobs.length} and ${pending.jobs.length} jobs are listed instead of ${LISTED}`);
    }
    return { allMs: listed - start, pendingMs: end - listed };
  }

  end(): Promise<void> {
    return this.#bench.test.end();
  }
}

/** Lets so many jobs wait, more than an organization may submit: rows like that of a job before, under other ids. */
async function queueMany(client: pg.Client): Promise<void> {
  const { rows } = await client.query<Record<string, unknown>>('SELECT * FROM training_jobs LIMIT 1');
  const { number: _number, ...like } = rows[0] ?? {};
  await client.query('DELETE FROM training_jobs');
  const columns = Object.keys(like);
  const places = columns.map((_, index) => `$${index + 1}`).join(', ');
  for (let index = 0; index < LISTED; index++) {
    const row = { ...like, id: `job-${index}`, model_version: `queued-${index}`, status: 'pending' };
    const values = columns.map((column) => (row as Record<string, unknown>)[column]);
    await client.query(`INSERT INTO training_jobs (${columns.join(', ')}) VALUES (${places})`, values);
  }
}

async function timesToStart(address: string): Promise<{ next(): Promise<number>; end(): Promise<void> }> {
  const { run, Logger } = (await import(pathToFileURL(peerFile(graphileWorker)).href)) as GraphileWorker;
  let begin: (at: number) => void = () => undefined;
  const runner = await run({
    connectionString: address,
    concurrency: 1,
    noHandleSignals: true,
    // It would print into the table.
    logger: new Logger(() => () => undefined),
    taskList: { train: () => begin(performance.now()) },
  });
  return {
    next: async () => {
      const begun = new Promise<number>((resolve) => (begin = resolve));
      const submittedAt = performance.now();
      await runner.addJob('train', { labels: LABELS });
      return (await begun) - submittedAt;
    },
    end: () => runner.stop(),
  };
}

/** How soon a training job begins, and how soon many are listed, on PostgreSQL. */
export const trainingJobs: Measure = {
  name: 'training-jobs',
  isDefault: true,
  async run({ rounds, note }): Promise<readonly Outcome[]> {
    if (whyNoPostgres !== undefined) throw new CannotMeasure(whyNoPostgres);
    await installPeer(graphileWorker, note);
    // Not in the scratch folder, which the user that PostgreSQL runs as may not enter.
    const folder = await mkdtemp(path.join(os.tmpdir(), 'armature-bench-pg-'));
    const postgres = await startPostgres(folder, pinnedTo(SERVER_CPU));
    endAtExit(postgres.process);
    const client = new pg.Client({ connectionString: postgres.address });
    await client.connect();
    const queue = await QueueBench.open(postgres.address);
    const peer = await timesToStart(postgres.address);
    try {
      const start = { ours: [] as number[], peer: [] as number[] };
      const answers: number[] = [];
      for (let round = 0; round <= rounds; round++) {
        note(round === 0 ? 'warms up' : `round ${round}`);
        const ours: number[] = [];
        const theirs: number[] = [];
        for (let job = 0; job < JOBS; job++) {
          const { startMs, answerMs } = await queue.job();
          ours.push(startMs);
          theirs.push(await peer.next());
          if (round > 0) answers.push(answerMs);
        }
        if (round === 0) continue;
        start.ours.push(p99(ours));
        start.peer.push(p99(theirs));
      }
      await queueMany(client);
      const all = { ours: [] as number[], peer: [] as number[] };
      const pending = { ours: [] as number[], peer: [] as number[] };
      for (let round = 0; round <= rounds; round++) {
        const { allMs, pendingMs } = await queue.list();
        const at = performance.now();
        const query = 'SELECT * FROM training_jobs WHERE organization_id = $1 ORDER BY number DESC';
        JSON.stringify((await client.query(query, [queue.organizationId])).rows);
        const peerMs = performance.now() - at;
        if (round === 0) continue;
        all.ours.push(allMs);
        pending.ours.push(pendingMs);
        all.peer.push(peerMs);
        pending.peer.push(peerMs);
      }
      const target = { kind: 'at most', value: AT_ONCE_MS, of: 'ours' } as const;
      const bare = `/ the rows of one query as JSON`;
      return [
        rowOf(
          {
            name: 'training job, start, p99',
            what: `from the submit, on ${PICTURES} pictures, until it begins / graphile-worker on the same PostgreSQL`,
            unit: 'ms',
            target: undefined,
          },
          start,
          { 'until the submit is answered, ms': median(answers) },
        ),
        rowOf({ name: 'training jobs, list', what: `${LISTED} queued jobs ${bare}`, unit: 'ms', target }, all, {}),
        rowOf(
          { name: 'training jobs, filter', what: `those of ${LISTED} that wait ${bare}`, unit: 'ms', target },
          pending,
          {},
        ),
      ];
    } finally {
      await peer.end();
      await queue.end();
      await client.end();
      await postgres.stop();
      await rm(folder, { recursive: true, force: true });
    }
  },
};
