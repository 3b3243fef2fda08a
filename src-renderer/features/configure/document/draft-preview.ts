import type { Machine } from '../../../shared/machine/machine.ts';
import type { DraftPreview } from '../../../shared/stores/draft-text.ts';
import { useMachineStatus } from '../../../shared/stores/machine-status.ts';
import type { Text } from '../../../shared/text.ts';
import { notReadyWords } from '../apply/not-ready.ts';
import { dependencyGraph } from '../picture/draft-graph.ts';
import { readDocument, type DocumentModel } from './document-model.ts';
import { documentChanges } from './editing/document-changes.ts';
import { checkText } from './text-check.ts';

/** Checks a text other than the draft with the machine, and describes the answer in the same words as for the draft. */
export function useDraftPreview(machine: Machine, applied: () => DocumentModel | undefined, t: Text) {
  const status = useMachineStatus();
  return async (text: string): Promise<DraftPreview> => {
    const read = readDocument(text);
    if (read.kind === 'broken') throw new Error(t('history.broken', { line: read.line, reason: read.message }));
    const { problems, plan } = await checkText(machine, text);
    const { changes } = documentChanges(applied() ?? read.model, read.model);
    const graph = dependencyGraph(read.model, status.resources, (name) => changes.has(name));
    return { problems, plan, unready: notReadyWords(plan, { model: read.model, problems }, graph, t) };
  };
}
