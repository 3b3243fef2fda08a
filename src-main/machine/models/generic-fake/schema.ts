import type { JsonSchema } from '../../../../proto/config/schema/json-schema.ts';
import type { ModelSchema } from '../../../../proto/config/models/model-schema.ts';

const fakeGenericSchema = {
  title: 'Fake generic',
  description: 'Answers every DoCommand with the command itself. Its attributes are free.',
  type: 'object',
  examples: [{ colour: 'green' }],
  additionalProperties: true,
} as const satisfies JsonSchema;

export const model: ModelSchema = {
  api: 'core:component:generic',
  model: 'core:builtin:fake',
  order: 60,
  summary: 'Answers every command with the command itself',
  mayCoexist: true,
  schema: fakeGenericSchema,
};
