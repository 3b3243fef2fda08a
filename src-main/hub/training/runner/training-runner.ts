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
}

/** How a task ended. */
export type TrainingResult =
  /** `folder` has the model until `remove` is called. */
  | { readonly kind: 'trained'; readonly folder: string; readonly remove: () => Promise<void> }
  /** `message` is for people, with the next step. */
  | { readonly kind: 'failed'; readonly code: ErrorCode; readonly message: string }
  /** Its signal said so. */
  | { readonly kind: 'ended' };

/** Runs training scripts somewhere: as processes of this computer, or on others. */
export interface TrainingRunner {
  /** For people and settings: `local`. */
  readonly kind: string;
  /** Whether tasks may have a {@link TaskScript}. */
  readonly runsRegistryScripts?: boolean;
  /** @throws {ArmatureError} `training.unavailable` where nothing can be trained now, with the next step */
  check(origin?: ScriptOrigin): Promise<void>;
  /**
   * Runs a task to its end. Never rejects.
   * @param signal ends it: settles when nothing of it runs any more
   */
  run(task: TrainingTask, events: TrainingEvents, signal: AbortSignal): Promise<TrainingResult>;
  /** Removes what runs left that ended with the program. Before {@link run}. */
  start(): Promise<void>;
}
