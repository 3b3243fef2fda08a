import type { JsonSchema } from '../json-schema.ts';

/** Attributes of motor model `fake`: a motor that does at once what it is told. */
export interface FakeMotorAttributes {
  readonly max_rpm?: number;
  readonly min_power_pct?: number;
  readonly max_power_pct?: number;
}

export const DEFAULT_FAKE_MAX_RPM = 100;

export const fakeMotorSchema: JsonSchema = {
  title: 'Fake motor',
  description: 'A motor without hardware. It turns at power times its maximum speed and knows its position.',
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
  },
};
