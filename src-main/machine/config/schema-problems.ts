import { createRequire } from 'node:module';
import type { Ajv2020, ErrorObject, ValidateFunction } from 'ajv/dist/2020.js';
import { joinPointer } from '../../../proto/config/json-pointer.ts';
import type { JsonSchema } from '../../../proto/config/json-schema.ts';
import type { JsonValue } from '../../../proto/config/json-text.ts';
import { fitsSchema } from '../../../proto/config/fits-schema.ts';
import { nearest } from '../../../proto/config/nearest.ts';

/** Something a schema says against a value. */
export interface SchemaProblem {
  /** Relative to the value that was validated. */
  readonly pointer: string;
  readonly severity: 'error' | 'warning';
  readonly code: string;
  /** What is allowed, to stand behind the name and the value found: `it takes a whole number`. */
  readonly rule: string;
  readonly allowed?: readonly string[];
  readonly nearest?: string | undefined;
  /** True where the key is wrong, not its value. */
  readonly isAtKey?: boolean;
  /** True where a key is missing from the value at `pointer`. */
  readonly isMissing?: boolean;
}

const compiled = new WeakMap<JsonSchema, ValidateFunction>();
let ajv: Ajv2020 | undefined;

/**
 * What a schema says against a value; empty where it is valid. Unknown keys of
 * an object that allows no others are warnings (B1.11), everything else errors.
 * ajv is loaded at the first value that is not plainly valid, and each schema
 * compiled once. Throws only for a schema that is itself wrong.
 */
export function schemaProblems(schema: JsonSchema, value: JsonValue): readonly SchemaProblem[] {
  if (fitsSchema(schema, value)) return [];
  const validate = compiledSchema(schema);
  if (validate(value)) return [];
  return withoutBranches(validate.errors ?? []).map((error) => describe(error));
}

function compiledSchema(schema: JsonSchema): ValidateFunction {
  const known = compiled.get(schema);
  if (known !== undefined) return known;
  ajv ??= loadValidator();
  const validate = ajv.compile(schema);
  compiled.set(schema, validate);
  return validate;
}

function loadValidator(): Ajv2020 {
  // Not an import: loading ajv takes longer than starting a machine whose configuration is right.
  const { Ajv2020: Validator } = createRequire(import.meta.url)('ajv/dist/2020.js') as { Ajv2020: typeof Ajv2020 };
  const validator = new Validator({
    allErrors: true,
    verbose: true,
    strictTypes: false,
    strictRequired: false,
    addUsedSchema: false,
  });
  validator.addVocabulary(['x-unit', 'x-resource', 'x-unsupported']);
  return validator;
}

/**
 * Leaves out what single branches of oneOf and anyOf say: where a branch fits
 * the value itself and only something inside it is wrong, that is the news;
 * otherwise it is that none fits.
 */
function withoutBranches(errors: readonly ErrorObject[]): readonly ErrorObject[] {
  let kept = [...errors];
  // Innermost first: ajv reports a choice after its branches, an outer one after an inner one.
  for (const choice of errors) {
    if (choice.keyword !== 'oneOf' && choice.keyword !== 'anyOf') continue;
    const inside = kept.filter((error) => isInside(error, choice));
    if (inside.length === 0) continue;
    const branches = Map.groupBy(inside, (error) => error.schemaPath.slice(choice.schemaPath.length).split('/')[1]);
    const fitting = [...branches.values()].find((branch) =>
      branch.every((error) => error.instancePath !== choice.instancePath),
    );
    const dropped = new Set(inside);
    if (fitting !== undefined) {
      dropped.add(choice);
      for (const error of fitting) dropped.delete(error);
    }
    kept = kept.filter((error) => !dropped.has(error));
  }
  return kept;
}

/** One schema is used at many places (items of an array): only errors at the choice's own place belong to it. */
function isInside(error: ErrorObject, choice: ErrorObject): boolean {
  return (
    error.schemaPath.startsWith(`${choice.schemaPath}/`) &&
    (error.instancePath === choice.instancePath || error.instancePath.startsWith(`${choice.instancePath}/`))
  );
}

