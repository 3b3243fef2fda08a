import type { ModelType } from '../../../../proto/gen/core/app/mltraining/v1/ml_training.ts';
import type { ErrorCode } from '../../../base/errors.ts';
import type { JobLogLevel } from '../jobs/job-logs.ts';
import type { Epoch } from '../jobs/training-jobs.ts';

/** What a runner is to do. */
export interface TrainingTask {
  readonly jobId: string;
  readonly modelType: ModelType;
  readonly labels: readonly string[];
  /** What the dataset is called in the model card. */
  readonly snapshot: string;
  /** Writes the dataset into an empty folder. @throws {ArmatureError} */
  readonly writeDataset: (folder: string) => Promise<void>;
  /** Runs instead of the hub's own script. */
  readonly script?: TaskScript | undefined;
}

/** A script of the registry. */
export interface TaskScript {
  /** Values by name. */
  readonly arguments: Readonly<Record<string, string>>;
  /**
   * Unpacks it into an empty folder.
   * @returns where `model/training.py` is
   * @throws {ArmatureError}
   */
  readonly unpack: (folder: string, mostBytes: number) => Promise<string>;
}

/** Whose script: the hub's own needs packages of Python that another one may not need. */
export type ScriptOrigin = 'hub' | 'registry';

/** What is told while a task runs. */
export interface TrainingEvents {
  log(level: JobLogLevel, line: string): void;
  epoch(epoch: Epoch): void;
  /** How it stands now, where it runs out of the hub's sight. */
  state(state: TrainingState): void;
  /** Settles when all that was told so far is stored: it need not be told again after a restart. */
  stored(): Promise<void>;
}

/** How a task stands that somebody else runs. */
export interface TrainingState {
  /** It waits in a queue behind the runner, and nothing is trained. */
  readonly isWaiting: boolean;
  /** For people; empty where there is nothing special. */
  readonly note: string;
  /** Since when nothing is known of it; milliseconds since the Unix epoch. */
  readonly noNewsSince?: number;
}

/** How a task ended. */
export type TrainingResult =
  /** `folder` has the model until `remove` is called. */
  | { readonly kind: 'trained'; readonly folder: string; readonly remove: () => Promise<void> }
  /** `message` is for people, with the next step. */
  | { readonly kind: 'failed'; readonly code: ErrorCode; readonly message: string }
  /** Its signal said so. */
  | { readonly kind: 'ended' }
  /** The hub ends, and it goes on without it: it is to be run again with the next start. */
  | { readonly kind: 'left' };

/** Runs training scripts somewhere: as processes of this computer, or on others. */
export interface TrainingRunner {
  /** For people and settings: `local`, `slurm`. */
  kind(): Promise<string>;
  /** @throws {ArmatureError} `training.unavailable` where nothing can be trained now, with the next step */
  check(origin?: ScriptOrigin): Promise<void>;
  /**
   * Runs a task to its end, or sees one to its end that {@link holds} was true for. Never rejects.
   * @param signal ends it: settles when nothing of it runs any more
   * @param leaving aborts before `signal` where the hub ends: what outlives the hub is left as it is
   */
  run(task: TrainingTask, events: TrainingEvents, signal: AbortSignal, leaving?: AbortSignal): Promise<TrainingResult>;
  /** Whether a task that was begun before the hub ended has outlived it, and is to be {@link run} again. */
  holds(jobId: string): Promise<boolean>;
  /** Removes what runs left, apart from those of these jobs, which are run again. Before {@link run}. */
  start(held: readonly string[]): Promise<void>;
}
