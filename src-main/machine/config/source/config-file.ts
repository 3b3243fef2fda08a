import { constants, watch, type FSWatcher } from 'node:fs';
import { access, stat } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import type { Clock, Timer } from '../../../base/clock.ts';
import { ArmatureError, toArmatureError } from '../../../base/errors.ts';
import { Mutex } from '../../../base/async/mutex.ts';
import { realTarget } from '../../../base/files/replace-file.ts';
import { foldersOnTheWay, readText, replaceText } from './config-text-file.ts';
import type { ConfigChange, ConfigSource, ConfigText, WriteOutcome } from './config-source.ts';
import { revisionOf } from '../../../base/revision.ts';

export interface ConfigFileOptions {
  readonly path: string;
  readonly clock: Clock;
  /** A file that has not changed for this long counts as complete. */
  readonly settleMs?: number;
  /** The same for an empty or missing file, a short-lived state in many editors. */
  readonly emptySettleMs?: number;
  /** How often the file is checked without a notification (network file systems send none). */
  readonly pollMs?: number;
}

/** Identifies a state of the file without reading it. */
type Signature = string;
const MISSING: Signature = 'missing';
/** Differs from every signature: the next check reads the file. */
const UNSEEN: Signature = 'unseen';

/**
 * The configuration file: read, followed and replaced. It watches the folder, not the file, so it notices when the file
 * is replaced, deleted and created again, or a symbolic link anywhere on its path is swapped. A file is read only after
 * it has stopped changing, and reported only if its text differs.
 */
export class ConfigFile implements ConfigSource {
  readonly kind = 'file';
  /** Absolute path. */
  readonly path: string;
  readonly #clock: Clock;
  readonly #settleMs: number;
  readonly #emptySettleMs: number;
  readonly #pollMs: number;
  readonly #watchers = new Map<string, FSWatcher>();
  #listener: ((change: ConfigChange) => void) | undefined;
  #poll: Timer | undefined;
  #wait: Timer | undefined;
  /** Revision last read, reported or written; undefined before that and after `unreadable` was reported. */
  #known: string | undefined;
  #seen: Signature = UNSEEN;
  #isCheckQueued = false;
  /** Serialises reads and writes. */
  readonly #turns = new Mutex();

  constructor(options: ConfigFileOptions) {
    this.path = resolve(options.path);
    this.#clock = options.clock;
    this.#settleMs = options.settleMs ?? 75;
    this.#emptySettleMs = options.emptySettleMs ?? 500;
    this.#pollMs = options.pollMs ?? 2_000;
  }

