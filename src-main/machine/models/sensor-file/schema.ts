import type { JsonSchema } from '../../../../proto/config/schema/json-schema.ts';
import { attributeError, type AttributeProblem } from '../../../../proto/config/models/attribute-problem.ts';
import type { ModelSchema, ValueOf } from '../../../../proto/config/models/model-schema.ts';

export const fileSensorSchema = {
  title: 'File sensor',
  description: 'A number from a text file, read again for each reading: a value of the kernel in /sys, for example.',
  type: 'object',
  examples: [{ path: '/sys/class/thermal/thermal_zone0/temp', scale: 0.001 }],
  required: ['path'],
  additionalProperties: false,
  properties: {
    path: {
      type: 'string',
      minLength: 1,
      title: 'Path',
      description: 'The whole path of the file, from /.',
      'x-columns': 2,
      examples: ['/sys/class/thermal/thermal_zone0/temp'],
    },
    regex: {
      type: 'string',
      title: 'Pattern',
      description:
        'Regular expression (RE2) that finds the number: its first group, else all of it. ^ and $ are of each line. Without one the whole file is the number.',
      'x-columns': 2,
      examples: ['^MemFree:\\s+(\\d+)'],
    },
    scale: {
      type: 'number',
      default: 1,
      title: 'Scale',
      description: 'The number is multiplied by it.',
      examples: [0.001],
    },
  },
} as const satisfies JsonSchema;

/** Attributes of sensor model `file`. */
export type FileSensorAttributes = ValueOf<typeof fileSensorSchema>;

/** Rules for the file sensor that its schema cannot express. The machine also checks `regex`. */
export function checkFileSensor({ path }: FileSensorAttributes): AttributeProblem[] {
  if (path.startsWith('/')) return [];
  return [
    attributeError(
      '/path',
      'attribute.not_allowed',
      `"path" is ${JSON.stringify(path)}, which depends on where the program was started: write the whole path, from /.`,
    ),
  ];
}

export const model: ModelSchema = {
  api: 'core:component:sensor',
  model: 'core:builtin:file',
  order: 51,
  summary: 'A number from a text file, such as those in /sys',
  mayCoexist: true,
  schema: fileSensorSchema,
  check: checkFileSensor,
};
