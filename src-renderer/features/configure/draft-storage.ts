import type { StoredDraft } from './config-draft.ts';

/** Where drafts are kept over a reload: one per machine, in this browser only. */
export class DraftStorage {
  readonly #storage: Storage;

  constructor(storage: Storage) {
    this.#storage = storage;
  }

  load(machine: string): StoredDraft | undefined {
    const text = this.#storage.getItem(keyOf(machine));
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
    try {
      if (draft === undefined) this.#storage.removeItem(keyOf(machine));
      else this.#storage.setItem(keyOf(machine), JSON.stringify(draft));
      return true;
    } catch {
      return false;
    }
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
