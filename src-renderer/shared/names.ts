import { MODULE_NAME, RESOURCE_NAME } from '../../proto/config/names.ts';
import type { Text } from './text.ts';

/** Characters of the longest name. */
export const LONGEST_NAME = { resource: 60, module: 200 } as const;

/** What is wrong with how a name is written, in words; '' where nothing is. Whether something has it is not looked at. */
export function spellingProblem(name: string, kind: keyof typeof LONGEST_NAME, t: Text): string {
  const longest = LONGEST_NAME[kind];
  if (name === '') return t('name.empty');
  if (name.length > longest) return t('name.long', { count: name.length, longest });
  const grammar = kind === 'module' ? MODULE_NAME : RESOURCE_NAME;
  if (grammar.test(name)) return '';
  const wrong = /[^-\w]/.exec(name)?.[0];
  if (wrong === undefined) return t('name.start', { found: name[0] ?? '' });
  return wrong === ' ' ? t('name.space') : t('name.letter', { found: wrong });
}

/** `wish`, or with `-2`, `-3`, ... behind it where that is taken; the wish gives way where that would be too long. */
export function firstFree(wish: string, taken: ReadonlySet<string>, longest: number): string {
  const whole = wish.slice(0, longest);
  if (!taken.has(whole)) return whole;
  for (let number = 2; ; number += 1) {
    const name = `${wish.slice(0, longest - 1 - String(number).length)}-${number}`;
    if (!taken.has(name)) return name;
  }
}
