import type { JsonSchema } from '../../../../proto/config/schema/json-schema.ts';
import { attributeError, type AttributeProblem } from '../../../../proto/config/models/attribute-problem.ts';
import type { ModelSchema, ValueOf } from '../../../../proto/config/models/model-schema.ts';

export const DEFAULT_FAKE_MAX_RPM = 100;

export const fakeMotorSchema = {
  title: 'Fake motor',
  description:
    'A motor without hardware. It turns at power times its maximum speed. With a fake encoder it has a position.',
  type: 'object',
  examples: [{ max_rpm: 60, min_power_pct: 0.1, max_power_pct: 0.8, encoder: 'encoder-1', ticks_per_rotation: 200 }],
  additionalProperties: false,
  properties: {
    max_rpm: {
      type: 'number',
      exclusiveMinimum: 0,
      default: DEFAULT_FAKE_MAX_RPM,
      title: 'Max speed',
      description: 'Speed at full power.',
      'x-unit': 'rpm',
      'x-in-place': true,
    },
    min_power_pct: {
      type: 'number',
      minimum: 0,
      maximum: 1,
      default: 0,
      title: 'Lowest power',
      description: 'A motor that runs gets at least this share of full power.',
      'x-unit': 'of 1',
      'x-in-place': true,
    },
    max_power_pct: {
      type: 'number',
      minimum: 0.06,
      maximum: 1,
      default: 1,
      title: 'Highest power',
      description: 'A motor gets at most this share of full power.',
      'x-unit': 'of 1',
      'x-in-place': true,
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
} as const satisfies JsonSchema;

/** Attributes of motor model `fake`, which carries out commands at once. */
export type FakeMotorAttributes = ValueOf<typeof fakeMotorSchema>;

/** Rules for the fake motor that its schema cannot express. */
export function checkFakeMotor({ encoder = '', ticks_per_rotation: ticks }: FakeMotorAttributes): AttributeProblem[] {
  if (encoder === '' || (ticks !== undefined && ticks > 0)) return [];
  const message = `"ticks_per_rotation" is ${ticks ?? 'missing'}: enter how many ticks the encoder counts in one turn.`;
  return [attributeError('/ticks_per_rotation', 'attribute.missing', message)];
}

export const model: ModelSchema = {
  api: 'core:component:motor',
  model: 'core:builtin:fake',
  order: 21,
  summary: 'A motor without hardware',
  mayCoexist: false,
  schema: fakeMotorSchema,
  check: checkFakeMotor,
};
