import type { JsonSchema } from '../../../../proto/config/schema/json-schema.ts';

/** Names of the resources of an API that are in the configuration. */
export type NamesOf = (api: string) => readonly string[];

/**
 * What a new entry begins with: what the schema requires or wants written, with its
 * default or the first sensible value, and nothing else. A name is filled in
 * only where just one resource can be meant; otherwise it is left to be picked.
 */
export function initialAttributes(schema: JsonSchema, namesOf: NamesOf = () => []): Record<string, unknown> {
  const attributes: Record<string, unknown> = {};
  for (const key of [...(schema.required ?? []), ...(schema['x-initial'] ?? [])]) {
    const property = schema.properties?.[key];
    if (property !== undefined) attributes[key] = initialValue(property, namesOf);
  }
  return attributes;
}

function initialValue(schema: JsonSchema, namesOf: NamesOf): unknown {
  if (schema.default !== undefined) return schema.default;
  if (schema.const !== undefined) return schema.const;
  if (schema.enum !== undefined) return schema.enum[0];
  const api = schema['x-resource'];
  if (api !== undefined) {
    const [only = '', ...more] = namesOf(api);
    return more.length === 0 ? only : '';
  }
  switch (schema.type) {
    case 'boolean':
      return false;
    case 'number':
    case 'integer':
      return schema.minimum ?? (schema.exclusiveMinimum === undefined ? 0 : schema.exclusiveMinimum + 1);
    case 'array':
      return [];
    case 'object':
      return initialAttributes(schema, namesOf);
    default:
      return '';
  }
}
