import type { JsonSchema } from '../../../../../proto/config/schema/json-schema.ts';
import type { JsonObject } from './form-field.ts';

/** Why a text cannot be the key of a map entry. */
export type KeyFault = 'empty' | 'taken';

/** @param own key of the entry itself; undefined for a new one */
export function keyFault(map: JsonObject, key: string, own: string | undefined): KeyFault | undefined {
  if (key === '') return 'empty';
  return key !== own && Object.hasOwn(map, key) ? 'taken' : undefined;
}

/** The map with one key renamed, at its place. */
export function withKey(map: JsonObject, own: string, key: string): JsonObject {
  return Object.fromEntries(Object.entries(map).map(([one, value]) => [one === own ? key : one, value]));
}

/** The initial value of a new map entry. */
export function firstValue({ type, default: usual, examples = [], minimum = 0 }: JsonSchema): string | number {
  const [example] = examples;
  for (const wish of [usual, example]) if (typeof wish === 'string' || typeof wish === 'number') return wish;
  return type === 'string' ? '' : minimum;
}

/** The initial list of numbers: the default or an example, else as many as the schema requires. */
export function firstList({ default: usual, examples = [], items = {}, minItems = 1 }: JsonSchema): readonly unknown[] {
  const [example] = examples;
  for (const wish of [usual, example]) if (Array.isArray(wish)) return wish as unknown[];
  return Array<unknown>(Math.max(1, minItems)).fill(firstValue(items));
}
