import {
  DETECTION_PICTURES,
  EXAMPLES_PER_LABEL,
  LABELLED_PERCENT,
} from '../../../../proto/config/datasets/training-rules.ts';
import { ModelType } from '../../../../proto/gen/core/app/mltraining/v1/ml_training.ts';
import { ArmatureError } from '../../../base/errors.ts';
import type { DatasetSummary } from './dataset-source.ts';

/** Every number that a dataset lacks for a training, in words. Empty where it lacks none. */
export function missingFor(
  modelType: ModelType,
  tags: readonly string[],
  { pictures, classified, boxed, classes, boxes }: DatasetSummary,
): string[] {
  const isDetection = modelType === ModelType.OBJECT_DETECTION;
  const missing: string[] = [];
  if (pictures === 0) return ['it has no pictures'];
  if (isDetection && pictures < DETECTION_PICTURES) {
    missing.push(`it has ${pictures} of at least ${DETECTION_PICTURES} pictures`);
  }
  const labelled = isDetection ? boxed : classified;
  const wanted = Math.ceil((pictures * LABELLED_PERCENT) / 100);
  if (labelled < wanted) {
    const what = isDetection ? 'boxes' : 'a label';
    missing.push(
      `${labelled} of ${pictures} pictures have ${what}, and at least ${wanted} (${LABELLED_PERCENT} %) have to`,
    );
  }
  for (const tag of tags) {
    const count = (isDetection ? boxes : classes).get(tag) ?? 0;
    if (count >= EXAMPLES_PER_LABEL) continue;
    const what = isDetection ? 'boxes have' : 'pictures have';
    missing.push(`${count} of at least ${EXAMPLES_PER_LABEL} ${what} the label "${tag}"`);
  }
  return missing;
}

/** @throws {ArmatureError} `call.failed_precondition` with every number that is missing */
export function requireReady(modelType: ModelType, tags: readonly string[], summary: DatasetSummary): void {
  const missing = missingFor(modelType, tags, summary);
  if (missing.length === 0) return;
  throw new ArmatureError(
    'call.failed_precondition',
    `The dataset is not ready for training: ${missing.join('; ')}. Label more pictures, or train on other labels.`,
    { details: { missing } },
  );
}
