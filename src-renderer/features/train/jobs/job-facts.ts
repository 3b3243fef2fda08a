import { ModelType, TrainingStatus } from '../../../../proto/gen/core/app/mltraining/v1/ml_training.ts';
import type { TrainingJob } from '../../../../proto/gen/core/hub/v1/training.ts';
import type { TrainingTask } from '../../../../proto/config/datasets/training-rules.ts';
import type { Tone } from '../../../shared/machine/rpc/status-merge.ts';
import type { JobGroup } from '../train-address.ts';

/** Status of a job, as message keys name it. */
export type StatusName = 'pending' | 'running' | 'canceling' | 'completed' | 'failed' | 'canceled' | 'unknown';

/** A running job that reports nothing for longer is shown as silent. */
export const silentAfterMs = 30_000;

const names: Readonly<Partial<Record<TrainingStatus, StatusName>>> = {
  [TrainingStatus.PENDING]: 'pending',
  [TrainingStatus.RUNNING]: 'running',
  [TrainingStatus.CANCELING]: 'canceling',
  [TrainingStatus.COMPLETED]: 'completed',
  [TrainingStatus.FAILED]: 'failed',
  [TrainingStatus.CANCELED]: 'canceled',
};

const tones: Readonly<Record<StatusName, Tone | 'info'>> = {
  pending: 'off',
  running: 'info',
  canceling: 'warn',
  completed: 'ok',
  failed: 'bad',
  canceled: 'off',
  unknown: 'off',
};

const groups: Readonly<Record<Exclude<JobGroup, 'all'>, readonly StatusName[]>> = {
  unfinished: ['pending', 'running', 'canceling'],
  completed: ['completed'],
  failed: ['failed'],
  canceled: ['canceled'],
};

const tasks: Readonly<Partial<Record<ModelType, TrainingTask>>> = {
  [ModelType.SINGLE_LABEL_CLASSIFICATION]: 'singleLabel',
  [ModelType.MULTI_LABEL_CLASSIFICATION]: 'multiLabel',
  [ModelType.OBJECT_DETECTION]: 'detection',
};

/** The metric that a list shows for a model, by its task. */
const mainMetrics: Readonly<Record<TrainingTask, string>> = {
  singleLabel: 'accuracy',
  multiLabel: 'f1',
  detection: 'map_50',
};

/** If the task is not known, the first of these metrics that the model has. */
const anyMetric = ['accuracy', 'f1', 'map_50', 'mean_iou'];

export function statusName({ metadata }: TrainingJob): StatusName {
  return names[metadata?.status ?? TrainingStatus.UNSPECIFIED] ?? 'unknown';
}

export function statusTone(job: TrainingJob): Tone | 'info' {
  return tones[statusName(job)];
}

/** Whether its status cannot change any more. */
export function isFinished(job: TrainingJob): boolean {
  const name = statusName(job);
  return name === 'completed' || name === 'failed' || name === 'canceled';
}

/** The task of its model; undefined for a type that this page does not know, such as those of custom scripts. */
export function taskOf({ metadata }: TrainingJob): TrainingTask | undefined {
  return taskOfType(metadata?.modelType);
}

export function taskOfType(type: ModelType = ModelType.UNSPECIFIED): TrainingTask | undefined {
  return tasks[type];
}

export function modelTypeOf(task: TrainingTask): ModelType {
  const found = Object.entries(tasks).find(([, each]) => each === task)?.[0];
  return found === undefined ? ModelType.UNSPECIFIED : (Number(found) as ModelType);
}

/** Model and version: `bolts 2`. */
export function jobTitle({ metadata }: TrainingJob): string {
  return `${metadata?.modelName ?? ''} ${metadata?.modelVersion ?? ''}`.trim();
}

/** How long it has trained, ms; undefined if it never began. */
export function elapsedMs({ metadata }: TrainingJob, now: number): number | undefined {
  const began = metadata?.trainingStarted?.getTime();
  if (began === undefined) return undefined;
  return Math.max(0, (metadata?.trainingEnded?.getTime() ?? now) - began);
}

/** Time since the last report of a running or canceling job, ms; undefined for other jobs. */
export function silenceMs(job: TrainingJob, now: number): number | undefined {
  const name = statusName(job);
  const at = job.lastNews?.getTime();
  if (at === undefined || (name !== 'running' && name !== 'canceling')) return undefined;
  return Math.max(0, now - at);
}

/** Progress from 0 to 1; undefined while it is not known. */
export function progressShare({ progress }: Pick<TrainingJob, 'progress'>): number | undefined {
  if (progress === undefined || progress.of === 0) return undefined;
  return Math.min(1, progress.epoch / progress.of);
}

/** The metric among `names` that says how good a model is; undefined if there is none. */
export function mainMetric(task: TrainingTask | undefined, names: readonly string[]): string | undefined {
  const wanted = task === undefined ? undefined : mainMetrics[task];
  if (wanted !== undefined && names.includes(wanted)) return wanted;
  return anyMetric.find((name) => names.includes(name)) ?? names[0];
}

/** Jobs of a group with every word in their title, id, dataset, labels or error message. */
export function jobsWith(
  jobs: readonly TrainingJob[],
  { group, text }: { readonly group: JobGroup; readonly text: string },
  datasetName: (id: string) => string,
): readonly TrainingJob[] {
  const words = text
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== '');
  if (group === 'all' && words.length === 0) return jobs;
  return jobs.filter((job) => {
    if (group !== 'all' && !groups[group].includes(statusName(job))) return false;
    if (words.length === 0) return true;
    const { metadata } = job;
    const all = [
      ...[
        jobTitle(job),
        metadata?.id ?? '',
        datasetName(metadata?.datasetId ?? ''),
        metadata?.errorStatus?.message ?? '',
      ],
      ...(metadata?.tags ?? []),
    ]
      .join('\n')
      .toLowerCase();
    return words.every((word) => all.includes(word));
  });
}
