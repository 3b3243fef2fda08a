import type { JsonSchema } from '../json-schema.ts';
import { attributeError, type AttributeProblem } from './attribute-problem.ts';
import { boardAttribute } from './board-attribute.ts';

/** Attributes of encoder model `incremental`: two channels a quarter period apart. */
export interface IncrementalEncoderAttributes {
  readonly board: string;
  readonly pins: { readonly a: string; readonly b: string };
}

const channel = (name: string): JsonSchema => ({
  type: 'string',
  minLength: 1,
  title: `Channel ${name}`,
  description: `Digital interrupt of channel ${name}, by name or pin.`,
  'x-input': 'interrupt',
});

export const incrementalEncoderSchema: JsonSchema = {
  title: 'Incremental encoder',
  description: 'A quadrature encoder on two digital interrupts. It counts one tick for two edges.',
  type: 'object',
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
};

export function checkIncrementalEncoder(attributes: IncrementalEncoderAttributes): AttributeProblem[] {
  const { a, b } = attributes.pins;
  if (a !== b) return [];
  return [attributeError('/pins/b', 'attribute.conflict', `Pins "a" and "b" are both "${a}": name two interrupts.`)];
}

/** Attributes of encoder model `single`: one channel, whose direction is the motor's. */
export interface SingleEncoderAttributes {
  readonly board: string;
  readonly pins: { readonly i: string };
}

export const singleEncoderSchema: JsonSchema = {
  title: 'Single-channel encoder',
  description:
    'An encoder on one digital interrupt. Each edge counts one tick, in the direction of the motor that names the encoder; without one it counts up.',
  type: 'object',
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
};

/** Attributes of encoder model `fake`. */
export interface FakeEncoderAttributes {
  readonly ticks_per_sec?: number;
  readonly ticks_per_rotation?: number;
  readonly update_rate_msec?: number;
}

export const fakeEncoderSchema: JsonSchema = {
  title: 'Fake encoder',
  description: 'An encoder without hardware. It turns at a constant speed, or with the fake motor that names it.',
  type: 'object',
  additionalProperties: false,
  properties: {
    ticks_per_sec: {
      type: 'number',
      default: 0,
      title: 'Speed',
      description: 'Ticks counted a second; negative counts down. DoCommand {"ticks_per_sec": 10} changes it.',
      'x-unit': 'ticks/s',
    },
    ticks_per_rotation: {
      type: 'number',
      minimum: 0,
      default: 0,
      title: 'Ticks per rotation',
      description: 'When more than 0, the position can be asked for in degrees too.',
      'x-unit': 'ticks',
    },
    update_rate_msec: {
      type: 'integer',
      minimum: 0,
      maximum: 60_000,
      default: 0,
      title: 'Counts every',
      description: 'Time between two counts; 0 counts anew at each reading.',
      'x-unit': 'ms',
    },
  },
};
