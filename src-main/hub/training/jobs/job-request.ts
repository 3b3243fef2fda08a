import { UNKNOWN_LABEL } from '../../../../proto/config/datasets/training-rules.ts';
import {
  ModelFramework,
  ModelType,
  type SubmitTrainingJobRequest,
} from '../../../../proto/gen/core/app/mltraining/v1/ml_training.ts';
import { ArmatureError } from '../../../base/errors.ts';

const MODEL_NAME = /^[A-Za-z0-9][A-Za-z0-9_-]{0,59}$/;
/** It becomes the name of a folder. */
const MODEL_VERSION = /^[A-Za-z0-9][A-Za-z0-9._+-]{0,63}$/;
const MOST_TAGS = 500;
const LONGEST_TAG = 200;
const MODEL_TYPES: ReadonlySet<ModelType> = new Set([
  ModelType.SINGLE_LABEL_CLASSIFICATION,
  ModelType.MULTI_LABEL_CLASSIFICATION,
  ModelType.OBJECT_DETECTION,
]);

/** What is asked for, once it is known to make sense. */
export interface TrainingRequest {
  readonly modelName: string;
  readonly modelVersion: string;
  readonly modelType: ModelType;
  readonly tags: readonly string[];
}

/** Checks what does not need the store. @throws {ArmatureError} `call.bad_argument` */
export function checkRequest(request: SubmitTrainingJobRequest): TrainingRequest {
  const { modelName, modelVersion, modelType, modelFramework } = request;
  if (!MODEL_NAME.test(modelName)) {
    refuse('model_name', modelName, '1 to 60 letters, digits, "-" and "_" that begin with a letter or digit');
  }
  if (!MODEL_VERSION.test(modelVersion)) {
    refuse(
      'model_version',
      modelVersion,
      '1 to 64 letters, digits, ".", "_", "+" and "-" that begin with a letter or digit',
    );
  }
  if (!MODEL_TYPES.has(modelType)) {
    refuse('model_type', String(modelType), '1 (single label), 2 (multi label) or 3 (object detection)');
  }
  if (modelFramework !== ModelFramework.UNSPECIFIED && modelFramework !== ModelFramework.ONNX) {
    const [name = String(modelFramework)] =
      Object.entries(ModelFramework).find(([, framework]) => framework === modelFramework) ?? [];
    refuse('model_framework', name, 'ONNX, or nothing, which is the same');
  }
  return { modelName, modelVersion, modelType, tags: checkTags(request.tags, modelType) };
}

function checkTags(given: readonly string[], modelType: ModelType): readonly string[] {
  const tags = [...new Set(given.map((tag) => tag.trim()))];
  if (tags.length === 0) refuse('tags', '', 'the labels to train on');
  if (tags.length > MOST_TAGS) refuse('tags', `${tags.length} labels`, `at most ${MOST_TAGS}`);
  for (const tag of tags) {
    // labels.txt has one a line.
    if (tag === '' || tag.length > LONGEST_TAG || /[\u0000-\u001f\u007f\u2028\u2029]/.test(tag)) {
      refuse('tags', tag, `texts of 1 to ${LONGEST_TAG} characters without line breaks`);
    }
    if (tag === UNKNOWN_LABEL) refuse('tags', tag, 'labels; this one marks pictures that have none');
  }
  if (modelType === ModelType.SINGLE_LABEL_CLASSIFICATION && tags.length < 2) {
    refuse('tags', tags.join(', '), 'two labels or more, because a classifier of one label has nothing to tell apart');
  }
  return tags;
}

function refuse(what: string, found: string, allowed: string): never {
  throw new ArmatureError('call.bad_argument', `"${what}" is "${found.slice(0, 120)}"; allowed are ${allowed}.`, {
    details: { what, found: found.slice(0, 120), allowed },
  });
}
