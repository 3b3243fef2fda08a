import { ownKeywords, type JsonSchema, type JsonType } from './json-schema.ts';
import type { JsonValue } from '../text/json-text.ts';

/** Keywords that say nothing about whether a value is valid. */
const WORDS_ONLY = new Set(['$id', 'title', 'description', 'default', 'examples', 'deprecated', ...ownKeywords]);

/**
 * Whether a value is certainly valid. False means only that the full validator
 * has to decide: the value is wrong, or the schema uses a keyword that is not
 * read here. A valid configuration then starts without loading and compiling
 * that validator, which takes longer than everything else here.
 */
export function fitsSchema(schema: JsonSchema, value: JsonValue): boolean {
  const { type, enum: allowed, required, properties, additionalProperties, items } = schema;
  for (const keyword of Object.keys(schema)) {
    if (!WORDS_ONLY.has(keyword) && !KEYWORDS_READ.has(keyword)) return false;
  }
  if (type !== undefined && !(typeof type === 'string' ? [type] : type).some((one) => isOfType(one, value))) {
    return false;
  }
  if (allowed !== undefined && !allowed.some((one) => one === value)) return false;
  if (schema.const !== undefined && schema.const !== value) return false;
  if (schema.anyOf !== undefined && !schema.anyOf.some((branch) => fitsSchema(branch, value))) return false;
  if (schema.allOf !== undefined && !schema.allOf.every((branch) => fitsSchema(branch, value))) return false;
  if (typeof value === 'number') return fitsRange(schema, value);
  if (typeof value === 'string') return fitsLength(schema, value);
  if (Array.isArray(value)) {
    if (value.length < (schema.minItems ?? 0)) return false;
    return items === undefined || value.every((item) => fitsSchema(items, item));
  }
  if (value === null || typeof value !== 'object') return true;
  if (required?.some((key) => !Object.hasOwn(value, key)) === true) return false;
  for (const key of Object.keys(value)) {
    const property = properties !== undefined && Object.hasOwn(properties, key) ? properties[key] : undefined;
    const rule = property ?? additionalProperties;
    if (rule === false) return false;
    if (typeof rule === 'object' && !fitsSchema(rule, value[key] ?? null)) return false;
  }
  return true;
}

const KEYWORDS_READ = new Set<string>([
  'type',
  'enum',
  'const',
  'anyOf',
  'allOf',
  'required',
  'properties',
  'additionalProperties',
  'items',
  'minItems',
  'minimum',
  'maximum',
  'exclusiveMinimum',
  'exclusiveMaximum',
  'minLength',
  'maxLength',
]);

/** Whether a value is of a JSON type. */
export function isOfType(type: JsonType, value: JsonValue): boolean {
  if (type === 'integer') return Number.isInteger(value);
  if (type === 'number') return typeof value === 'number' && Number.isFinite(value);
  if (type === 'array') return Array.isArray(value);
  if (type === 'null') return value === null;
  if (type === 'object') return typeof value === 'object' && value !== null && !Array.isArray(value);
  return typeof value === type;
}

function fitsRange(schema: JsonSchema, value: number): boolean {
  return (
    value >= (schema.minimum ?? -Infinity) &&
    value <= (schema.maximum ?? Infinity) &&
    value > (schema.exclusiveMinimum ?? -Infinity) &&
    value < (schema.exclusiveMaximum ?? Infinity)
  );
}

/** Lengths count code points, as JSON Schema defines. */
function fitsLength(schema: JsonSchema, value: string): boolean {
  if (schema.minLength === undefined && schema.maxLength === undefined) return true;
  const length = [...value].length;
  return length >= (schema.minLength ?? 0) && length <= (schema.maxLength ?? Infinity);
}
