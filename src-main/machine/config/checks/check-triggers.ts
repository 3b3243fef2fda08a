import { nodeAt, type JsonNode } from '../../../../proto/config/text/json-text.ts';
import { isJsonObject } from '../../../../proto/config/text/text-entries.ts';
import { readTriggers } from '../../../../proto/config/triggers/read-triggers.ts';
import { compileUserPattern } from '../../../base/user-pattern.ts';
import type { ProblemSink } from '../problem-list.ts';

/**
 * Says what is wrong with `triggers`. The hub fires them, from the text as it is stored, so the document is read as it is
 * written; nothing of it keeps the machine from running.
 */
export function checkTriggers(document: JsonNode, sink: ProblemSink): void {
  for (const problem of readTriggers(document.value, compileUserPattern).problems) {
    const found = nodeAt(document, problem.pointer)?.value;
    // A whole entry tells nobody what in it is wrong.
    sink.report({ ...problem, found: isJsonObject(found) ? undefined : found });
  }
}
