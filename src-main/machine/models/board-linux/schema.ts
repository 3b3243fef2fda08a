import type { ModelSchema } from '../../../../proto/config/models/model-schema.ts';
import { linuxBoardSchema } from './attributes.ts';
import { checkLinuxBoard } from './rules.ts';

export const model: ModelSchema = {
  api: 'core:component:board',
  model: 'core:builtin:linux',
  order: 11,
  summary: 'GPIO, PWM and analog converters of this computer, or of a board on its USB',
  mayCoexist: false,
  schema: linuxBoardSchema,
  check: checkLinuxBoard,
};
