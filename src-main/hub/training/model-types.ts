import type { TrainingTask } from '../../../proto/config/datasets/training-rules.ts';
import type { ModelType as ModelKind } from '../../../proto/config/model-meta.ts';
import { ModelType } from '../../../proto/gen/core/app/mltraining/v1/ml_training.ts';

/** What models of the hub's own scripts are made for, as scripts and packages name it. */
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

/** What such a model learns; undefined for a type that is none of these. */
export function taskOf(modelType: ModelType): TrainingTask | undefined {
  return tasks.get(modelType);
}

/** The type of a model that learns this. */
export function modelTypeOf(task: TrainingTask): ModelType {
  const [type = ModelType.UNSPECIFIED] = [...tasks].find(([, each]) => each === task) ?? [];
  return type;
}

/** The type that the description of a script names; unspecified for one that it does not, or that is none. */
export function modelTypeNamed(name: unknown): ModelType {
  const [type] = [...tasks.keys()].filter((each) => modelKinds.get(each) === name);
  return type ?? ModelType.UNSPECIFIED;
}
