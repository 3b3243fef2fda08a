import type { Generated } from 'kysely';
import type { JobStatus } from './jobs/job-status.ts';

declare module '../storage/tables.ts' {
  interface Tables {
    training_jobs: TrainingJobsTable;
    training_epochs: TrainingEpochsTable;
    training_logs: TrainingLogsTable;
    trained_models: TrainedModelsTable;
  }
}

export interface TrainingJobsTable {
  /** Jobs start in this order. */
  number: Generated<number>;
  id: string;
  organization_id: string;
  dataset_id: string;
  /** The snapshot of the dataset that it trains on. */
  snapshot_id: string;
  snapshot_number: number;
  model_name: string;
  model_version: string;
  /** ModelType of core.app.mltraining.v1. */
  model_type: number;
  /** JSON: labels to train on. */
  tags: string;
  status: JobStatus;
  /** Number of attempts so far. */
  attempts: number;
  created_at: number;
  modified_at: number;
  started_at: number | null;
  ended_at: number | null;
  /** Why it failed; '' if it did not. */
  failure: string;
  /** gRPC status of the failure; 0 if it did not fail. */
  failure_code: number;
  /** Id of the model in the store of models; '' before the model exists. */
  model_id: string;
  /** JSON: ModelResults; null before there is a model. */
  results: string | null;
  /** When the last line, epoch or change of status came. */
  news_at: number;
  /** The script of the registry that it runs, as it was requested; '' for the hub's own script. */
  registry_item_id: string;
  registry_item_version: string;
  /** As requested, but without effect: the hub runs no containers. */
  container_version: string;
  /** JSON: arguments of that script by name. */
  arguments: string;
}

/** An epoch of the current or last attempt. */
export interface TrainingEpochsTable {
  job_id: string;
  epoch: number;
  of: number;
  loss: number;
  /** JSON: numbers by name. */
  metrics: string;
}

export interface TrainingLogsTable {
  job_id: string;
  /** From 1, in the order in which the lines were written. */
  number: number;
  time: number;
  level: 'info' | 'warn' | 'error';
  message: string;
}

/** The snapshot on which a model was trained. Kept when its job or the model is deleted. */
export interface TrainedModelsTable {
  organization_id: string;
  name: string;
  version: string;
  snapshot_id: string;
}
