import { compileUserPattern, type CompiledUserPattern } from '../../../base/user-pattern.ts';
import { attributeError, type AttributeProblem } from '../../../../proto/config/models/attribute-problem.ts';
import type { FileSensorAttributes } from './schema.ts';

/** Compiles "regex" of a file sensor: `^` and `$` match at each line, as in common tools for such files. */
export function compileFilePattern(regex: string): CompiledUserPattern {
  return compileUserPattern(regex, { isMultiline: true });
}

/** The problems of "regex", which a page cannot check without the regex engine. */
export function check({ regex = '' }: FileSensorAttributes): AttributeProblem[] {
  if (regex === '') return [];
  const compiled = compileFilePattern(regex);
  if (compiled.kind === 'valid') return [];
  return [attributeError('/regex', 'attribute.not_allowed', `"regex" is no pattern: ${compiled.reason}. Correct it.`)];
}
