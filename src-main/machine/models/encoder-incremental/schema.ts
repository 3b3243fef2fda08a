import type { JsonSchema } from '../../../../proto/config/schema/json-schema.ts';
import { attributeError, type AttributeProblem } from '../../../../proto/config/models/attribute-problem.ts';
import { boardAttribute } from '../../../../proto/config/models/board-attribute.ts';
import type { ModelSchema, ValueOf } from '../../../../proto/config/models/model-schema.ts';

const channel = (name: string) =>
  ({
    type: 'string',
    minLength: 1,
    title: `Channel ${name}`,
    description: `Digital interrupt of channel ${name}, by name or pin.`,
    'x-input': 'interrupt',
  }) as const;

export const incrementalEncoderSchema = {
  title: 'Incremental encoder',
  description: 'A quadrature encoder on two digital interrupts. It counts one tick for two edges.',
  type: 'object',
  examples: [{ board: 'board-1', pins: { a: 'enc_a', b: 'enc_b' } }],
  required: ['board', 'pins'],
  additionalProperties: false,
  properties: {
    board: boardAttribute('Name of the board the encoder is wired to.'),
    pins: {
      type: 'object',
      title: 'Pins',
      required: ['a', 'b'],
      additionalProperties: false,
      properties: {
        a: channel('A'),
        b: channel('B'),
      },
    },
  },
} as const satisfies JsonSchema;

/** Attributes of encoder model `incremental`: two channels a quarter period apart. */
export type IncrementalEncoderAttributes = ValueOf<typeof incrementalEncoderSchema>;

export function checkIncrementalEncoder(attributes: IncrementalEncoderAttributes): AttributeProblem[] {
  const { a, b } = attributes.pins;
  if (a !== b) return [];
  return [attributeError('/pins/b', 'attribute.conflict', `Pins "a" and "b" are both "${a}": name two interrupts.`)];
}

export const model: ModelSchema = {
  api: 'core:component:encoder',
  model: 'core:builtin:incremental',
  order: 40,
  summary: 'A quadrature encoder on two digital interrupts of a board',
  mayCoexist: false,
  schema: incrementalEncoderSchema,
  check: checkIncrementalEncoder,
};
