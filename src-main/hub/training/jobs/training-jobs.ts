import type { Selectable } from 'kysely';
import type { ModelType } from '../../../../proto/gen/core/app/mltraining/v1/ml_training.ts';
import type { Clock } from '../../../base/clock.ts';
import { ArmatureError } from '../../../base/errors.ts';
import { notFound } from '../../places/fleet-errors.ts';
import { newId } from '../../places/ids.ts';
import type { Store } from '../../storage/store.ts';
import type { Queries, WriteTransaction } from '../../storage/tables.ts';
import type { SnapshotUser } from '../../datasets/snapshot-uses.ts';
import type { Snapshot } from '../../labelling/snapshots.ts';
import type { ModelResults } from '../models/model-card.ts';
import type { TrainingJobsTable } from '../tables.ts';
import { isFinished, mayFollow, unfinished, type JobStatus } from './job-status.ts';

export type TrainingJob = Omit<Selectable<TrainingJobsTable>, 'tags' | 'model_type' | 'results' | 'arguments'> & {
  readonly tags: readonly string[];
  readonly model_type: ModelType;
  readonly results: ModelResults | undefined;
  readonly arguments: Readonly<Record<string, string>>;
};

/** A job to queue. */
export interface NewTrainingJob {
  readonly organizationId: string;
  readonly datasetId: string;
  readonly snapshot: Pick<Snapshot, 'id' | 'number'>;
  readonly modelName: string;
  readonly modelVersion: string;
  readonly modelType: ModelType;
  readonly tags: readonly string[];
  /** Undefined for the hub's own script. */
  readonly script?: JobScript;
}

/** A script of the registry with its arguments. */
export interface JobScript {
  readonly itemId: string;
  readonly version: string;
  readonly containerVersion: string;
  readonly arguments: Readonly<Record<string, string>>;
}

/** A finished epoch. */
export interface Epoch {
  readonly epoch: number;
  /** Maximum number of epochs. */
  readonly of: number;
  readonly loss: number;
  readonly metrics: Readonly<Record<string, number>>;
}

/** A job that reserves or has made a version of a model. */
export type VersionHolder = Pick<Selectable<TrainingJobsTable>, 'id' | 'status' | 'model_name' | 'model_version'>;

/** Columns that may change together with the status of a job. */
type StatusChange = Partial<
  Pick<TrainingJobsTable, 'attempts' | 'started_at' | 'ended_at' | 'failure' | 'failure_code' | 'model_id' | 'results'>
>;

/** Unfinished jobs of an organization. More are most likely a mistake of the submitter. */
const MAX_UNFINISHED_JOBS = 1_000;
/** Jobs in one list: the newest ones. */
const MAX_LISTED_JOBS = 5_000;

/** Stores the training jobs of a hub. */
export class TrainingJobs {
  readonly #store: Store;
  readonly #clock: Clock;

  constructor(store: Store, clock: Clock) {
    this.#store = store;
    this.#clock = clock;
  }

  /**
   * Queues a job.
   * @returns its id
   * @throws {ArmatureError} `registry.version_exists`, `call.overloaded`
   */
  async add(job: NewTrainingJob, tx: WriteTransaction): Promise<string> {
    const id = newId();
    const now = this.#clock.now();
    await this.requireNewVersion(job.organizationId, job.modelName, job.modelVersion, tx);
    const full = await this.queueFullError(job.organizationId, tx);
    if (full !== undefined) throw full;
    await tx
      .insertInto('training_jobs')
      .values({
        id,
        organization_id: job.organizationId,
        dataset_id: job.datasetId,
        snapshot_id: job.snapshot.id,
        snapshot_number: job.snapshot.number,
        model_name: job.modelName,
        model_version: job.modelVersion,
        model_type: job.modelType,
        tags: JSON.stringify(job.tags),
        status: 'pending',
        attempts: 0,
        created_at: now,
        modified_at: now,
        started_at: null,
        ended_at: null,
        failure: '',
        failure_code: 0,
        model_id: '',
        results: null,
        news_at: now,
        registry_item_id: job.script?.itemId ?? '',
        registry_item_version: job.script?.version ?? '',
        container_version: job.script?.containerVersion ?? '',
        arguments: JSON.stringify(job.script?.arguments ?? {}),
      })
      .execute();
    return id;
  }

  /** @throws {ArmatureError} `registry.version_exists` if a waiting, running or completed job has the version */
  async requireNewVersion(
    organizationId: string,
    modelName: string,
    modelVersion: string,
    db: Queries = this.#store.db,
  ): Promise<void> {
    const [same] = await this.holders(organizationId, modelName, modelVersion, db);
    if (same !== undefined) throw versionTaken(same);
  }

