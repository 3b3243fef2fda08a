import type { JsonSchema } from '../schema/json-schema.ts';

export const pinHold = {
  type: 'string',
  enum: ['always', 'session'],
  default: 'always',
  title: 'Stays driven',
  description:
    'What becomes of the pin when a client that drove it is gone: it stays, as a relay wants it, or goes to its safe level. Pins of motors and servos always do the latter.',
} as const satisfies JsonSchema;
