import type { JsonSchema } from '../../../../../proto/config/schema/json-schema.ts';
import type { JsonObject } from './form-field.ts';

/** Why a text is no key for an entry of a map. */
export type KeyFault = 'empty' | 'taken';

/** @param own key of the entry itself; undefined for a new one */
export function keyFault(map: JsonObject, key: string, own: string | undefined): KeyFault | undefined {
  if (key === '') return 'empty';
  return key !== own && Object.hasOwn(map, key) ? 'taken' : undefined;
}

/** The same with another key for one, at its place. */
export function withKey(map: JsonObject, own: string, key: string): JsonObject {
  return Object.fromEntries(Object.entries(map).map(([one, value]) => [one === own ? key : one, value]));
}

/** What a new entry of a map begins with. */
export function firstValue({ type, default: usual, examples = [], minimum = 0 }: JsonSchema): string | number {
  const [example] = examples;
  for (const wish of [usual, example]) if (typeof wish === 'string' || typeof wish === 'number') return wish;
  return type === 'string' ? '' : minimum;
}

/** A list of numbers that was not there: what is usual, else as many as there must be. */
export function firstList({ default: usual, examples = [], items = {}, minItems = 1 }: JsonSchema): readonly unknown[] {
  const [example] = examples;
  for (const wish of [usual, example]) if (Array.isArray(wish)) return wish as unknown[];
  return Array<unknown>(Math.max(1, minItems)).fill(firstValue(items));
}
