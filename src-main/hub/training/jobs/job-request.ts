import { LEAST_LABELS, UNKNOWN_LABEL, type TrainingTask } from '../../../../proto/config/datasets/training-rules.ts';
import { packageNameProblem, packageVersionProblem } from '../../../../proto/config/model-meta.ts';
import {
  ModelFramework,
  type SubmitTrainingJobRequest,
} from '../../../../proto/gen/core/app/mltraining/v1/ml_training.ts';
import { ArmatureError } from '../../../base/errors.ts';
import { taskOf } from '../model-types.ts';

const MAX_TAGS = 500;
const MAX_TAG_LENGTH = 200;

/** A checked request. */
export interface TrainingRequest {
  readonly modelName: string;
  readonly modelVersion: string;
  readonly task: TrainingTask;
  readonly tags: readonly string[];
}

/** Checks a request as far as that needs no store. @throws {ArmatureError} `call.bad_argument` */
export function checkRequest(request: SubmitTrainingJobRequest): TrainingRequest {
  const { modelName, modelVersion, modelType, modelFramework } = request;
  checkModel(modelName, modelVersion);
  const task = taskOf(modelType);
  if (task === undefined) {
    refuse(
      'model_type',
      `The model type ${modelType} is not known: it is 1 (single label), 2 (multi label) or 3 (object detection).`,
    );
  }
  if (modelFramework !== ModelFramework.UNSPECIFIED && modelFramework !== ModelFramework.ONNX) {
    const [name = String(modelFramework)] =
      Object.entries(ModelFramework).find(([, framework]) => framework === modelFramework) ?? [];
    refuse('model_framework', `The framework ${name} is not trained: ask for ONNX, or leave it out.`);
  }
  const tags = labelsOf(request.tags);
  if (tags.length < LEAST_LABELS[task]) {
    const why = task === 'singleLabel' ? ', because a classifier of one label has nothing to tell apart' : '';
    refuse('tags', `There are ${tags.length} labels, and a job needs at least ${LEAST_LABELS[task]}${why}.`);
  }
  if (tags.length > MAX_TAGS) refuse('tags', `There are ${tags.length} labels, and at most ${MAX_TAGS} are trained.`);
  for (const tag of tags) {
    const problem = labelProblem(tag);
    if (problem !== undefined) refuse('tags', problem);
  }
  return { modelName, modelVersion, task, tags };
}

/** Checks name and version of the model, which becomes a package. @throws {ArmatureError} `call.bad_argument` */
export function checkModel(modelName: string, modelVersion: string): void {
  const nameProblem = packageNameProblem(modelName);
  if (nameProblem !== undefined) refuse('model_name', nameProblem);
  const versionProblem = packageVersionProblem(modelVersion);
  if (versionProblem !== undefined) refuse('model_version', versionProblem);
}

/** Labels without duplicates and surrounding spaces. */
export function labelsOf(given: readonly string[]): readonly string[] {
  return [...new Set(given.map((tag) => tag.trim()))];
}

/** Why a label cannot be trained on, as a sentence; undefined if it can. */
export function labelProblem(label: string): string | undefined {
  if (label === UNKNOWN_LABEL) return `"${UNKNOWN_LABEL}" marks pictures without a label: leave it out.`;
  // labels.txt has one label in each line.
  if (label !== '' && label.length <= MAX_TAG_LENGTH && !/[\u0000-\u001f\u007f\u2028\u2029]/.test(label))
    return undefined;
  return `The label "${label.slice(0, 40)}" cannot be trained on: a label has 1 to ${MAX_TAG_LENGTH} characters and no line breaks.`;
}

function refuse(what: string, problem: string): never {
  throw new ArmatureError('call.bad_argument', `"${what}": ${problem}`, { details: { what } });
}
