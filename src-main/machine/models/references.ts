import type { JsonSchema } from '../../../proto/config/schema/json-schema.ts';
import type { JsonValue } from '../../../proto/config/text/json-text.ts';
import { joinPointer } from '../../../proto/config/text/json-pointer.ts';

/** A name in the attributes that stands for another resource. */
export interface Reference {
  readonly name: string;
  /** API it must have. */
  readonly api: string;
  /** Relative to the value it was looked for in. */
  readonly pointer: string;
}

/** The names a schema marks with `x-resource`, in a value, in the order of the schema. */
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
