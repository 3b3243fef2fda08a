import type { JsonSchema } from '../schema/json-schema.ts';

export const pinHold = {
  type: 'string',
  enum: ['always', 'session'],
  default: 'always',
  title: 'Stays driven',
  description:
    'What happens to the pin when the client that drove it disconnects: it keeps its level, as for a relay, or goes to its safe level. Pins of motors and servos always go to their safe level.',
} as const satisfies JsonSchema;