  /**
   * The current text.
   * @throws {ArmatureError} `config.unreadable` if there is no file or no right to read it, `config.invalid` if it is
   *   too large or not UTF-8
   */
  read(): Promise<ConfigText> {
    return this.#turns.run(async () => {
      const signature = await this.#signature();
      const text = await readText(this.path);
      this.#seen = signature;
      this.#known = revisionOf(text);
      return { text, revision: this.#known };
    });
  }

  /** Calls `listener` with every change until {@link close}. One listener at a time. */
  watch(listener: (change: ConfigChange) => void): void {
    this.#listener = listener;
    this.#poll ??= this.#clock.every(this.#pollMs, () => this.#checkSoon());
    void this.#turns.run(() => this.#watchFolders());
    // Changes between the read and the start of watching.
    this.#checkSoon();
  }

  /**
   * Replaces the text as a whole, by renaming a new file over the old one, with the same access rights, through
   * symbolic links. The listener is not called for this text. If the file contains another revision than
   * `expectedRevision`, nothing is written, and the listener is not called either. A missing file is created.
   * @throws {ArmatureError} `config.read_only` or `config.unreadable`
   */
  write(text: string, expectedRevision: string): Promise<WriteOutcome> {
    return this.#turns.run(async (): Promise<WriteOutcome> => {
      const current = await this.#readIfThere();
      if (current !== undefined && current.revision !== expectedRevision) {
        this.#known = current.revision;
        return { kind: 'conflict', ...current };
      }
      await replaceText(this.path, text);
      this.#known = revisionOf(text);
      // Another program may write right after us: the next check compares texts.
      this.#seen = UNSEEN;
      return { kind: 'written', revision: this.#known };
    });
  }

  /** Whether {@link write} may succeed: replacing a file needs the right to write to its folder. */
  async isWritable(): Promise<boolean> {
    try {
      await access(dirname(await realTarget(this.path)), constants.W_OK);
      return true;
    } catch {
      return false; // no right, no folder or a read-only file system: the write itself would report which
    }
  }

  /** Stops following the file. */
  close(): void {
    this.#listener = undefined;
    this.#poll?.cancel();
    this.#poll = undefined;
    this.#wait?.cancel();
    this.#wait = undefined;
    for (const watcher of this.#watchers.values()) watcher.close();
    this.#watchers.clear();
  }

  async #readIfThere(): Promise<ConfigText | undefined> {
    if ((await this.#signature()) === MISSING) return undefined;
    const text = await readText(this.path);
    return { text, revision: revisionOf(text) };
  }

  async #signature(): Promise<Signature> {
    try {
      const { dev, ino, size, mtimeNs, ctimeNs } = await stat(this.path, { bigint: true });
      return [size, dev, ino, mtimeNs, ctimeNs].join(':');
    } catch {
      // If its state cannot be read, reading the file reports why.
      return MISSING;
    }
  }

  /** Checks after the file has had time to settle; events in the meantime change nothing. */
  #checkSoon(): void {
    if (this.#listener === undefined || this.#wait !== undefined || this.#isCheckQueued) return;
    this.#isCheckQueued = true;
    void this.#turns.run(async () => {
      this.#isCheckQueued = false;
      const before = await this.#signature();
      if (before === this.#seen || this.#listener === undefined) return;
      // For notifications during the previous pass: its wait ends with a check that covers them.
      if (this.#wait !== undefined) return;
      const isEmpty = before === MISSING || before.startsWith('0:');
      this.#wait = this.#clock.after(isEmpty ? this.#emptySettleMs : this.#settleMs, () => {
        this.#wait = undefined;
        void this.#turns.run(() => this.#checkFile(before));
      });
    });
  }

  /** Reads the file if it is still in the state `before`; else waits once more. */
  async #checkFile(before: Signature): Promise<void> {
    await this.#watchFolders();
    const text = (await this.#signature()) === before ? await this.#tryRead() : undefined;
    if (this.#listener === undefined) return;
    if (text === undefined || (await this.#signature()) !== before) {
      this.#checkSoon();
      return;
    }
    this.#seen = before;
    if (text instanceof ArmatureError) {
      this.#known = undefined;
      this.#listener({ kind: 'unreadable', message: text.message, error: text });
      return;
    }
    const revision = revisionOf(text);
    if (revision === this.#known) return;
    this.#known = revision;
    this.#listener({ kind: 'changed', text, revision });
  }

  async #tryRead(): Promise<string | ArmatureError> {
    try {
      return await readText(this.path);
    } catch (thrown) {
      // The listener is told; the machine keeps what it is running.
      return toArmatureError(thrown);
    }
  }

  /** Watches exactly the folders that the path currently goes through. */
  async #watchFolders(): Promise<void> {
    const folders = new Map<string, string>();
    for (const folder of await foldersOnTheWay(this.path)) {
      // A folder created again under the same name is a different one, unknown to the old watch.
      const id = await stat(folder).then(
        ({ dev, ino }) => `${dev}:${ino}`,
        () => undefined,
      );
      if (id !== undefined) folders.set(id, folder);
    }
    if (this.#listener === undefined) return;
    for (const [id, watcher] of this.#watchers) {
      if (folders.has(id)) continue;
      watcher.close();
      this.#watchers.delete(id);
    }
    for (const [id, folder] of folders) if (!this.#watchers.has(id)) this.#watchFolder(id, folder);
  }

  #watchFolder(id: string, folder: string): void {
    try {
      const watcher = watch(folder, { persistent: false }, () => this.#checkSoon());
      watcher.on('error', () => {
        // The system may have no watches left: the periodic checks continue, and try to watch again.
        watcher.close();
        this.#watchers.delete(id);
      });
      this.#watchers.set(id, watcher);
    } catch {
      // As above.
    }
  }
}
