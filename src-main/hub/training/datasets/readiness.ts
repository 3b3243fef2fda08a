import {
  LABELLED_PERCENT,
  trainingChecks,
  type DatasetCounts,
  type TrainingCheck,
  type TrainingTask,
} from '../../../../proto/config/datasets/training-rules.ts';
import { ArmatureError } from '../../../base/errors.ts';

/** A rule of training that a dataset does not meet. */
export interface UnmetRule extends TrainingCheck {
  /** A sentence with the numbers and what to do. */
  readonly message: string;
}

/**
 * The rules that a dataset does not meet; empty if it is ready.
 * @param labels to be learned
 * @param counts for all labels, except `severalTags`, which counts only `labels`
 */
export function unmetRules(task: TrainingTask, labels: readonly string[], counts: DatasetCounts): readonly UnmetRule[] {
  const checks = trainingChecks(task, counts, labels).filter(({ missing }) => missing > 0);
  // If there are no pictures, other rules are not worth reporting.
  const reported = counts.pictures === 0 ? checks.slice(0, 1) : checks;
  return reported.map((check) => ({ ...check, message: sentence(task, check, counts) }));
}

/** @throws {ArmatureError} `call.failed_precondition` with every unmet rule */
export function requireReady(task: TrainingTask, labels: readonly string[], counts: DatasetCounts): void {
  const unmet = unmetRules(task, labels, counts).map(({ message }) => message);
  if (unmet.length === 0) return;
  throw new ArmatureError('call.failed_precondition', `The dataset is not ready for training. ${unmet.join(' ')}`, {
    details: { missing: unmet },
  });
}

function sentence(task: TrainingTask, check: TrainingCheck, { pictures }: DatasetCounts): string {
  const { rule, label, found, needed, missing } = check;
  const isDetection = task === 'detection';
  switch (rule) {
    case 'pictures':
      if (found === 0) return 'The dataset has no pictures: add some, and label them.';
      return `The dataset has ${found} of at least ${needed} pictures: add ${missing} more.`;
    case 'labelled': {
      const what = { detection: 'boxes', singleLabel: 'one label', multiLabel: 'a label' }[task];
      return `${found} of ${pictures} pictures have ${what}, and at least ${needed} (${LABELLED_PERCENT} %) have to: label ${missing} more.`;
    }
    case 'labels':
      if (found === 0) return 'There is no label to learn: choose one, or label pictures first.';
      return `${found} label is chosen, and a model that tells labels apart needs at least ${needed}: choose another one.`;
    case 'rareLabel':
      return `${found} of at least ${needed} ${isDetection ? 'boxes' : 'pictures'} have the label "${label}": label ${missing} more, or leave it out.`;
  }
}
