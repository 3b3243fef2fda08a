import { keepText, keptText } from '../../../shared/kept-text.ts';
import type { StoredDraft } from './config-draft.ts';

/** Where drafts are kept over a reload: one per machine and file, in this browser only. */
export class DraftStorage {
  readonly #storage: () => Storage;

  constructor(storage: () => Storage) {
    this.#storage = storage;
  }

  load(machine: string): StoredDraft | undefined {
    const text = keptText(this.#storage, keyOf(machine));
    if (text === null) return undefined;
    try {
      const value: unknown = JSON.parse(text);
      return isStoredDraft(value) ? value : undefined;
    } catch {
      // Written by another version or cut short: nothing in it can be shown.
      return undefined;
    }
  }

  /** Returns whether it is kept: a full or forbidden storage keeps nothing, and the page says so. */
  save(machine: string, draft: StoredDraft | undefined): boolean {
    return keepText(this.#storage, keyOf(machine), draft === undefined ? null : JSON.stringify(draft));
  }
}

function keyOf(machine: string): string {
  return `armature.draft.${machine}`;
}

function isStoredDraft(value: unknown): value is StoredDraft {
  if (typeof value !== 'object' || value === null) return false;
  const fields = value as Record<string, unknown>;
  return [fields['baseText'], fields['baseRevision'], fields['text']].every((field) => typeof field === 'string');
}
