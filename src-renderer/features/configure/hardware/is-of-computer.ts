import type { DocumentEntry } from '../document/document-model.ts';

/** The model of boards whose pins are lines of the machine's computer. */
export const computerBoard = { api: 'core:component:board', model: 'core:builtin:linux' } as const;

/** Whether an entry is such a board. */
export function isOfComputer({ api, model }: Pick<DocumentEntry, 'api' | 'model'>): boolean {
  return api === computerBoard.api && model === computerBoard.model;
}
