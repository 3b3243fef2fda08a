import type { Clock } from './saving-clock.ts';
import { beginHistory, changed, redone, undone, type LabelHistory } from './label-history.ts';
import { changeBetween, isNothing, withChange, type LabelChange, type PictureLabels } from './picture-labels.ts';

/** Changes in a row are sent together. */
const SAVE_AFTER_MS = 400;
/** After a failure; a person may be quicker. */
const RETRY_AFTER_MS = 5_000;

export interface LabelStoreOptions {
  /** Has the hub store a change of one picture: all of it or nothing, and twice is as once. */
  readonly save: (pictureId: string, change: LabelChange) => Promise<void>;
  readonly reasonOf: (thrown: unknown) => string;
  readonly clock: Clock;
  /** Something of it is to be drawn again. */
  readonly onChange: () => void;
  /** Keeps what is not saved beyond this page: by picture, what is still to be said of it. */
  readonly keep: (unsaved: ReadonlyMap<string, LabelChange>) => void;
  /** What was kept before. */
  readonly kept: ReadonlyMap<string, LabelChange>;
}

/** `changed` waits for a moment without changes. */
export type SaveState = 'saved' | 'changed' | 'saving' | 'failed';

interface Entry {
  history: LabelHistory;
  /** What the hub has, as far as is known. */
  saved: PictureLabels;
  isSaving: boolean;
  problem: string;
  cancelTimer: () => void;
}

/**
 * Labels of the pictures that were opened, each with a history of its own, saved by themselves. What could not be saved
 * stays, is kept over a reload, and is tried again until it is.
 */
export class LabelStore {
  readonly #options: LabelStoreOptions;
  readonly #entries = new Map<string, Entry>();
  /** Of pictures that were not opened yet. */
  readonly #kept: Map<string, LabelChange>;

  constructor(options: LabelStoreOptions) {
    this.#options = options;
    this.#kept = new Map(options.kept);
  }

  /** Begins with what the hub says of a picture, and what is still to be said of it. What was begun goes on. */
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

  /** Pictures with something that the hub does not have yet, those of before a reload among them. */
  get unsaved(): readonly string[] {
    return [...this.#unsaved().keys()];
  }

  /** Why the last of them could not be saved; '' where nothing failed. */
  get problem(): string {
    return [...this.#entries.values()].findLast(({ problem }) => problem !== '')?.problem ?? '';
  }

  /** Saves what is not saved, now. */
  async saveAll(): Promise<void> {
    await Promise.all([...this.#entries.keys()].map((id) => this.#save(id)));
  }

  /** Nothing is tried again by itself any more. What is not saved is kept. */
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
    // It went on meanwhile.
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
