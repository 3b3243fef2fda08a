import { checkTransform } from './rules.ts';
import { transformSchema } from './attributes.ts';
import type { ModelSchema } from '../../../../proto/config/models/model-schema.ts';

export const model: ModelSchema = {
  api: 'core:component:camera',
  model: 'core:builtin:transform',
  order: 59,
  summary: 'What another camera sees, cropped, resized, turned, or with what was found in it drawn over it',
  mayCoexist: false,
  schema: transformSchema,
  check: checkTransform,
};
