import type { JsonSchema } from '../../../../proto/config/schema/json-schema.ts';
import { boardAttribute } from '../../../../proto/config/models/board-attribute.ts';
import type { ModelSchema, ValueOf } from '../../../../proto/config/models/model-schema.ts';

export const singleEncoderSchema = {
  title: 'Single-channel encoder',
  description:
    'An encoder on one digital interrupt. Each edge counts one tick, in the direction of the motor that names the encoder; without one it counts up.',
  type: 'object',
  examples: [{ board: 'board-1', pins: { i: 'enc_a' } }],
  required: ['board', 'pins'],
  additionalProperties: false,
  properties: {
    board: boardAttribute('Name of the board the encoder is wired to.'),
    pins: {
      type: 'object',
      title: 'Pins',
      required: ['i'],
      additionalProperties: false,
      properties: {
        i: {
          type: 'string',
          minLength: 1,
          title: 'Channel',
          description: 'Digital interrupt of the channel, by name or pin.',
          'x-input': 'interrupt',
        },
      },
    },
  },
} as const satisfies JsonSchema;

/** Attributes of encoder model `single`: one channel; the motor provides the direction. */
export type SingleEncoderAttributes = ValueOf<typeof singleEncoderSchema>;

export const model: ModelSchema = {
  api: 'core:component:encoder',
  model: 'core:builtin:single',
  order: 41,
  summary: 'An encoder on one digital interrupt, counting in the direction of its motor',
  mayCoexist: false,
  schema: singleEncoderSchema,
};
