import { keepText, keptText } from '../../../shared/kept-text.ts';
import type { StoredDraft } from './config-draft.ts';
import { sealSecrets } from './sealed-secrets.ts';

/** Locks of the browser: one that is held tells that its window is there. Not offered to pages without https. */
export type WindowLocks = Pick<LockManager, 'request' | 'query'>;

/** Whose draft this page keeps, as far as that is known. */
interface Window {
  readonly id: string;
  /** Windows that are open, this one included; undefined where the browser does not tell. */
  readonly open: ReadonlySet<string> | undefined;
}

interface KeptDraft extends StoredDraft {
  /** Milliseconds since 1970; earlier versions did not say. */
  readonly savedAt?: number;
}

/** A draft that no window has come back for in this time is removed. */
const KEPT_MS = 30 * 24 * 60 * 60 * 1_000;
const windowKey = 'armature.window';
/** A page that begins takes the name of its window as soon as the page before lets go of it: on a busy computer not at once. */
const reloadMs = 2_000;
const lockOf = (id: string): string => `${windowKey} ${id}`;

/**
 * Where drafts are kept over a reload and a crash: in this browser, one per
 * machine, file and window, so that two windows do not keep theirs in the same
 * place. A window that has none takes that of a window that is gone. What outlives a window has no secrets in it
 * (`sealed-secrets.ts`), and is removed after 30 days.
 */
export class DraftStorage {
  readonly #local: () => Storage;
  readonly #session: () => Storage;
  readonly #now: () => number;
  readonly #window: Promise<Window>;
  #known: Window | undefined;
  #giveName: () => void = () => undefined;
  /** A draft that this page went on with, whose window may be there still: for all the browser tells. */
  #copied: { readonly key: string; readonly text: string } | undefined;

  /** @param now milliseconds since 1970 */
  constructor(local: () => Storage, session: () => Storage, locks: WindowLocks | undefined, now = Date.now) {
    this.#local = local;
    this.#session = session;
    this.#now = now;
    const left = new Promise<void>((resolve) => (this.#giveName = resolve));
    this.#window = findWindow(session, locks, left).then((found) => {
      this.#tidy(found);
      return (this.#known = found);
    });
  }

  /** Before this, nothing is loaded or saved. */
  async open(): Promise<void> {
    await this.#window;
  }

  /** This page ends: the one after it, of the same window, need not wait for the browser to notice. Nothing is saved after it. */
  leave(): void {
    this.#known = undefined;
    this.#giveName();
  }

  load(machine: string): StoredDraft | undefined {
    if (this.#known === undefined) return undefined;
    const { id, open } = this.#known;
    const own = this.#read(keyOf(machine, id));
    if (own !== undefined) return this.#whole(keyOf(machine, id), own);
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

  /** Returns whether it is kept: a full or forbidden storage keeps nothing, and the page says so. */
  save(machine: string, draft: StoredDraft | undefined): boolean {
    if (this.#known === undefined) return false;
    if (draft === undefined) this.#forgetCopied();
    const key = keyOf(machine, this.#known.id);
    // Whole only where it ends with the window.
    keepText(this.#session, key, draft === undefined || draft.isSealed === true ? null : JSON.stringify(draft));
    return keepText(this.#local, key, draft === undefined ? null : this.#sealed(draft));
  }

  #sealed(draft: StoredDraft): string {
    const texts = draft.isSealed === true ? {} : { ...sealSecrets(draft), isSealed: true };
    return JSON.stringify({ ...draft, ...texts, savedAt: this.#now() });
  }

  /** The draft of this window with its secrets, over a reload and a crash. */
  #whole(key: string, sealed: StoredDraft): StoredDraft {
    const whole = readDraft(keptText(this.#session, key));
    if (whole === undefined) return sealed;
    const { baseText, text } = sealSecrets(whole);
    return baseText === sealed.baseText && text === sealed.text ? whole : sealed;
  }

  /** Removes what nobody has come back for, and takes the secrets out of what an earlier version has kept. */
  #tidy({ id, open }: Window): void {
    for (const key of this.#keys()) {
      if (!key.startsWith(keyOf('', '').trimEnd())) continue;
      const owner = key.slice(key.lastIndexOf(' ') + 1);
      const left = this.#read(key);
      if (left === undefined || owner === id || open?.has(owner) === true) continue;
      if (left.savedAt === undefined) keepText(this.#local, key, this.#sealed(left));
      else if (this.#now() - left.savedAt > KEPT_MS) keepText(this.#local, key, null);
    }
  }

  /** Applied or discarded here, it is not to come back; one that its window has changed since is that window's. */
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
    // Written by another version or cut short: nothing in it can be shown.
    return undefined;
  }
}

/**
 * The name of this window, which outlives a reload, and which others are open.
 * @param left settles when this page ends
 */
async function findWindow(
  session: () => Storage,
  locks: WindowLocks | undefined,
  left: Promise<void>,
): Promise<Window> {
  let id = keptText(session, windowKey) ?? newId();
  try {
    // A copied tab has the name of its original.
    while (locks !== undefined && !(await isHeld(locks, id, left))) id = newId();
    keepText(session, windowKey, id);
    if (locks === undefined) return { id, open: undefined };
    const { held = [], pending = [] } = await locks.query();
    const prefix = lockOf('');
    // Who waits for its name is a page that begins.
    return { id, open: new Set([...held, ...pending].map(({ name = '' }) => name.slice(prefix.length))) };
  } catch {
    // A browser may refuse locks: then it does not tell which windows are open.
    keepText(session, windowKey, id);
    return { id, open: undefined };
  }
}

/** Holds the lock of a window until the page is left; false where another holds it. */
function isHeld(locks: WindowLocks, id: string, left: Promise<void>): Promise<boolean> {
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

function newId(): string {
  return Array.from(crypto.getRandomValues(new Uint32Array(3)), (part) => part.toString(36)).join('');
}

function keyOf(machine: string, id: string): string {
  return `armature.draft.${machine} ${id}`;
}

function isStoredDraft(value: unknown): value is KeptDraft {
  if (typeof value !== 'object' || value === null) return false;
  const fields = value as Record<string, unknown>;
  return [fields['baseText'], fields['baseRevision'], fields['text']].every((field) => typeof field === 'string');
}
