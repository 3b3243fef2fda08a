import type { JsonSchema } from '../json-schema.ts';

export const fakeGenericSchema: JsonSchema = {
  title: 'Fake generic',
  description: 'Answers every DoCommand with the command itself. Its attributes are free.',
  type: 'object',
  additionalProperties: true,
};
