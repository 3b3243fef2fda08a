import { formatAge } from '../../../shared/timing/age.ts';

/** Formats an age and splits it into number and unit. */
export function ageParts(ageMs: number): readonly [string, string] {
  const [value = '', unit = ''] = formatAge(ageMs).split(' ');
  return [value, unit];
}
