import type { JsonSchema } from '../json-schema.ts';

/** How long a pin stays as a client has driven it. */
export type PinHold = 'always' | 'session';

export const pinHold: JsonSchema = {
  type: 'string',
  enum: ['always', 'session'],
  default: 'always',
  title: 'Stays driven',
  description:
    'What becomes of the pin when a client that drove it is gone: it stays, as a relay wants it, or goes to its safe level. Pins of motors and servos always do the latter.',
};
