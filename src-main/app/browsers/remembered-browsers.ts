import { randomBytes, timingSafeEqual } from 'node:crypto';
import { readdir } from 'node:fs/promises';
import path from 'node:path';
import { Emitter } from '../../base/async/emitter.ts';
import { Mutex } from '../../base/async/mutex.ts';
import type { Clock } from '../../base/clock.ts';
import { JsonRecord } from '../../base/files/json-record.ts';
import { sha256 } from '../../rpc/access/access-policy.ts';

/** A browser whose page opens without the launch token. Times are wall-clock milliseconds. */
export interface Browser {
  readonly id: string;
  readonly name: string;
  readonly createdAt: number;
  readonly usedAt: number;
}

interface Kept extends Browser {
  /** SHA-256 of the secret, hexadecimal. */
  readonly sha256: string;
}

/** A key is good for this long after its last use. */
export const GOOD_FOR_MS = 30 * 24 * 60 * 60 * 1_000;
/** Most browsers that are remembered; the one unused for longest makes room. */
const MAX_BROWSERS = 20;
/** A use is written down if the last one is older. */
const NOTED_EVERY_MS = 60 * 60 * 1_000;
/** `page.<id>.<secret>`: 72 random bits that say which, and 256 that prove it. */
const KEY = /^page\.([\w-]{12})\.([\w-]{43})$/;
const FILE = /^([\w-]{12})\.json$/;

/** Whether a text has the form of such a key. */
export function isBrowserKey(token: string): boolean {
  return KEY.test(token);
}

/**
 * The browsers that are remembered, one file each, so that several servers of one home do not overwrite each other's.
 * Only hashes of their keys are stored.
 */
export class RememberedBrowsers {
  readonly #folder: string;
  readonly #clock: Clock;
  readonly #writing = new Mutex();
  readonly #forgotten = new Set<string>();
  readonly #onForgotten = new Emitter<string>();

  constructor(folder: string, clock: Clock) {
    this.#folder = folder;
    this.#clock = clock;
  }

  /**
   * Makes a key.
   * @throws {ArmatureError} `file.unwritable`
   */
  remember(name: string): Promise<{ readonly browser: Browser; readonly key: string }> {
    return this.#writing.run(async () => {
      const id = randomBytes(9).toString('base64url');
      const secret = randomBytes(32).toString('base64url');
      const now = this.#clock.now();
      const kept: Kept = { id, name, createdAt: now, usedAt: now, sha256: hexOf(secret) };
      await this.#record(id).save(kept);
      for (const old of (await this.#all()).slice(MAX_BROWSERS)) await this.#remove(old.id);
      return { browser: browserOf(kept), key: `page.${id}.${secret}` };
    });
  }

  /** The browser that a key is of; undefined if the key is wrong, has expired or was revoked. Never rejects. */
  async prove(key: string): Promise<Browser | undefined> {
    const [, id = '', secret = ''] = KEY.exec(key) ?? [];
    if (id === '') return undefined;
    const kept = await this.#record(id).load();
    if (kept === undefined || !timingSafeEqual(Buffer.from(hexOf(secret)), Buffer.from(kept.sha256))) return undefined;
    if (this.#hasExpired(kept)) return undefined;
    if (this.#clock.now() - kept.usedAt >= NOTED_EVERY_MS) await this.#note(id);
    return browserOf(kept);
  }

  /** The most recently used first. */
  async list(): Promise<readonly Browser[]> {
    return (await this.#all()).filter((kept) => !this.#hasExpired(kept)).map(browserOf);
  }

  /** @returns false if there is none with this id */
  forget(id: string): Promise<boolean> {
    return this.#writing.run(async () => {
      if (!FILE.test(`${id}.json`) || (await this.#record(id).load()) === undefined) return false;
      await this.#remove(id);
      return true;
    });
  }

  /** Whether it was forgotten since this program started; another server of the same home counts at the next start. */
  wasForgotten(id: string): boolean {
    return this.#forgotten.has(id);
  }

  /** Calls back with the id of each browser that is forgotten. Returns an unsubscribe function. */
  onForgotten(listener: (id: string) => void): () => void {
    return this.#onForgotten.on(listener);
  }

  async #note(id: string): Promise<void> {
    await this.#writing
      .run(async () => {
        const kept = await this.#record(id).load();
        // It may have been forgotten meanwhile.
        if (kept !== undefined) await this.#record(id).save({ ...kept, usedAt: this.#clock.now() });
      })
      // A full disk does not lock anybody out: the key expires earlier.
      .catch(() => undefined);
  }

  async #remove(id: string): Promise<void> {
    await this.#record(id).save(undefined);
    this.#forgotten.add(id);
    this.#onForgotten.emit(id);
  }

  async #all(): Promise<readonly Kept[]> {
    const names = await readdir(this.#folder).catch(() => []);
    const ids = names.flatMap((name) => FILE.exec(name)?.[1] ?? []);
    const found = await Promise.all(ids.map((id) => this.#record(id).load()));
    return found.filter((kept) => kept !== undefined).sort((left, right) => right.usedAt - left.usedAt);
  }

  /** Also after the clock was set back: a use in the future says nothing about how old it is. */
  #hasExpired({ usedAt }: Browser): boolean {
    return Math.abs(this.#clock.now() - usedAt) > GOOD_FOR_MS;
  }

  #record(id: string): JsonRecord<Kept> {
    return new JsonRecord<Kept>({
      path: path.join(this.#folder, `${id}.json`),
      isValid: (value): value is Kept => isKept(value, id),
      what: 'The key of this browser',
      nextStep: 'Make the folder writable; until then each start of the server needs the address that it prints.',
    });
  }
}

function hexOf(secret: string): string {
  return Buffer.from(sha256(secret)).toString('hex');
}

function browserOf({ id, name, createdAt, usedAt }: Kept): Browser {
  return { id, name, createdAt, usedAt };
}

function isKept(value: unknown, id: string): value is Kept {
  const kept = (value ?? {}) as Partial<Kept>;
  return (
    kept.id === id &&
    typeof kept.name === 'string' &&
    Number.isFinite(kept.createdAt) &&
    Number.isFinite(kept.usedAt) &&
    /^[0-9a-f]{64}$/.test(kept.sha256 ?? '')
  );
}
