import type { ModelType } from '../../../../proto/gen/core/app/mltraining/v1/ml_training.ts';
import type { ErrorCode } from '../../../base/errors.ts';
import type { JobLogLevel } from '../jobs/job-logs.ts';
import type { Epoch } from '../jobs/training-jobs.ts';

/** A training for a runner. */
export interface TrainingTask {
  readonly jobId: string;
  readonly modelType: ModelType;
  readonly labels: readonly string[];
  /** Name of the dataset in the model card. */
  readonly snapshot: string;
  /** Writes the dataset into an empty folder. @throws {ArmatureError} */
  readonly writeDataset: (folder: string) => Promise<void>;
  /** A script to run instead of the hub's own. */
  readonly script?: TaskScript | undefined;
}

/** A script of the registry. */
export interface TaskScript {
  /** Values by name. */
  readonly arguments: Readonly<Record<string, string>>;
  /**
   * Unpacks it into an empty folder.
   * @returns the folder with `model/training.py`
   * @throws {ArmatureError}
   */
  readonly unpack: (folder: string, maxBytes: number) => Promise<string>;
}

/** Where the script comes from. The hub's own needs Python packages that others may not need. */
export type ScriptOrigin = 'hub' | 'registry';

/** Receives what happens while a task runs. */
export interface TrainingEvents {
  log(level: JobLogLevel, line: string): void;
  epoch(epoch: Epoch): void;
  /** The current state of a task that an external system runs. */
  state(state: TrainingState): void;
  /** Settles when everything so far is stored, so that it need not be sent again after a restart. */
  stored(): Promise<void>;
}

/** The state of a task that an external system runs. */
export interface TrainingState {
  /** Whether it waits in the queue of the external system. */
  readonly isWaiting: boolean;
  /** A sentence for the user; '' if there is nothing special. */
  readonly note: string;
  /** Since when its state cannot be queried; milliseconds since the Unix epoch. */
  readonly noNewsSince?: number;
}

/** How a task ended. */
export type TrainingResult =
  /** `folder` contains the model until `remove` is called. */
  | { readonly kind: 'trained'; readonly folder: string; readonly remove: () => Promise<void> }
  /** `message` is a sentence with the next step. */
  | { readonly kind: 'failed'; readonly code: ErrorCode; readonly message: string }
  /** It was ended by its signal. */
  | { readonly kind: 'ended' }
  /** The hub stops, and the training goes on without it. Run it again at the next start to follow it. */
  | { readonly kind: 'left' };

/** Runs training scripts, as processes on this computer or on others. */
export interface TrainingRunner {
  /** `local` or `slurm`, as in the settings. */
  kind(): Promise<string>;
  /** @throws {ArmatureError} `training.unavailable` if nothing can be trained now, with the next step */
  check(origin?: ScriptOrigin): Promise<void>;
  /**
   * Runs a task to its end. If {@link holds} is true for the task, follows the one that already runs. Never rejects.
   * @param signal ends the task; the promise settles when nothing of it runs any more
   * @param leaving aborts before `signal` when the hub stops: a task that can outlive the hub goes on
   */
  run(task: TrainingTask, events: TrainingEvents, signal: AbortSignal, leaving?: AbortSignal): Promise<TrainingResult>;
  /** Whether a task has outlived an earlier run of the hub and is to be {@link run} again. */
  holds(jobId: string): Promise<boolean>;
  /** Removes what earlier runs left, except those of `held` jobs, which are run again. Call it before {@link run}. */
  start(held: readonly string[]): Promise<void>;
}
