import { formatAge } from '../../../shared/timing/age.ts';

/** An age as its number and its unit. */
export function ageParts(ageMs: number): readonly [string, string] {
  const [value = '', unit = ''] = formatAge(ageMs).split(' ');
  return [value, unit];
}
