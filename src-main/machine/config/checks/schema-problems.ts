import { createRequire } from 'node:module';
import type { Ajv2020, ErrorObject, ValidateFunction } from 'ajv/dist/2020.js';
import { joinPointer } from '../../../../proto/config/text/json-pointer.ts';
import { ownKeywords, type JsonSchema } from '../../../../proto/config/schema/json-schema.ts';
import type { JsonValue } from '../../../../proto/config/text/json-text.ts';
import { fitsSchema } from '../../../../proto/config/schema/fits-schema.ts';
import { schemaWords, type SchemaProblem } from '../../../../proto/config/schema/schema-words.ts';

const compiled = new WeakMap<JsonSchema, ValidateFunction>();
let ajv: Ajv2020 | undefined;

/**
 * The violations of a schema by a value; empty if it is valid. Unknown keys of an object that allows no others are
 * warnings, everything else errors. ajv is loaded at the first value that is not plainly valid, and each schema is
 * compiled once. Throws only for an invalid schema.
 */
export function schemaProblems(schema: JsonSchema, value: JsonValue): readonly SchemaProblem[] {
  if (fitsSchema(schema, value)) return [];
  const validate = compiledSchema(schema);
  if (validate(value)) return [];
  return withoutBranches(validate.errors ?? [])
    .filter((error, _index, all) => !isSaidByEnum(error, all))
    .map((error) => describe(error));
}

/** The list of allowed values implies the type. */
function isSaidByEnum({ keyword, instancePath, parentSchema }: ErrorObject, all: readonly ErrorObject[]): boolean {
  return (
    keyword === 'type' &&
    all.some((other) => {
      return other.keyword === 'enum' && other.instancePath === instancePath && other.parentSchema === parentSchema;
    })
  );
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
  validator.addVocabulary([...ownKeywords]);
  return validator;
}

/**
 * Filters the errors of branches of oneOf and anyOf: if a branch fits the value itself and only something inside it is
 * wrong, that is reported; otherwise, that no branch fits.
 */
function withoutBranches(errors: readonly ErrorObject[]): readonly ErrorObject[] {
  let kept = [...errors];
  // Inner choices first: ajv reports a choice after its branches, an outer choice after an inner one.
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

/** One schema is used in several places (items of an array): only errors at the choice's own place belong to it. */
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
    case 'type':
      return schemaWords.type(schema, pointer);
    case 'required':
      return schemaWords.required(String(params['missingProperty']), pointer);
    case 'additionalProperties': {
      const key = String(params['additionalProperty']);
      return schemaWords.unknownKey(schema, key, joinPointer(pointer, key));
    }
    case 'enum':
      return schemaWords.oneOfValues(schema.enum ?? [], error.data, pointer);
    case 'const':
      return schemaWords.oneOfValues([schema.const], error.data, pointer);
    case 'minimum':
    case 'maximum':
    case 'exclusiveMinimum':
    case 'exclusiveMaximum':
      return schemaWords.range(schema, error.data, pointer);
    case 'minLength':
      return schemaWords.tooShort(schema, pointer);
    case 'maxLength':
      return schemaWords.tooLong(schema, pointer);
    case 'pattern':
      return schemaWords.pattern(schema, pointer);
    case 'minItems':
      return schemaWords.tooFewItems(schema, pointer);
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
