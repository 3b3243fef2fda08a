import type { JsonSchema } from '../../../../proto/config/schema/json-schema.ts';
import type { ModelSchema, ValueOf } from '../../../../proto/config/models/model-schema.ts';

export const DEFAULT_VOLTS = 12;
export const DEFAULT_AMPS = 0.5;

const fakePowerSensorSchema = {
  title: 'Fake power sensor',
  description: 'A power sensor without hardware. Its power is the product of its voltage and its current.',
  type: 'object',
  examples: [{ volts: 24, amps: 1.5 }],
  additionalProperties: false,
  properties: {
    volts: {
      type: 'number',
      default: DEFAULT_VOLTS,
      title: 'Voltage',
      description: 'What it says that it measures.',
      'x-unit': 'V',
      'x-in-place': true,
    },
    amps: {
      type: 'number',
      default: DEFAULT_AMPS,
      title: 'Current',
      description: 'What it says that it measures.',
      'x-unit': 'A',
      'x-in-place': true,
    },
    is_ac: {
      type: 'boolean',
      default: false,
      title: 'Alternating',
      description: 'Whether voltage and current alternate; the values are then effective ones.',
      'x-in-place': true,
    },
  },
} as const satisfies JsonSchema;

export type FakePowerSensorAttributes = ValueOf<typeof fakePowerSensorSchema>;

export const model: ModelSchema = {
  api: 'core:component:power_sensor',
  model: 'core:builtin:fake',
  order: 55,
  summary: 'A power sensor without hardware: values as written',
  mayCoexist: true,
  schema: fakePowerSensorSchema,
};