  /** Waiting, running and completed jobs of a model, optionally of one version. */
  async holders(
    organizationId: string,
    modelName: string,
    modelVersion?: string,
    db: Queries = this.#store.db,
  ): Promise<readonly VersionHolder[]> {
    let rows = db
      .selectFrom('training_jobs')
      .select(['id', 'status', 'model_name', 'model_version'])
      .where('organization_id', '=', organizationId)
      .where('model_name', '=', modelName)
      .where('status', 'in', [...unfinished, 'completed']);
    if (modelVersion !== undefined) rows = rows.where('model_version', '=', modelVersion);
    return rows.orderBy('number').execute();
  }

  /** @throws {ArmatureError} `call.not_found` */
  async get(id: string, db: Queries = this.#store.db): Promise<TrainingJob> {
    const row = await db.selectFrom('training_jobs').selectAll().where('id', '=', id).executeTakeFirst();
    if (row === undefined) throw noJob(id);
    return jobOf(row);
  }

  /** Jobs of an organization, newest first, optionally in some statuses. */
  async list(organizationId: string, statuses?: readonly JobStatus[]): Promise<TrainingJob[]> {
    let rows = this.#store.db.selectFrom('training_jobs').selectAll().where('organization_id', '=', organizationId);
    if (statuses !== undefined) rows = rows.where('status', 'in', statuses);
    return (await rows.orderBy('number', 'desc').limit(MAX_LISTED_JOBS).execute()).map(jobOf);
  }

  /** Jobs of the whole hub in a status, oldest first. */
  async inStatus(status: JobStatus, most = 1_000): Promise<TrainingJob[]> {
    const rows = this.#store.db.selectFrom('training_jobs').selectAll().where('status', '=', status);
    return (await rows.orderBy('number').limit(most).execute()).map(jobOf);
  }

  /** Positions of the waiting jobs of all organizations, by job number. The job at position 1 starts next. */
  async queue(): Promise<ReadonlyMap<number, number>> {
    const rows = this.#store.db.selectFrom('training_jobs').select('number').where('status', '=', 'pending');
    return new Map((await rows.orderBy('number').execute()).map(({ number }, index) => [number, index + 1]));
  }

