import type { JsonSchema } from '../json-schema.ts';

export const fakeServoSchema: JsonSchema = {
  title: 'Fake servo',
  description: 'A servo without hardware, at once where it is sent.',
  type: 'object',
  additionalProperties: false,
  properties: {},
};
