import { newId } from '../../../shared/new-id.ts';
import { keepText, keptText } from '../../../shared/kept-text.ts';
import type { StoredDraft } from './config-draft.ts';
import { sealSecrets } from './sealed-secrets.ts';

/** Locks of the browser: a held lock shows that its window is open. Not offered to pages without https. */
export type WindowLocks = Pick<LockManager, 'request' | 'query'>;

/** The window that this page runs in. */
interface WindowIdentity {
  readonly id: string;
  /** Ids of the open windows, this one included; undefined if the browser does not tell. */
  readonly open: ReadonlySet<string> | undefined;
}

interface KeptDraft extends StoredDraft {
  /** Milliseconds since 1970; absent in drafts of earlier versions. */
  readonly savedAt?: number;
}

/** A draft that no window has loaded for this long is removed. */
const KEPT_MS = 30 * 24 * 60 * 60 * 1_000;
const windowKey = 'armature.window';
/** After a reload, the new page waits this long for the old one to release the lock: slow on a busy computer. */
const reloadMs = 2_000;
const lockOf = (id: string): string => `${windowKey} ${id}`;

/**
 * Stores drafts in this browser so that they survive a reload and a crash: one
 * per machine, file and window, so that two windows do not overwrite each
 * other's. A window without a draft takes over that of a closed window. What
 * outlives a window has no secrets in it (`sealed-secrets.ts`), and is removed
 * after 30 days.
 */
export class DraftStorage {
  readonly #local: () => Storage;
  readonly #session: () => Storage;
  readonly #now: () => number;
  readonly #window: Promise<WindowIdentity>;
  #known: WindowIdentity | undefined;
  #releaseLock: () => void = () => undefined;
  /** A draft of another window that this page took over; without locks, that window may still be open. */
  #copied: { readonly key: string; readonly text: string } | undefined;

