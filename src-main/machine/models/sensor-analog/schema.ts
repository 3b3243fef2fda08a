import type { JsonSchema } from '../../../../proto/config/schema/json-schema.ts';
import { boardAttribute } from '../../../../proto/config/models/board-attribute.ts';
import type { ModelSchema, ValueOf } from '../../../../proto/config/models/model-schema.ts';

export const analogSensorSchema = {
  title: 'Analog sensor',
  description: 'A value from an analog of a board: raw value × scale + offset.',
  type: 'object',
  examples: [{ board: 'board-1', analog: 'pot', scale: 0.0049, offset: -0.5, unit: 'V' }],
  required: ['board', 'analog'],
  additionalProperties: false,
  properties: {
    board: boardAttribute('Name of the board that has the analog.'),
    analog: {
      type: 'string',
      minLength: 1,
      title: 'Analog',
      description: 'Name of the analog, as the attributes of the board have it.',
      examples: ['pot'],
      'x-in-place': true,
    },
    scale: {
      type: 'number',
      default: 1,
      title: 'Scale',
      description: 'What one raw step is in your unit.',
      examples: [0.0049],
      'x-in-place': true,
    },
    offset: {
      type: 'number',
      default: 0,
      title: 'Offset',
      description: 'Added after scaling, in your unit.',
      'x-in-place': true,
    },
    unit: {
      type: 'string',
      title: 'Unit',
      description: 'Added to the readings beside the value.',
      examples: ['V'],
      'x-in-place': true,
    },
  },
} as const satisfies JsonSchema;

/** Attributes of sensor model `analog`. */
export type AnalogSensorAttributes = ValueOf<typeof analogSensorSchema>;

export const model: ModelSchema = {
  api: 'core:component:sensor',
  model: 'core:builtin:analog',
  order: 50,
  summary: 'A scaled value from an analog of a board',
  mayCoexist: false,
  schema: analogSensorSchema,
};
