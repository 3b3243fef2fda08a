import type { TrainingTask } from '../../../proto/config/datasets/training-rules.ts';
import type { ModelType as ModelKind } from '../../../proto/config/model-meta.ts';
import { ModelType } from '../../../proto/gen/core/app/mltraining/v1/ml_training.ts';

/** The names that scripts and packages use for the model types of the hub's own scripts. */
export const modelKinds: ReadonlyMap<number, ModelKind> = new Map([
  [ModelType.SINGLE_LABEL_CLASSIFICATION, 'single_label_classification'],
  [ModelType.MULTI_LABEL_CLASSIFICATION, 'multi_label_classification'],
  [ModelType.OBJECT_DETECTION, 'object_detection'],
]);

const tasks: ReadonlyMap<ModelType, TrainingTask> = new Map<ModelType, TrainingTask>([
  [ModelType.SINGLE_LABEL_CLASSIFICATION, 'singleLabel'],
  [ModelType.MULTI_LABEL_CLASSIFICATION, 'multiLabel'],
  [ModelType.OBJECT_DETECTION, 'detection'],
]);

/** The task of a model type; undefined for any other type. */
export function taskOf(modelType: ModelType): TrainingTask | undefined {
  return tasks.get(modelType);
}

/** The model type for a task. */
export function modelTypeOf(task: TrainingTask): ModelType {
  const [type = ModelType.UNSPECIFIED] = [...tasks].find(([, each]) => each === task) ?? [];
  return type;
}

/** The model type that the metadata of a script names; "unspecified" if it names none or an unknown one. */
export function modelTypeNamed(name: unknown): ModelType {
  const [type] = [...tasks.keys()].filter((each) => modelKinds.get(each) === name);
  return type ?? ModelType.UNSPECIFIED;
}
