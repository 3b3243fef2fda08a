import type { JsonSchema } from '../../../../proto/config/schema/json-schema.ts';

/** Names of the resources of an API that are in the configuration. */
export type NamesOf = (api: string) => readonly string[];

/**
 * The attributes of a new entry: those that the schema requires or marks with
 * `x-initial`, with their default or a sensible value, and no others. The name
 * of a resource is filled in only if there is exactly one candidate.
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