function describe(error: ErrorObject): SchemaProblem {
  const pointer = error.instancePath;
  const params = error.params as Readonly<Record<string, unknown>>;
  const schema = (error.parentSchema ?? {}) as JsonSchema;
  const wrong = (code: string, rule: string, allowed?: readonly string[]): SchemaProblem => ({
    pointer,
    severity: 'error',
    code,
    rule,
    ...(allowed === undefined ? {} : { allowed }),
  });
  switch (error.keyword) {
    case 'type': {
      const types = [schema.type ?? []].flat().map((type) => typeWords[type]);
      return wrong('attribute.wrong_type', `it takes ${types.join(' or ')}`, types);
    }
    case 'required':
      return { ...wrong('attribute.missing', `"${String(params['missingProperty'])}" is missing`), isMissing: true };
    case 'additionalProperties': {
      const key = String(params['additionalProperty']);
      const known = Object.keys(schema.properties ?? {});
      return {
        pointer: joinPointer(pointer, key),
        severity: 'warning',
        code: 'attribute.unknown',
        rule: 'no such attribute is known; it has no effect',
        allowed: known,
        nearest: nearest(key, known),
        isAtKey: true,
      };
    }
    case 'enum':
    case 'const': {
      const values = error.keyword === 'enum' ? (schema.enum ?? []) : [schema.const];
      const allowed = values.map((value) => (typeof value === 'string' ? value : JSON.stringify(value)));
      const guess = typeof error.data === 'string' ? nearest(error.data, allowed) : undefined;
      return { ...wrong('attribute.not_allowed', `it takes ${allowed.join(', ')}`, allowed), nearest: guess };
    }
    case 'minimum':
    case 'maximum':
    case 'exclusiveMinimum':
    case 'exclusiveMaximum': {
      const range = describeRange(schema);
      return wrong('attribute.out_of_range', `it goes ${range}`, [range]);
    }
    case 'minLength':
      return wrong(
        'attribute.too_short',
        schema.minLength === 1 ? 'it must not be empty' : `it takes at least ${schema.minLength} characters`,
      );
    case 'maxLength':
      return wrong('attribute.too_long', `it takes at most ${schema.maxLength} characters`);
    case 'pattern':
      return wrong('attribute.bad_form', `it must match ${schema.pattern}`, [schema.pattern ?? '']);
    case 'minItems':
      return wrong('attribute.too_short', `it takes at least ${schema.minItems} entries`);
    case 'uniqueItems':
      return wrong('attribute.repeated', 'its entries must differ from each other');
    case 'oneOf':
    case 'anyOf': {
      const titles = (schema[error.keyword] ?? []).flatMap((branch) => branch.title ?? branch.description ?? []);
      const rule = schema.description === undefined ? '' : ` (${schema.description})`;
      return wrong(
        'attribute.no_form',
        titles.length === 0 ? `it has none of the forms allowed${rule}` : `it takes one of: ${titles.join('; ')}`,
        titles.length === 0 ? undefined : titles,
      );
    }
    default:
      return wrong('attribute.invalid', schema.description ?? `it ${error.message ?? 'is not allowed'}`);
  }
}

const typeWords = {
  object: 'an object in { }',
  array: 'an array in [ ]',
  string: 'text in double quotes',
  number: 'a number',
  integer: 'a whole number',
  boolean: 'true or false',
  null: 'null',
} as const;

function describeRange(schema: JsonSchema): string {
  const { minimum, maximum, exclusiveMinimum, exclusiveMaximum } = schema;
  const from =
    minimum !== undefined ? `from ${minimum}` : exclusiveMinimum !== undefined ? `above ${exclusiveMinimum}` : '';
  const to =
    maximum !== undefined
      ? `${from === '' ? 'up ' : ''}to ${maximum}`
      : exclusiveMaximum !== undefined
        ? `${from === '' ? '' : 'to '}below ${exclusiveMaximum}`
        : '';
  const range = [from, to].filter((part) => part !== '').join(' ');
  return to === '' && minimum !== undefined ? `${range} up` : range;
}
