import type { Clock } from './saving-clock.ts';
import { beginHistory, changed, redone, undone, type LabelHistory } from './label-history.ts';
import { changeBetween, isNothing, withChange, type LabelChange, type PictureLabels } from './picture-labels.ts';

/** Changes within this time of each other are saved together. */
const SAVE_AFTER_MS = 400;
/** Time between a failure and the next attempt, unless the person retries before. */
const RETRY_AFTER_MS = 5_000;

export interface LabelStoreOptions {
  /** Saves a change of one picture on the hub. Must be atomic and idempotent. */
  readonly save: (pictureId: string, change: LabelChange) => Promise<void>;
  readonly reasonOf: (thrown: unknown) => string;
  readonly clock: Clock;
  /** Called when the state of the store has changed. */
  readonly onChange: () => void;
  /** Stores the unsaved changes beyond this page, by id of the picture. */
  readonly keep: (unsaved: ReadonlyMap<string, LabelChange>) => void;
  /** The unsaved changes that were stored before. */
  readonly kept: ReadonlyMap<string, LabelChange>;
}

/** `changed`: to be saved after a moment without changes. */
export type SaveState = 'saved' | 'changed' | 'saving' | 'failed';

interface Entry {
  history: LabelHistory;
  /** The last known labels on the hub. */
  saved: PictureLabels;
  isSaving: boolean;
  problem: string;
  cancelTimer: () => void;
}

/**
 * The labels of the opened pictures, each with its own undo history, saved automatically. Changes that could not be
 * saved are kept, also over a reload, and retried until they are saved.
 */
export class LabelStore {
  readonly #options: LabelStoreOptions;
  readonly #entries = new Map<string, Entry>();
  /** Stored changes of pictures that are not opened yet, by id. */
  readonly #kept: Map<string, LabelChange>;

  constructor(options: LabelStoreOptions) {
    this.#options = options;
    this.#kept = new Map(options.kept);
  }

  /** Opens a picture with its labels on the hub, and applies stored changes. Does nothing where it is open already. */
  open(id: string, saved: PictureLabels): void {
    if (this.#entries.has(id)) return;
    const entry: Entry = {
      ...{ history: beginHistory(saved), saved, isSaving: false, problem: '' },
      cancelTimer: () => undefined,
    };
    this.#entries.set(id, entry);
    const kept = this.#kept.get(id);
    this.#kept.delete(id);
    if (kept !== undefined) this.#set(id, changed(entry.history, withChange(saved, kept), ''));
    else this.#options.onChange();
  }

  history(id: string): LabelHistory | undefined {
    return this.#entries.get(id)?.history;
  }

  /** @param subject see {@link changed} */
  change(id: string, next: PictureLabels, subject = ''): void {
    const entry = this.#entries.get(id);
    if (entry !== undefined) this.#set(id, changed(entry.history, next, subject));
  }

  undo(id: string): void {
    const entry = this.#entries.get(id);
    if (entry !== undefined) this.#set(id, undone(entry.history));
  }

  redo(id: string): void {
    const entry = this.#entries.get(id);
    if (entry !== undefined) this.#set(id, redone(entry.history));
  }

  stateOf(id: string): SaveState {
    const entry = this.#entries.get(id);
    if (entry === undefined) return 'saved';
    if (entry.isSaving) return 'saving';
    if (entry.problem !== '') return 'failed';
    return isNothing(changeBetween(entry.saved, entry.history.present)) ? 'saved' : 'changed';
  }

  /** Ids of the pictures with unsaved changes, including those from before a reload. */
  get unsaved(): readonly string[] {
    return [...this.#unsaved().keys()];
  }

  /** Why labels could not be saved; '' where nothing failed. */
  get problem(): string {
    return [...this.#entries.values()].findLast(({ problem }) => problem !== '')?.problem ?? '';
  }

  /** Saves all unsaved changes of opened pictures now. */
  async saveAll(): Promise<void> {
    await Promise.all([...this.#entries.keys()].map((id) => this.#save(id)));
  }

  /** Cancels all timers: nothing is saved automatically any more. Unsaved changes stay stored. */
  close(): void {
    for (const entry of this.#entries.values()) entry.cancelTimer();
  }

  #set(id: string, history: LabelHistory): void {
    const entry = this.#entries.get(id);
    if (entry === undefined) return;
    entry.history = history;
    this.#keep();
    this.#saveLater(id, entry, SAVE_AFTER_MS);
    this.#options.onChange();
  }

  #saveLater(id: string, entry: Entry, afterMs: number): void {
    entry.cancelTimer();
    entry.cancelTimer = this.#options.clock.after(afterMs, () => void this.#save(id));
  }

  async #save(id: string): Promise<void> {
    const { save, reasonOf, onChange } = this.#options;
    const entry = this.#entries.get(id);
    if (entry === undefined || entry.isSaving) return;
    entry.cancelTimer();
    const wanted = entry.history.present;
    const change = changeBetween(entry.saved, wanted);
    if (isNothing(change)) {
      entry.problem = '';
      onChange();
      return;
    }
    entry.isSaving = true;
    onChange();
    try {
      await save(id, change);
      entry.saved = wanted;
      entry.problem = '';
    } catch (thrown) {
      entry.problem = reasonOf(thrown);
    }
    entry.isSaving = false;
    this.#keep();
    if (entry.problem !== '') this.#saveLater(id, entry, RETRY_AFTER_MS);
    // The labels changed while they were being saved.
    else if (entry.history.present !== wanted) this.#saveLater(id, entry, SAVE_AFTER_MS);
    onChange();
  }

  #unsaved(): Map<string, LabelChange> {
    const unsaved = new Map(this.#kept);
    for (const [id, { saved, history }] of this.#entries) {
      const change = changeBetween(saved, history.present);
      if (!isNothing(change)) unsaved.set(id, change);
    }
    return unsaved;
  }

  #keep(): void {
    this.#options.keep(this.#unsaved());
  }
}
