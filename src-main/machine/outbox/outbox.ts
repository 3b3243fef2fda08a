import { mkdir, readdir, rm } from 'node:fs/promises';
import path from 'node:path';
import { readBoundedFile } from '../../base/files/bounded-file.ts';
import { toArmatureError } from '../../base/errors.ts';
import { lockFolder } from '../../base/files/folder-lock.ts';
import type { Logger } from '../../base/logger.ts';
import { Mutex } from '../../base/async/mutex.ts';
import { replaceFile } from '../../base/files/replace-file.ts';

export interface OutboxOptions<Item> {
  /** Contains a file for each item, with access for the owner of the machine only; undefined keeps items in memory. */
  readonly folder: string | undefined;
  /** What its items are, for messages: `reports on configurations`. */
  readonly what: string;
  readonly toText: (item: Item) => string;
  /** Throws if the text is invalid. */
  readonly fromText: (text: string) => Item;
  /** Beyond this number, the oldest are dropped. */
  readonly maxItems: number;
  /** Limit of all texts together, characters. */
  readonly maxChars: number;
  readonly logger: Logger;
}

interface Waiting<Item> {
  readonly item: Item;
  readonly chars: number;
  /** Name of its file. */
  readonly name: string;
}

/** Pads numbers, so that names sort in the order of the numbers. */
const DIGITS = 12;
/** Most bytes of a character in UTF-8. */
const BYTES_A_CHAR = 3;

/**
 * Items that wait for the hub: in order, across restarts and kills, bounded. If the folder cannot be used, or another
 * program uses it, items are kept in memory only, and are sent all the same.
 */
export class Outbox<Item> {
  readonly #options: OutboxOptions<Item>;
  readonly #files = new Mutex();
  readonly #ready: Promise<void>;
  #waiting: Waiting<Item>[] = [];
  #chars = 0;
  #lastNumber = 0;
  #lostSomething = false;
  #hasTrouble = false;
  /** The folder, after this program has locked it. */
  #folder: string | undefined;
  #unlock: () => void = () => undefined;

  constructor(options: OutboxOptions<Item>) {
    this.#options = options;
    this.#ready = this.#files.run(() => this.#load());
  }

  /** Waiting items, oldest first; complete when {@link loaded} has settled. */
  get items(): readonly Item[] {
    return this.#waiting.map(({ item }) => item);
  }

  /** Settles when the items of earlier runs are loaded. Never rejects. */
  loaded(): Promise<void> {
    return this.#ready;
  }

  /** Appends an item. Settles when it is among {@link items}; it is on the disk soon after. Never rejects. */
  async add(item: Item): Promise<void> {
    const text = this.#options.toText(item);
    await this.#ready;
    const name = `${String(++this.#lastNumber).padStart(DIGITS, '0')}.json`;
    this.#waiting.push({ item, chars: text.length, name });
    this.#chars += text.length;
    void this.#files.run(() => this.#write(name, text));
    this.#dropOldest();
  }

  /** Removes an item that was sent, or never will be. Removing a missing item does nothing. */
  remove(item: Item): void {
    const index = this.#waiting.findIndex((one) => one.item === item);
    const [removed] = index < 0 ? [] : this.#waiting.splice(index, 1);
    if (removed === undefined) return;
    this.#chars -= removed.chars;
    if (this.#waiting.length === 0) this.#lostSomething = false;
    void this.#files.run(() => this.#unlink(removed.name));
  }

  /** Settles when all earlier changes are on the disk, or failed. To be called last. */
  async close(): Promise<void> {
    // After items that were added during loading.
    await this.#ready;
    await this.#files.run(() => this.#unlock());
  }

  async #load(): Promise<void> {
    const { folder, what, logger } = this.#options;
    if (folder === undefined) return;
    try {
      await mkdir(folder, { recursive: true, mode: 0o700 });
      const lock = lockFolder(folder);
      if (typeof lock === 'object') {
        logger.warn(`${folder} is in use by process ${lock.heldBy}: the ${what} are in memory alone.`);
        return;
      }
      this.#unlock = lock;
      this.#folder = folder;
      const names = (await readdir(folder)).filter((name) => /^\d+\.json$/.test(name)).sort();
      for (const name of names) await this.#recall(folder, name);
    } catch (thrown) {
      this.#report(thrown);
    }
  }

  async #recall(folder: string, name: string): Promise<void> {
    const { fromText, maxChars, what, logger } = this.#options;
    const file = path.join(folder, name);
    this.#lastNumber = Math.max(this.#lastNumber, Number.parseInt(name, 10));
    try {
      const text = (await readBoundedFile(file, maxChars * BYTES_A_CHAR)).toString('utf8');
      this.#waiting.push({ item: fromText(text), chars: text.length, name });
      this.#chars += text.length;
    } catch (thrown) {
      logger.warn(`${file} is removed, as it cannot be read as one of the ${what}: ${toArmatureError(thrown).message}`);
      await this.#unlink(name);
    }
  }

  #dropOldest(): void {
    const { maxItems, maxChars, what, logger } = this.#options;
    while (this.#waiting.length > maxItems || (this.#chars > maxChars && this.#waiting.length > 1)) {
      const [oldest] = this.#waiting;
      if (oldest === undefined) return;
      this.remove(oldest.item);
      if (!this.#lostSomething)
        logger.warn(`The hub has been unreachable for long: the oldest of the ${what} for it are deleted.`);
      this.#lostSomething = true;
    }
  }

  async #write(name: string, text: string): Promise<void> {
    const folder = this.#folder;
    if (folder === undefined || !this.#waiting.some((one) => one.name === name)) return;
    try {
      await replaceFile(path.join(folder, name), text);
      this.#hasTrouble = false;
    } catch (thrown) {
      this.#report(thrown);
    }
  }

  async #unlink(name: string): Promise<void> {
    if (this.#folder === undefined) return;
    await rm(path.join(this.#folder, name), { force: true }).catch((thrown: unknown) => this.#report(thrown));
  }

  #report(thrown: unknown): void {
    if (this.#hasTrouble) return;
    this.#hasTrouble = true;
    const { folder, what, logger } = this.#options;
    logger.warn(
      `${folder} cannot be used (${toArmatureError(thrown).message}): the ${what} that the hub does not know yet are in memory alone.`,
    );
  }
}
