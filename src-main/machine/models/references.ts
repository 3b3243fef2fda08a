import type { JsonSchema } from '../../../proto/config/schema/json-schema.ts';
import type { JsonValue } from '../../../proto/config/text/json-text.ts';
import { joinPointer } from '../../../proto/config/text/json-pointer.ts';

/** A name in the attributes that refers to another resource. */
export interface Reference {
  readonly name: string;
  /** API it must have. */
  readonly api: string;
  /** Relative to the value that was searched. */
  readonly pointer: string;
}

/** The names that a schema marks with `x-resource`, found in a value, in schema order. */
export function referencesIn(schema: JsonSchema, value: JsonValue, pointer = ''): readonly Reference[] {
  const api = schema['x-resource'];
  if (typeof value === 'string') return api === undefined || value === '' ? [] : [{ name: value, api, pointer }];
  if (value === null || typeof value !== 'object') return [];
  if (Array.isArray(value)) {
    const { items } = schema;
    if (items === undefined) return [];
    return value.flatMap((item, index) => referencesIn(items, item, joinPointer(pointer, index)));
  }
  return Object.entries(schema.properties ?? {}).flatMap(([key, property]) => {
    const one = Object.hasOwn(value, key) ? value[key] : undefined;
    return one === undefined ? [] : referencesIn(property, one, joinPointer(pointer, key));
  });
}
