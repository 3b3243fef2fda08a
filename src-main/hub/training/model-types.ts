import type { ModelType as ModelKind } from '../../../proto/config/model-meta.ts';
import { ModelType } from '../../../proto/gen/core/app/mltraining/v1/ml_training.ts';

/** What models of the hub's own scripts are made for, as scripts and packages name it. */
export const modelKinds: ReadonlyMap<number, ModelKind> = new Map([
  [ModelType.SINGLE_LABEL_CLASSIFICATION, 'single_label_classification'],
  [ModelType.MULTI_LABEL_CLASSIFICATION, 'multi_label_classification'],
  [ModelType.OBJECT_DETECTION, 'object_detection'],
]);