  /**
   * Changes the status of a job if the new status may follow the current one.
   * @returns false if it may not; then nothing is changed
   */
  async move(id: string, to: JobStatus, change: StatusChange = {}): Promise<boolean> {
    return this.#store.transaction(async (tx) => {
      const row = await tx.selectFrom('training_jobs').selectAll().where('id', '=', id).executeTakeFirst();
      if (row === undefined || !mayFollow(row.status, to)) return false;
      const now = this.#clock.now();
      const times = isFinished(to) ? { ended_at: now } : {};
      await tx
        .updateTable('training_jobs')
        .set({ ...times, ...change, status: to, modified_at: now, news_at: now })
        .where('id', '=', id)
        .execute();
      if (to === 'completed') await recordModel(row, tx);
      if (to === 'running') await tx.deleteFrom('training_epochs').where('job_id', '=', id).execute();
      return true;
    });
  }

  /** Stores when a running job really began, after it waited in the queue of its runner. */
  async setStarted(id: string, at: number): Promise<void> {
    await this.#store.transaction((tx) =>
      tx.updateTable('training_jobs').set({ started_at: at, modified_at: at }).where('id', '=', id).execute(),
    );
  }

  /** Deletes a finished job. @throws {ArmatureError} `call.not_found`, `call.failed_precondition` */
  async delete(id: string): Promise<void> {
    await this.#store.transaction(async (tx) => {
      const { status } = await this.get(id, tx);
      if (!isFinished(status)) {
        throw new ArmatureError(
          'call.failed_precondition',
          `The training job "${id}" is ${status}: cancel it, and delete it when it has ended.`,
        );
      }
      await tx.deleteFrom('training_jobs').where('id', '=', id).execute();
    });
  }

  /** Stores an epoch of the current attempt. */
  async addEpoch(id: string, { epoch, of, loss, metrics }: Epoch): Promise<void> {
    const row = { job_id: id, epoch, of, loss, metrics: JSON.stringify(metrics) };
    await this.#store.transaction(async (tx) => {
      await tx.deleteFrom('training_epochs').where('job_id', '=', id).where('epoch', '=', epoch).execute();
      await tx.insertInto('training_epochs').values(row).execute();
      await tx.updateTable('training_jobs').set({ news_at: this.#clock.now() }).where('id', '=', id).execute();
    });
  }

  /** All epochs of a job. */
  async epochs(id: string): Promise<Epoch[]> {
    const rows = this.#store.db.selectFrom('training_epochs').selectAll().where('job_id', '=', id);
    return (await rows.orderBy('epoch').execute()).map(epochOf);
  }

  /** The last epoch of each job that has any. */
  async lastEpochs(ids: readonly string[]): Promise<ReadonlyMap<string, Epoch>> {
    if (ids.length === 0) return new Map();
    const { db } = this.#store;
    const rows = await db
      .selectFrom('training_epochs')
      .selectAll()
      .where((where) =>
        where(
          where.refTuple('job_id', 'epoch'),
          'in',
          db
            .selectFrom('training_epochs')
            .select((select) => ['job_id', select.fn.max('epoch').as('epoch')])
            .where('job_id', 'in', ids)
            .groupBy('job_id')
            .$asTuple('job_id', 'epoch'),
        ),
      )
      .execute();
    return new Map(rows.map((row) => [row.job_id, epochOf(row)]));
  }

  /** The user of a snapshot: a waiting or running job, or else an existing model. */
  async userOf(snapshotId: string, db: Queries): Promise<SnapshotUser | undefined> {
    const job = await db
      .selectFrom('training_jobs')
      .select('id')
      .where('snapshot_id', '=', snapshotId)
      .where('status', 'in', unfinished)
      .orderBy('number')
      .executeTakeFirst();
    if (job !== undefined) {
      const step = 'wait until that has ended, or cancel it';
      return { name: `the training job "${job.id}"`, step, isOver: false };
    }
    const model = await db
      .selectFrom('trained_models')
      .innerJoin('packages', (join) =>
        join
          .onRef('packages.organization_id', '=', 'trained_models.organization_id')
          .onRef('packages.name', '=', 'trained_models.name')
          .onRef('packages.version', '=', 'trained_models.version')
          .on('packages.type', '=', 'ml_model'),
      )
      .select(['packages.name', 'packages.version'])
      .where('snapshot_id', '=', snapshotId)
      .orderBy('packages.uploaded_at')
      .executeTakeFirst();
    if (model === undefined) return undefined;
    const { name, version } = model;
    return {
      name: `version "${version}" of the model "${name}", which was trained on it`,
      step: 'delete that version first, or delete the snapshot by itself with "though_trained_on"',
      isOver: true,
    };
  }

  /** The error if an organization has too many unfinished jobs; undefined if it may add some. */
  async queueFullError(organizationId: string, db: Queries = this.#store.db): Promise<ArmatureError | undefined> {
    const { count } = await db
      .selectFrom('training_jobs')
      .select((select) => select.fn.countAll<number>().as('count'))
      .where('organization_id', '=', organizationId)
      .where('status', 'in', unfinished)
      .executeTakeFirstOrThrow();
    if (Number(count) < MAX_UNFINISHED_JOBS) return undefined;
    return new ArmatureError(
      'call.overloaded',
      `${count} training jobs of the organization wait or run; at most ${MAX_UNFINISHED_JOBS} are allowed: cancel some, or wait.`,
    );
  }
}

/** Stores which snapshot the model of a job was trained on. */
async function recordModel(job: Selectable<TrainingJobsTable>, tx: WriteTransaction): Promise<void> {
  const { organization_id, model_name: name, model_version: version, snapshot_id } = job;
  await tx
    .insertInto('trained_models')
    .values({ organization_id, name, version, snapshot_id })
    .onConflict((conflict) => conflict.columns(['organization_id', 'name', 'version']).doUpdateSet({ snapshot_id }))
    .execute();
}

/** The error for a version that a job already reserves or has made. */
export function versionTaken({ id, status, model_name: name, model_version: version }: VersionHolder): ArmatureError {
  return new ArmatureError(
    'registry.version_exists',
    `The training job "${id}" (${status}) has version "${version}" of the model "${name}": choose another version.`,
  );
}

/** The same error for a missing job and one that the caller may not see. */
export function noJob(id: string): ArmatureError {
  return notFound('training job', id);
}

function jobOf(row: Selectable<TrainingJobsTable>): TrainingJob {
  return {
    ...row,
    tags: JSON.parse(row.tags) as string[],
    model_type: row.model_type as ModelType,
    results: row.results === null ? undefined : (JSON.parse(row.results) as ModelResults),
    arguments: JSON.parse(row.arguments) as Record<string, string>,
  };
}

function epochOf(row: { epoch: number; of: number; loss: number; metrics: string }): Epoch {
  const { epoch, of, loss } = row;
  return { epoch, of, loss, metrics: JSON.parse(row.metrics) as Epoch['metrics'] };
}
