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
        'JavaScript regular expression (with flag m) that finds the number: its first group, else all of it. Without one the whole file is the number.',
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

/** Flags of a sensor's pattern: `^` and `$` are of each line, as in the tools for such files. */
export const FILE_REGEX_FLAGS = 'm';

/** Rules of the file sensor that its schema cannot say. */
export function checkFileSensor({ path, regex = '' }: FileSensorAttributes): AttributeProblem[] {
  const problems: AttributeProblem[] = [];
  if (!path.startsWith('/')) {
    problems.push(
      attributeError(
        '/path',
        'attribute.not_allowed',
        `"path" is ${JSON.stringify(path)}, which depends on where the program was started: write the whole path, from /.`,
      ),
    );
  }
  try {
    new RegExp(regex, FILE_REGEX_FLAGS);
  } catch (thrown) {
    const reason = thrown instanceof Error ? thrown.message : String(thrown);
    problems.push(
      attributeError('/regex', 'attribute.not_allowed', `"regex" is no regular expression: ${reason}. Correct it.`),
    );
  }
  return problems;
}
