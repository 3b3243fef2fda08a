import type { JsonSchema } from '../json-schema.ts';
import { attributeError, type AttributeProblem } from './attribute-problem.ts';

/** Attributes of sensor model `file`. */
export interface FileSensorAttributes {
  readonly path: string;
  readonly regex?: string;
  readonly scale?: number;
}

export const fileSensorSchema: JsonSchema = {
  title: 'File sensor',
  description: 'A number from a text file, read anew for each reading: what the kernel tells in /sys, for example.',
  type: 'object',
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
};

/** Rules of the file sensor that its schema cannot say. The machine checks `regex` besides. */
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
