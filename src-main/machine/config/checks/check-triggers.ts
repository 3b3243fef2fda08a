import { nodeAt, type JsonNode, type JsonValue } from '../../../../proto/config/text/json-text.ts';
import { isJsonObject } from '../../../../proto/config/text/text-entries.ts';
import { readTriggers } from '../../../../proto/config/triggers/read-triggers.ts';
import { compileUserPattern } from '../../../base/user-pattern.ts';
import type { ProblemSink } from '../problem-list.ts';

/**
 * Reports problems of `triggers`. The hub fires them from the stored text, so the document is read as written. No
 * problem keeps the machine from running.
 * @param pointer of `triggers`, as the document spells it
 * @returns all entries, also those with problems
 */
export function checkTriggers(document: JsonNode, pointer: string, sink: ProblemSink): readonly JsonValue[] {
  for (const problem of readTriggers(document.value, compileUserPattern).problems) {
    const found = nodeAt(document, problem.pointer)?.value;
    // Showing a whole entry as the value found would not help.
    sink.report({ ...problem, found: isJsonObject(found) ? undefined : found });
  }
  return nodeAt(document, pointer)?.items?.map(({ value }) => value) ?? [];
}
