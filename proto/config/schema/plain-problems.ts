import { isOfType } from './fits-schema.ts';
import { joinPointer } from '../text/json-pointer.ts';
import type { JsonSchema } from './json-schema.ts';
import type { JsonValue } from '../text/json-text.ts';
import { schemaWords, type SchemaProblem } from './schema-words.ts';

/**
 * The problems of a value by its schema, found without a validator: for a page
 * that may not compile code. Reads the keywords that schemas of models use;
 * only the machine checks choices (`oneOf`, `anyOf`, `not`).
 *
 * Validators that ajv generates at build time would not do: for our 26 schemas
 * they are 320 kB minified (34 kB packed), while this is 1.5 kB. Their errors
 * would still need sentences for the form, and schemas of modules arrive only
 * at run time.
 */
export function plainProblems(schema: JsonSchema, value: JsonValue, pointer = ''): readonly SchemaProblem[] {
  const { type, enum: allowed } = schema;
  // Before the type, because the list of allowed values implies it.
  if (allowed !== undefined && !allowed.includes(value)) return [schemaWords.oneOfValues(allowed, value, pointer)];
  if (type !== undefined && !(typeof type === 'string' ? [type] : type).some((one) => isOfType(one, value))) {
    // A number that is not whole can be out of range too.
    const range = typeof value === 'number' ? numberProblems(schema, value, pointer) : [];
    return [schemaWords.type(schema, pointer), ...range];
  }
  if (schema.const !== undefined && schema.const !== value) {
    return [schemaWords.oneOfValues([schema.const], value, pointer)];
  }
  if (typeof value === 'number') return numberProblems(schema, value, pointer);
  if (typeof value === 'string') return textProblems(schema, value, pointer);
  if (Array.isArray(value)) {
    const { items, minItems = 0 } = schema;
    return [
      ...(value.length < minItems ? [schemaWords.tooFewItems(schema, pointer)] : []),
      ...(items === undefined
        ? []
        : value.flatMap((item, index) => plainProblems(items, item, joinPointer(pointer, index)))),
    ];
  }
  return value === null || typeof value !== 'object' ? [] : objectProblems(schema, value, pointer);
}

function numberProblems(schema: JsonSchema, value: number, pointer: string): readonly SchemaProblem[] {
  const { minimum, maximum, exclusiveMinimum, exclusiveMaximum } = schema;
  const isInside =
    value >= (minimum ?? -Infinity) &&
    value <= (maximum ?? Infinity) &&
    value > (exclusiveMinimum ?? -Infinity) &&
    value < (exclusiveMaximum ?? Infinity);
  return isInside ? [] : [schemaWords.range(schema, value, pointer)];
}

function textProblems(schema: JsonSchema, value: string, pointer: string): readonly SchemaProblem[] {
  const length = [...value].length;
  return [
    ...(length < (schema.minLength ?? 0) ? [schemaWords.tooShort(schema, pointer)] : []),
    ...(length > (schema.maxLength ?? Infinity) ? [schemaWords.tooLong(schema, pointer)] : []),
    ...(schema.pattern !== undefined && !isOfForm(schema.pattern, value) ? [schemaWords.pattern(schema, pointer)] : []),
  ];
}

function isOfForm(pattern: string, value: string): boolean {
  // eslint-disable-next-line armature/user-patterns -- schemas are ours, and in a module its author's own
  return new RegExp(pattern, 'u').test(value);
}

function objectProblems(
  schema: JsonSchema,
  value: { readonly [key: string]: JsonValue },
  pointer: string,
): readonly SchemaProblem[] {
  const { properties = {}, required = [], additionalProperties } = schema;
  const missing = required.filter((key) => !Object.hasOwn(value, key)).map((key) => schemaWords.required(key, pointer));
  const wrong = Object.entries(value).flatMap(([key, one]) => {
    const at = joinPointer(pointer, key);
    const property = Object.hasOwn(properties, key) ? properties[key] : undefined;
    const rule = property ?? additionalProperties;
    if (rule === false) return [schemaWords.unknownKey(schema, key, at)];
    return typeof rule === 'object' ? plainProblems(rule, one, at) : [];
  });
  return [...missing, ...wrong];
}
