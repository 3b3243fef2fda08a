import type { JsonSchema } from '../../../../proto/config/schema/json-schema.ts';
import type { ModelSchema } from '../../../../proto/config/models/model-schema.ts';

const fakeServoSchema = {
  title: 'Fake servo',
  description: 'A servo without hardware, which reaches its angle at once.',
  type: 'object',
  examples: [{}],
  additionalProperties: false,
  properties: {},
} as const satisfies JsonSchema;

export const model: ModelSchema = {
  api: 'core:component:servo',
  model: 'core:builtin:fake',
  order: 31,
  summary: 'A servo without hardware',
  mayCoexist: false,
  schema: fakeServoSchema,
};
