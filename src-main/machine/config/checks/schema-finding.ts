import { pointerSteps } from '../../../../proto/config/text/json-pointer.ts';
import { nodeAt, type JsonNode, type JsonValue } from '../../../../proto/config/text/json-text.ts';
import { schemaSentence, type SchemaProblem } from '../../../../proto/config/schema/schema-words.ts';
import { showValue, type Finding } from '../problem-list.ts';

/**
 * A violation of a schema, at its place in the document `root`.
 * @param label its subject: `component "left"`
 */
export function schemaFinding(problem: SchemaProblem, label: string, root: JsonNode, pointer: string): Finding {
  const found = nodeAt(root, pointer)?.value;
  const sentence = schemaSentence(problem, found === undefined ? undefined : showFound(found, pointer));
  return {
    pointer,
    severity: problem.severity,
    code: problem.code,
    message: `${label}: ${sentence}`,
    found: problem.missing !== undefined ? undefined : found,
    allowed: problem.allowed,
    nearest: problem.nearest,
    missing: problem.missing,
    ...(problem.isAtKey === true ? { isAtKey: true } : {}),
  };
}

/** A pointer into the document; if there is nothing, to the innermost parent that exists. */
export function existingPointer(root: JsonNode, pointer: string): string {
  let at = pointer;
  while (at !== '' && nodeAt(root, at) === undefined) at = at.slice(0, at.lastIndexOf('/'));
  return at;
}

/** Where a problem of a value is; if there is no such value, its key is missing. */
export type Place = Pick<Finding, 'pointer' | 'missing'>;

/** The place of a value that may not be there. */
export function placeIn(root: JsonNode, wanted: string): Place {
  const pointer = existingPointer(root, wanted);
  return pointer === wanted ? { pointer } : { pointer, missing: pointerSteps(wanted)?.at(-1) };
}

/** The value in the document, not the expanded placeholders: those may be secret. */
function showFound(found: JsonValue, pointer: string): string {
  return showValue(found, pointer, 60);
}
