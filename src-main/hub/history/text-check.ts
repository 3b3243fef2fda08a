import { Problem_Severity, type Problem } from '../../../proto/gen/core/config/v1/config.ts';
import { isOfType } from '../../../proto/config/schema/fits-schema.ts';
import { documentSchema } from '../../../proto/config/schema/document-schema.ts';
import { joinPointer } from '../../../proto/config/text/json-pointer.ts';
import { nodeAt, readJsonText, type JsonNode, type JsonText } from '../../../proto/config/text/json-text.ts';
import { nearest } from '../../../proto/config/nearest.ts';
import { readTriggers } from '../../../proto/config/triggers/read-triggers.ts';
import { compileUserPattern } from '../../base/user-pattern.ts';

/**
 * Problems of a configuration that can be found without the machine: whether it is JSON, whether its top-level keys are
 * known and have the right type, and whether its triggers are right, which the hub itself runs.
 */
export function checkText(text: string): Problem[] {
  const json = readJsonText(text);
  const { root, faults } = json;
  const problems = faults.map(({ kind, message, offset, pointer }) =>
    problemAt(json, offset, pointer, `config.${kind}`, message, Problem_Severity.ERROR),
  );
  if (root === undefined) return problems;
  if (root.properties === undefined) {
    const message = 'A configuration is an object in { }.';
    return [...problems, problemAt(json, root.start, '', 'config.wrong_type', message, Problem_Severity.ERROR)];
  }
  const known = documentSchema.properties ?? {};
  for (const [key, node] of root.properties) {
    const pointer = joinPointer('', key);
    const name = Object.keys(known).find((one) => one.toLowerCase() === key.toLowerCase());
    const schema = name === undefined ? undefined : known[name];
    if (schema === undefined) {
      const near = nearest(key, Object.keys(known));
      const advice = near === undefined ? '' : `; did you mean "${near}"?`;
      const message = `"${key.slice(0, 80)}" is not a key of a configuration, and has no effect${advice}`;
      const problem = problemAt(json, node.keyStart, pointer, 'config.unknown_key', message, Problem_Severity.WARNING);
      problems.push({ ...problem, nearest: near ?? '' });
      continue;
    }
    const { type } = schema;
    const types = type === undefined ? [] : typeof type === 'string' ? [type] : type;
    // Triggers are checked below: mistakes in them do not stop anything else.
    if (name === 'triggers') continue;
    if (node.value === null || types.length === 0 || types.some((one) => isOfType(one, node.value))) continue;
    const message = `"${key}" has the wrong type; it must be ${types.join(' or ')}.`;
    problems.push(problemAt(json, node.start, pointer, 'config.wrong_type', message, Problem_Severity.ERROR));
  }
  return [...problems, ...triggerProblems(json, root)];
}

/** Whether the machine would reject the whole text. A wrong trigger or a duplicate key does not make it do so. */
export function hasFatalProblem(problems: readonly Problem[]): boolean {
  return problems.some(
    ({ severity, code }) =>
      severity === Problem_Severity.ERROR && code !== 'config.duplicate_key' && !code.startsWith('trigger.'),
  );
}

function triggerProblems(json: JsonText, root: JsonNode): Problem[] {
  return readTriggers(root.value, compileUserPattern).problems.map((problem) => {
    const { pointer, severity, code, message, allowed = [], nearest = '', missing = '', isAtKey = false } = problem;
    const node = nodeAt(root, pointer);
    const offset = (isAtKey ? node?.keyStart : node?.start) ?? 0;
    const weight = severity === 'error' ? Problem_Severity.ERROR : Problem_Severity.WARNING;
    return { ...problemAt(json, offset, pointer, code, message, weight), allowed: [...allowed], nearest, missing };
  });
}

function problemAt(
  { lines }: JsonText,
  offset: number,
  pointer: string,
  code: string,
  message: string,
  severity: Problem['severity'],
): Problem {
  const { line, column } = lines.at(Math.max(0, offset));
  return { file: '', line, column, pointer, severity, code, message, found: '', allowed: [], nearest: '', missing: '' };
}
