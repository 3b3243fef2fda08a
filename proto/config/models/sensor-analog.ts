import type { JsonSchema } from '../json-schema.ts';
import { boardAttribute } from './board-attribute.ts';

/** Attributes of sensor model `analog`. */
export interface AnalogSensorAttributes {
  readonly board: string;
  readonly analog: string;
  readonly scale?: number;
  readonly offset?: number;
  readonly unit?: string;
}

export const analogSensorSchema: JsonSchema = {
  title: 'Analog sensor',
  description: 'A value from an analog of a board: raw value × scale + offset.',
  type: 'object',
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
    },
    scale: {
      type: 'number',
      default: 1,
      title: 'Scale',
      description: 'What one raw step is in your unit.',
      examples: [0.0049],
    },
    offset: {
      type: 'number',
      default: 0,
      title: 'Offset',
      description: 'Added after scaling, in your unit.',
    },
    unit: {
      type: 'string',
      title: 'Unit',
      description: 'Stands beside the value in the readings.',
      examples: ['V'],
    },
  },
};
