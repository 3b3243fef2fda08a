import type { ModelType, TrainingJobLogEntry } from '../../../../proto/gen/core/app/mltraining/v1/ml_training.ts';
import type {
  GetJobResponse,
  GetRunnerResponse,
  PrepareJobResponse,
  TrainingJob,
  TrainingSettings,
} from '../../../../proto/gen/core/hub/v1/training.ts';

/** A training job to submit. */
export interface JobToSubmit {
  readonly organizationId: string;
  readonly datasetId: string;
  readonly modelName: string;
  readonly modelVersion: string;
  readonly modelType: ModelType;
  /** Labels to train on. */
  readonly tags: readonly string[];
}

/** A training job with a script of the registry to submit. */
export interface ScriptJobToSubmit {
  readonly organizationId: string;
  readonly datasetId: string;
  readonly modelName: string;
  readonly modelVersion: string;
  /** `organization id:name`. */
  readonly itemId: string;
  readonly scriptVersion: string;
  /** Arguments of the script besides the paths of its data and its result. */
  readonly arguments: Readonly<Record<string, string>>;
}

/** A draft of a job; the hub proposes what is left out. */
export interface JobDraft {
  readonly organizationId: string;
  readonly datasetId: string;
  readonly modelType?: ModelType;
  readonly modelName?: string;
  readonly modelVersion?: string;
  readonly labels?: readonly string[];
}

/** A part of a job's log, in the order in which it was written. */
export interface JobLogPage {
  readonly lines: readonly TrainingJobLogEntry[];
  /** Token of the following lines; '' at the end of the log. */
  readonly nextToken: string;
}

/** Training jobs of this page's hub. Calls reject with an `Error` whose message is a sentence for people. */
export interface TrainingCalls {
  /** The jobs of an organization, newest first. */
  list(organizationId: string, signal: AbortSignal): Promise<readonly TrainingJob[]>;
  get(id: string, signal: AbortSignal): Promise<GetJobResponse>;
  /** @param token from the previous page; '' for the start of the log */
  log(id: string, token: string, signal: AbortSignal): Promise<JobLogPage>;
  /** What a job would be, and everything that prevents submitting it. Stores nothing. */
  prepare(draft: JobDraft, signal: AbortSignal): Promise<PrepareJobResponse>;
  /** @returns its id */
  submit(job: JobToSubmit): Promise<string>;
  /** @returns its id */
  submitScript(job: ScriptJobToSubmit): Promise<string>;
  /** Resolves before the job has ended. */
  cancel(id: string): Promise<void>;
  /** Deletes its log too, but not its model. Rejects while the job has not ended. */
  delete(id: string): Promise<void>;
  /** Whether jobs of an organization can run now. */
  runner(organizationId: string, signal: AbortSignal): Promise<GetRunnerResponse>;
  /** The rules by which jobs run; undefined if the caller may not know. */
  settings(signal: AbortSignal): Promise<TrainingSettings | undefined>;
  /** 0 and '' stand for the default. */
  setSettings(settings: TrainingSettings): Promise<void>;
}
