import type { JsonSchema } from '../schema/json-schema.ts';
import type { ValueOf } from '../models/model-schema.ts';

/** Type of the entry of `service_configs` that says what of a resource is captured. */
export const DATA_MANAGER = 'data_manager';

/** The highest frequency that timers of the operating system can keep. */
export const MOST_HZ = 1_000;

export const captureMethodSchema = {
  type: 'object',
  additionalProperties: false,
  required: ['method'],
  properties: {
    method: {
      type: 'string',
      title: 'Method',
      description: 'What is captured, for example Readings.',
    },
    capture_frequency_hz: {
      type: 'number',
      title: 'Frequency',
      description: 'How often it is captured. 0 or absent: never.',
      minimum: 0,
      maximum: MOST_HZ,
      'x-unit': 'Hz',
    },
    additional_params: {
      type: 'object',
      title: 'Parameters',
      description: 'What the method needs beside the name of the resource, for example {"reader_name": "a1"}.',
    },
    disabled: {
      type: 'boolean',
      title: 'State',
      default: false,
      'x-words': ['On', 'Off'],
      description: 'Off keeps the settings and captures nothing.',
    },
    tags: {
      type: 'array',
      items: { type: 'string', minLength: 1 },
      title: 'Tags',
      description: 'Kept with what is captured. Tags of the data manager, where it has any, replace them.',
    },
    retention_policy: {
      type: 'object',
      title: 'Retention',
      description: 'How long the hub keeps what is captured. What is older, or too much, is deleted there for good.',
      additionalProperties: false,
      properties: {
        days: {
          type: 'integer',
          title: 'Days',
          description: 'Counted from when the hub received it. Absent: as long as the organization keeps data.',
          minimum: 1,
          maximum: 36_500,
        },
        tabular_limit_gb: {
          type: 'number',
          title: 'Most readings',
          description: 'The oldest are deleted where there is more. Absent: any number.',
          exclusiveMinimum: 0,
          'x-unit': 'GB',
        },
        binary_limit_gb: {
          type: 'number',
          title: 'Most pictures and files',
          description: 'The oldest are deleted where there is more. Absent: any number.',
          exclusiveMinimum: 0,
          'x-unit': 'GB',
        },
      },
    },
    capture_queue_size: {
      type: 'integer',
      minimum: 0,
      description: 'Has no effect here: what is captured is written at once.',
      deprecated: true,
    },
    capture_buffer_size: {
      type: 'integer',
      minimum: 0,
      description: 'Has no effect here: what is captured is written at once.',
      deprecated: true,
    },
    cache_size_kb: {
      type: 'number',
      minimum: 0,
      description: 'Has no effect here: the data manager says how large its files are.',
      deprecated: true,
    },
    capture_directory: {
      type: 'string',
      description: 'Has no effect here: everything is captured into the folder of the data manager.',
      deprecated: true,
    },
  },
} as const satisfies JsonSchema;

/** `attributes` of an entry of `service_configs` of type `data_manager`. */
export const captureSchema = {
  type: 'object',
  title: 'Data capture',
  additionalProperties: false,
  properties: {
    capture_methods: {
      type: 'array',
      title: 'Captured',
      description: 'What of this resource is captured, and how often.',
      items: captureMethodSchema,
    },
  },
} as const satisfies JsonSchema;

/** What is captured of a resource. */
export type CaptureMethodConfig = ValueOf<typeof captureMethodSchema>;
