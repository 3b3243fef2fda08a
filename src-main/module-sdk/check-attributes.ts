import type { JsonObject } from '../apis/resource.ts';
import { ArmatureError, toArmatureError } from '../base/errors.ts';
import { attributeProblems } from './attribute-problems.ts';
import type { Model } from './model.ts';

/** @throws {ArmatureError} `config.invalid` with a sentence for each problem; they are in its details too */
export async function checkAttributes(model: Model, attributes: JsonObject): Promise<void> {
  const problems = await problemsOf(model, attributes);
  if (problems.length > 0) throw new ArmatureError('config.invalid', problems.join(' '), { details: { problems } });
}

async function problemsOf(model: Model, attributes: JsonObject): Promise<readonly string[]> {
  const problems = model.schema === undefined ? [] : await attributeProblems(model.schema, attributes);
  // The author's own check may trust the types, so it sees only what the schema lets through.
  if (problems.length > 0) return problems;
  try {
    return await model.check(attributes);
  } catch (thrown) {
    // An author may throw where another gives back a sentence.
    return [toArmatureError(thrown).message];
  }
}
