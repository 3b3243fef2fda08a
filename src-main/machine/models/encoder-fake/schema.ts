import type { JsonSchema } from '../../../../proto/config/schema/json-schema.ts';
import type { ModelSchema, ValueOf } from '../../../../proto/config/models/model-schema.ts';

export const fakeEncoderSchema = {
  title: 'Fake encoder',
  description: 'An encoder without hardware. It turns at a constant speed, or with the fake motor that names it.',
  type: 'object',
  examples: [{ ticks_per_sec: 50, ticks_per_rotation: 200, update_rate_msec: 100 }],
  additionalProperties: false,
  properties: {
    ticks_per_sec: {
      type: 'number',
      default: 0,
      title: 'Speed',
      description: 'Ticks counted a second; negative counts down. DoCommand {"ticks_per_sec": 10} changes it.',
      'x-unit': 'ticks/s',
      'x-in-place': true,
    },
    ticks_per_rotation: {
      type: 'number',
      minimum: 0,
      default: 0,
      title: 'Ticks per rotation',
      description: 'When more than 0, the position can be asked for in degrees too.',
      'x-unit': 'ticks',
      'x-in-place': true,
    },
    update_rate_msec: {
      type: 'integer',
      minimum: 0,
      maximum: 60_000,
      default: 0,
      title: 'Counts every',
      description: 'Time between two counts; 0 counts at each reading.',
      'x-unit': 'ms',
      'x-in-place': true,
    },
  },
} as const satisfies JsonSchema;

/** Attributes of encoder model `fake`. */
export type FakeEncoderAttributes = ValueOf<typeof fakeEncoderSchema>;

export const model: ModelSchema = {
  api: 'core:component:encoder',
  model: 'core:builtin:fake',
  order: 42,
  summary: 'An encoder without hardware, at constant speed or turned by a fake motor',
  mayCoexist: false,
  schema: fakeEncoderSchema,
};
