import type { Problem } from '../../../../proto/config/problem.ts';

const neededCodes = new Set(['attribute.missing', 'attribute.too_short']);

/**
 * Whether a problem says that a value is not given yet, and not that one is wrong. A new form is full of these: they are
 * not shown as errors before the person has left the field, or has tried to apply.
 */
export function isNeeded({ severity, code }: Pick<Problem, 'severity' | 'code'>): boolean {
  return severity === 'error' && neededCodes.has(code);
}
