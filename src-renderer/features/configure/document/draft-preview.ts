import type { Machine } from '../../../shared/machine/machine.ts';
import type { DraftPreview } from '../../../shared/stores/draft-text.ts';
import { useMachineStatus } from '../../../shared/stores/machine-status.ts';
import type { Text } from '../../../shared/text.ts';
import { notReadyWords } from '../apply/not-ready.ts';
import { dependencyGraph } from '../picture/dependency-graph.ts';
import { readDocument, type DocumentModel } from './document-model.ts';
import { documentChanges } from './editing/document-changes.ts';
import { judged } from './text-check.ts';

/** Asks the machine about texts that are not the draft, with the words that the draft has for what it answers. */
export function useDraftPreview(machine: Machine, applied: () => DocumentModel | undefined, t: Text) {
  const status = useMachineStatus();
  return async (text: string): Promise<DraftPreview> => {
    const read = readDocument(text);
    if (read.kind === 'broken') throw new Error(t('history.broken', { line: read.line, reason: read.message }));
    const { problems, plan } = await judged(machine, text);
    const { changes } = documentChanges(applied() ?? read.model, read.model);
    const graph = dependencyGraph(read.model, status.resources, (name) => changes.has(name));
    return { problems, plan, unready: notReadyWords(plan, { model: read.model, problems }, graph, t) };
  };
}
