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
  /** Jobs are begun in this order. */
  number: Generated<number>;
  id: string;
  organization_id: string;
  dataset_id: string;
  /** The snapshot of the dataset that it trains on. */
  snapshot_id: string;
  snapshot_number: number;
  model_name: string;
  model_version: string;
  /** As core.app.mltraining.v1 has them. */
  model_type: number;
  /** JSON: labels to train on. */
  tags: string;
  status: JobStatus;
  /** How often it was begun. */
  attempts: number;
  created_at: number;
  modified_at: number;
  started_at: number | null;
  ended_at: number | null;
  /** Why it failed, for people; '' where it did not. */
  failure: string;
  /** gRPC status of that; 0 where it did not fail. */
  failure_code: number;
  /** What the store of models calls the model; '' before it is there. */
  model_id: string;
  /** JSON: ModelResults; null before there is a model. */
  results: string | null;
  /** When anything was last heard of it. */
  news_at: number;
  /** The script of the registry that it runs, `organization id:name`; '' for one of the hub's own. */
  registry_item_id: string;
  registry_item_version: string;
  /** As it was asked for: nothing is run in containers here. */
  container_version: string;
  /** JSON: values by name, for that script. */
  arguments: string;
}

/** An epoch of the attempt under way, or of the last one. */
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
  /** From 1, in the order in which they were written. */
  number: number;
  time: number;
  level: 'info' | 'warn' | 'error';
  message: string;
}

/** Which snapshot a model was trained on: also after its job is deleted. The model may be deleted since. */
export interface TrainedModelsTable {
  organization_id: string;
  name: string;
  version: string;
  snapshot_id: string;
}
