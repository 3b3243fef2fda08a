import type { JsonSchema } from '../json-schema.ts';
import { attributeError, type AttributeProblem } from './attribute-problem.ts';

/** Attributes of motor model `fake`: a motor that does at once what it is told. */
export interface FakeMotorAttributes {
  readonly max_rpm?: number;
  readonly min_power_pct?: number;
  readonly max_power_pct?: number;
  readonly encoder?: string;
  readonly ticks_per_rotation?: number;
}

export const DEFAULT_FAKE_MAX_RPM = 100;

export const fakeMotorSchema: JsonSchema = {
  title: 'Fake motor',
  description:
    'A motor without hardware. It turns at power times its maximum speed. With a fake encoder it has a position.',
  type: 'object',
  additionalProperties: false,
  properties: {
    max_rpm: {
      type: 'number',
      exclusiveMinimum: 0,
      default: DEFAULT_FAKE_MAX_RPM,
      title: 'Max speed',
      description: 'Speed at full power.',
      'x-unit': 'rpm',
    },
    min_power_pct: {
      type: 'number',
      minimum: 0,
      maximum: 1,
      default: 0,
      title: 'Lowest power',
      description: 'A motor that runs gets at least this share of full power.',
      'x-unit': 'of 1',
    },
    max_power_pct: {
      type: 'number',
      minimum: 0.06,
      maximum: 1,
      default: 1,
      title: 'Highest power',
      description: 'A motor gets at most this share of full power.',
      'x-unit': 'of 1',
    },
    encoder: {
      type: 'string',
      title: 'Encoder',
      description: 'Name of a fake encoder that this motor turns. Its position is then the position of the motor.',
      'x-resource': 'core:component:encoder',
    },
    ticks_per_rotation: {
      type: 'number',
      minimum: 0,
      maximum: 1_000_000,
      title: 'Ticks per rotation',
      description: 'Ticks the encoder counts in one turn. Required with an encoder.',
      'x-unit': 'ticks',
      examples: [200],
    },
  },
};

/** Rules of the fake motor that its schema cannot say. */
export function checkFakeMotor({ encoder = '', ticks_per_rotation: ticks }: FakeMotorAttributes): AttributeProblem[] {
  if (encoder === '' || (ticks !== undefined && ticks > 0)) return [];
  const found = ticks === undefined ? 'it is missing' : `it is ${ticks}`;
  const message = `With an encoder, "ticks_per_rotation" must be more than 0; ${found}: set how many ticks the encoder counts in one turn.`;
  return [attributeError('/ticks_per_rotation', 'attribute.missing', message)];
}
