import { keepText, keptText } from '../../../shared/kept-text.ts';

/** Commands kept for one resource. */
export const MAX_COMMANDS = 50;

export interface PastCommand {
  readonly text: string;
  /** Wall-clock time at which it was sent, ms. */
  readonly at: number;
}

/** The commands sent to one resource from this browser, newest first; stored as far as the browser's storage allows. */
export class CommandHistory {
  readonly #storage: () => Storage;
  readonly #key: string;
  #entries: readonly PastCommand[];
  /** Index of the entry that the editor shows; -1 for the person's own text. */
  #shown = -1;
  #written = '';

  constructor(storage: () => Storage, fullName: string) {
    this.#storage = storage;
    this.#key = `armature.commands.${fullName}`;
    this.#entries = readEntries(keptText(storage, this.#key));
  }

  get entries(): readonly PastCommand[] {
    return this.#entries;
  }

  /** Adds a command at the front. An equal one moves to the front. */
  add(text: string, at: number): void {
    this.#shown = -1;
    this.#entries = [{ text, at }, ...this.#entries.filter((entry) => entry.text !== text)].slice(0, MAX_COMMANDS);
    // Where the storage is full, the oldest commands are not stored.
    let kept = this.#entries;
    while (kept.length > 0 && !keepText(this.#storage, this.#key, JSON.stringify(kept))) kept = kept.slice(0, -1);
  }

  clear(): void {
    this.#shown = -1;
    this.#entries = [];
    keepText(this.#storage, this.#key, null);
  }

  /**
   * The text one step older or newer than the shown one; the step after the newest gives the person's own text.
   * Undefined where there is no further one.
   */
  step(direction: 'older' | 'newer', current: string): string | undefined {
    const next = this.#shown + (direction === 'older' ? 1 : -1);
    if (next < -1 || next >= this.#entries.length) return undefined;
    if (this.#shown === -1) this.#written = current;
    this.#shown = next;
    return next === -1 ? this.#written : this.#entries[next]?.text;
  }
}

/** Parses the stored entries. Another version of the page may have written them: invalid ones are left out. */
function readEntries(text: string | null): readonly PastCommand[] {
  try {
    const found: unknown = JSON.parse(text ?? '[]');
    return Array.isArray(found) ? found.filter(isPastCommand).slice(0, MAX_COMMANDS) : [];
  } catch {
    return []; // invalid JSON, from elsewhere or cut short: an empty history is acceptable
  }
}

function isPastCommand(value: unknown): value is PastCommand {
  if (typeof value !== 'object' || value === null) return false;
  const { text, at } = value as Partial<Record<keyof PastCommand, unknown>>;
  return typeof text === 'string' && typeof at === 'number';
}