  /** @param now milliseconds since 1970 */
  constructor(local: () => Storage, session: () => Storage, locks: WindowLocks | undefined, now = Date.now) {
    this.#local = local;
    this.#session = session;
    this.#now = now;
    const left = new Promise<void>((resolve) => (this.#releaseLock = resolve));
    this.#window = findWindow(session, locks, left).then((found) => {
      this.#tidy(found);
      return (this.#known = found);
    });
  }

  /** Must end before `load` and `save` do anything. */
  async open(): Promise<void> {
    await this.#window;
  }

  /** Releases the lock when the page ends, so that the next page of this window need not wait. Saving stops too. */
  leave(): void {
    this.#known = undefined;
    this.#releaseLock();
  }

  load(machine: string): StoredDraft | undefined {
    if (this.#known === undefined) return undefined;
    const { id, open } = this.#known;
    const own = this.#read(keyOf(machine, id));
    if (own !== undefined) return this.#withSecrets(keyOf(machine, id), own);
    for (const key of this.#keys()) {
      const owner = key.startsWith(keyOf(machine, '')) ? key.slice(keyOf(machine, '').length) : undefined;
      if (owner === undefined || open?.has(owner) === true) continue;
      const left = this.#read(key);
      if (left === undefined) continue;
      if (open === undefined) this.#copied = { key, text: left.text };
      else if (this.save(machine, left)) keepText(this.#local, key, null);
      return left;
    }
    return undefined;
  }

  /** Returns whether it was stored: false if the storage is full or forbidden. */
  save(machine: string, draft: StoredDraft | undefined): boolean {
    if (this.#known === undefined) return false;
    if (draft === undefined) this.#forgetCopied();
    const key = keyOf(machine, this.#known.id);
    // With its secrets only in the session storage, which ends with the window.
    keepText(this.#session, key, draft === undefined || draft.isSealed === true ? null : JSON.stringify(draft));
    return keepText(this.#local, key, draft === undefined ? null : this.#sealed(draft));
  }

  #sealed(draft: StoredDraft): string {
    const texts = draft.isSealed === true ? {} : { ...sealSecrets(draft), isSealed: true };
    return JSON.stringify({ ...draft, ...texts, savedAt: this.#now() });
  }

  /** The draft of this window with its secrets, if the session storage still has them. */
  #withSecrets(key: string, sealed: StoredDraft): StoredDraft {
    const whole = readDraft(keptText(this.#session, key));
    if (whole === undefined) return sealed;
    const { baseText, text } = sealSecrets(whole);
    return baseText === sealed.baseText && text === sealed.text ? whole : sealed;
  }

  /** Removes old drafts of closed windows, and takes the secrets out of drafts that an earlier version stored. */
  #tidy({ id, open }: WindowIdentity): void {
    for (const key of this.#keys()) {
      if (!key.startsWith(keyOf('', '').trimEnd())) continue;
      const owner = key.slice(key.lastIndexOf(' ') + 1);
      const left = this.#read(key);
      if (left === undefined || owner === id || open?.has(owner) === true) continue;
      if (left.savedAt === undefined) keepText(this.#local, key, this.#sealed(left));
      else if (this.#now() - left.savedAt > KEPT_MS) keepText(this.#local, key, null);
    }
  }

  /** Removes the original of a draft that was applied or discarded here, unless its own window has changed it since. */
  #forgetCopied(): void {
    const copied = this.#copied;
    this.#copied = undefined;
    if (copied !== undefined && this.#read(copied.key)?.text === copied.text) keepText(this.#local, copied.key, null);
  }

  #read(key: string): KeptDraft | undefined {
    return readDraft(keptText(this.#local, key));
  }

  #keys(): readonly string[] {
    try {
      return Object.keys(this.#local());
    } catch {
      return [];
    }
  }
}

function readDraft(text: string | null): KeptDraft | undefined {
  if (text === null) return undefined;
  try {
    const value: unknown = JSON.parse(text);
    return isStoredDraft(value) ? value : undefined;
  } catch {
    // Written by another version or truncated: unusable.
    return undefined;
  }
}

/**
 * Finds the id of this window, which survives a reload, and which other windows are open.
 * @param left settles when this page ends
 */
async function findWindow(
  session: () => Storage,
  locks: WindowLocks | undefined,
  left: Promise<void>,
): Promise<WindowIdentity> {
  let id = keptText(session, windowKey) ?? newId();
  try {
    // A duplicated tab has the id of its original: it needs a new one.
    while (locks !== undefined && !(await holdLock(locks, id, left))) id = newId();
    keepText(session, windowKey, id);
    if (locks === undefined) return { id, open: undefined };
    const { held = [], pending = [] } = await locks.query();
    const prefix = lockOf('');
    // A pending lock is that of a page that is starting.
    return { id, open: new Set([...held, ...pending].map(({ name = '' }) => name.slice(prefix.length))) };
  } catch {
    // Without locks, the open windows are unknown.
    keepText(session, windowKey, id);
    return { id, open: undefined };
  }
}

/** Takes the lock of a window and holds it until `left` settles; false if another page keeps it. */
function holdLock(locks: WindowLocks, id: string, left: Promise<void>): Promise<boolean> {
  const signal = AbortSignal.timeout(reloadMs);
  return new Promise((resolve, reject) => {
    locks
      .request(lockOf(id), { signal }, () => {
        resolve(true);
        return left;
      })
      .catch((thrown: unknown) => (signal.aborted ? resolve(false) : reject(thrown)));
  });
}

function keyOf(machine: string, id: string): string {
  return `armature.draft.${machine} ${id}`;
}

function isStoredDraft(value: unknown): value is KeptDraft {
  if (typeof value !== 'object' || value === null) return false;
  const fields = value as Record<string, unknown>;
  return [fields['baseText'], fields['baseRevision'], fields['text']].every((field) => typeof field === 'string');
}
