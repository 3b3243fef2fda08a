import type { ModelType, TrainingJobLogEntry } from '../../../../proto/gen/core/app/mltraining/v1/ml_training.ts';
import type {
  GetJobResponse,
  GetRunnerResponse,
  PrepareJobResponse,
  TrainingJob,
  TrainingSettings,
} from '../../../../proto/gen/core/hub/v1/training.ts';

/** A training that somebody asks for. */
export interface JobToSubmit {
  readonly organizationId: string;
  readonly datasetId: string;
  readonly modelName: string;
  readonly modelVersion: string;
  readonly modelType: ModelType;
  /** Labels to train on. */
  readonly tags: readonly string[];
}

/** A training by a script of the registry that somebody asks for. */
export interface ScriptJobToSubmit {
  readonly organizationId: string;
  readonly datasetId: string;
  readonly modelName: string;
  readonly modelVersion: string;
  /** `organization id:name`. */
  readonly itemId: string;
  readonly scriptVersion: string;
  /** What the script is given beside where its data and its result are. */
  readonly arguments: Readonly<Record<string, string>>;
}

/** What a job may be: what is left out the hub proposes. */
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
  /** For what comes after these; '' when the log is over. */
  readonly nextToken: string;
}

/** Training jobs of the hub of this page. Calls reject with an `Error` whose message is a sentence for people. */
export interface TrainingCalls {
  /** Those of an organization, the newest first. */
  list(organizationId: string, signal: AbortSignal): Promise<readonly TrainingJob[]>;
  get(id: string, signal: AbortSignal): Promise<GetJobResponse>;
  /** @param token of the page before; '' for the beginning */
  log(id: string, token: string, signal: AbortSignal): Promise<JobLogPage>;
  /** What a job would be, and everything that keeps it from being submitted. Nothing is kept of it. */
  prepare(draft: JobDraft, signal: AbortSignal): Promise<PrepareJobResponse>;
  /** @returns its id */
  submit(job: JobToSubmit): Promise<string>;
  /** @returns its id */
  submitScript(job: ScriptJobToSubmit): Promise<string>;
  /** Settles before it has ended. */
  cancel(id: string): Promise<void>;
  /** With its log; its model stays. Rejects while it is not over. */
  delete(id: string): Promise<void>;
  /** Whether jobs of an organization can run now. */
  runner(organizationId: string, signal: AbortSignal): Promise<GetRunnerResponse>;
  /** By which rules jobs run; undefined where the caller may not know. */
  settings(signal: AbortSignal): Promise<TrainingSettings | undefined>;
  /** 0, and an empty text, stand for what is usual. */
  setSettings(settings: TrainingSettings): Promise<void>;
}
