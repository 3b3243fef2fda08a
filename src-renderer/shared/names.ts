import { MODULE_NAME, RESOURCE_NAME } from '../../proto/config/names.ts';
import type { Text } from './text.ts';

/** Characters. */
export const MAX_NAME_LENGTH = { resource: 60, module: 200 } as const;

/** What is wrong with the spelling of a name, in words; '' if nothing. Does not check whether the name is taken. */
export function spellingProblem(name: string, kind: keyof typeof MAX_NAME_LENGTH, t: Text): string {
  const longest = MAX_NAME_LENGTH[kind];
  if (name === '') return t('name.empty');
  if (name.length > longest) return t('name.long', { count: name.length, longest });
  const grammar = kind === 'module' ? MODULE_NAME : RESOURCE_NAME;
  if (grammar.test(name)) return '';
  const wrong = /[^-\w]/.exec(name)?.[0];
  if (wrong === undefined) return t('name.start', { found: name[0] ?? '' });
  return wrong === ' ' ? t('name.space') : t('name.letter', { found: wrong });
}

/** `wanted`, or with `-2`, `-3`, ... appended if that is taken. `wanted` is shortened if the name would be too long. */
export function firstFree(wanted: string, taken: ReadonlySet<string>, longest: number): string {
  const whole = wanted.slice(0, longest);
  if (!taken.has(whole)) return whole;
  for (let number = 2; ; number += 1) {
    const name = `${wanted.slice(0, longest - 1 - String(number).length)}-${number}`;
    if (!taken.has(name)) return name;
  }
}
