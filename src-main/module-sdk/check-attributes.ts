import { ArmatureError, toArmatureError } from '../base/errors.ts';
import type { Model } from './model.ts';
import { fitsSchema } from '../../proto/config/schema/fits-schema.ts';
import { valueAt } from '../../proto/config/text/json-pointer.ts';
import { ownKeywords, type JsonSchema } from '../../proto/config/schema/json-schema.ts';
import { plainProblems } from '../../proto/config/schema/plain-problems.ts';
import { schemaSentence, type SchemaProblem } from '../../proto/config/schema/schema-words.ts';
import type { JsonObject } from '../apis/resource.ts';

/** @throws {ArmatureError} `config.invalid` with a sentence for each problem, also in its details */
export async function checkAttributes(model: Model, attributes: JsonObject): Promise<void> {
  const problems = await problemsOf(model, attributes);
  if (problems.length > 0) throw new ArmatureError('config.invalid', problems.join(' '), { details: { problems } });
}

async function problemsOf(model: Model, attributes: JsonObject): Promise<readonly string[]> {
  const problems = model.schema === undefined ? [] : await attributeProblems(model.schema, attributes);
  // The author's own check relies on the types, so it gets only attributes that match the schema.
  if (problems.length > 0) return problems;
  try {
    return await model.check(attributes);
  } catch (thrown) {
    // An author may throw an error in place of returning a sentence.
    return [toArmatureError(thrown).message];
  }
}

const LONGEST_VALUE_SHOWN = 60;

/**
 * The problems of attributes against a schema, one sentence each, naming the attribute: `pin is 3: it takes text in
 * double quotes.` Empty if they are valid. An unknown attribute is a problem if `additionalProperties` of the schema is
 * false.
 */
export async function attributeProblems(schema: JsonSchema, attributes: JsonObject): Promise<readonly string[]> {
  if (fitsSchema(schema, attributes)) return [];
  const plain = plainProblems(schema, attributes);
  if (plain.length > 0) return plain.map((problem) => sentence(problem, attributes));
  return fullProblems(schema, attributes);
}

function sentence(problem: SchemaProblem, attributes: JsonObject): string {
  // A machine words this as a warning for its own models; here the schema's author has forbidden it.
  if (problem.isAtKey === true) {
    const shown = schemaSentence({ ...problem, rule: 'the model has no such attribute' }, undefined);
    const known = problem.allowed ?? [];
    return known.length === 0 ? shown : shown.replace(/\.$/, `; it has ${known.join(', ')}.`);
  }
  return schemaSentence(problem, shownAt(attributes, problem.pointer));
}

/** Problems with `oneOf` and other rare keywords. Their validator is loaded only for a schema that uses some. */
async function fullProblems(schema: JsonSchema, attributes: JsonObject): Promise<readonly string[]> {
  const { Ajv2020 } = await import('ajv/dist/2020.js');
  const validator = new Ajv2020({ allErrors: true, strictTypes: false, strictRequired: false, addUsedSchema: false });
  validator.addVocabulary([...ownKeywords]);
  const validate = validator.compile(schema);
  if (validate(attributes)) return [];
  const errors = validate.errors ?? [];
  // `oneOf` is reported once, not once for each of its branches.
  const choices = errors.filter(({ keyword }) => keyword === 'oneOf' || keyword === 'anyOf');
  return (choices.length > 0 ? choices : errors).map(({ instancePath, keyword, message }) => {
    const rule = choices.length > 0 ? 'it has none of the forms allowed' : `it ${message ?? 'is not allowed'}`;
    const problem: SchemaProblem = { pointer: instancePath, severity: 'error', code: `attribute.${keyword}`, rule };
    return schemaSentence(problem, shownAt(attributes, instancePath));
  });
}

function shownAt(attributes: JsonObject, pointer: string): string | undefined {
  const value = valueAt(attributes, pointer);
  if (pointer === '' || value === undefined) return undefined;
  const text = JSON.stringify(value);
  return text.length > LONGEST_VALUE_SHOWN ? `${text.slice(0, LONGEST_VALUE_SHOWN)}...` : text;
}
