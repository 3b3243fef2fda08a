import { watch, type FSWatcher } from 'node:fs';
import { stat } from 'node:fs/promises';
import path from 'node:path';
import type { Clock, Timer } from '../../../base/clock.ts';

export interface FileWatchOptions {
  /** Absolute; the file need not exist yet. */
  readonly path: string;
  readonly clock: Clock;
  /** Called once for each change, when the file exists and is no longer being written. */
  readonly onChange: () => void;
  readonly settleMs?: number;
}

/** A file that has not changed for this long is complete: compilers and archivers write in several steps. */
const SETTLE_MS = 500;
/** How often it is checked without a notification: folders come and go, network file systems send none. */
const POLL_MS = 2_000;
const MISSING = 'missing';

/** Reports when a file has changed, or has been created. */
export class FileWatch {
  readonly #options: FileWatchOptions;
  readonly #poll: Timer;
  #watcher: FSWatcher | undefined;
  #settle: Timer | undefined;
  /** State of the file at the last report. */
  #known: Promise<string>;
  #isClosed = false;

  constructor(options: FileWatchOptions) {
    this.#options = options;
    this.#known = signatureOf(options.path);
    this.#poll = options.clock.every(POLL_MS, () => this.#onEvent());
    this.#watch();
  }

  close(): void {
    this.#isClosed = true;
    this.#poll.cancel();
    this.#settle?.cancel();
    this.#watcher?.close();
  }

  #watch(): void {
    try {
      // Watches the folder: replacing a file creates another one under its name.
      const watcher = watch(path.dirname(this.#options.path), { persistent: false }, () => this.#onEvent());
      watcher.on('error', () => {
        watcher.close();
        this.#watcher = undefined;
      });
      this.#watcher = watcher;
    } catch {
      // The folder is missing, or the system has no watches left: the periodic checks continue, and try to watch again.
    }
  }

  #onEvent(): void {
    if (this.#isClosed) return;
    if (this.#watcher === undefined) this.#watch();
    if (this.#settle !== undefined) return;
    void this.#check();
  }

  async #check(): Promise<void> {
    const { path: file, clock, settleMs = SETTLE_MS, onChange } = this.#options;
    const found = await signatureOf(file);
    if (this.#isClosed || this.#settle !== undefined || found === (await this.#known)) return;
    this.#settle = clock.after(settleMs, () => {
      void signatureOf(file).then(async (settled) => {
        this.#settle = undefined;
        if (this.#isClosed) return;
        if (settled !== found) this.#onEvent();
        else if (found !== MISSING && !found.startsWith('0:')) {
          if (found === (await this.#known)) return;
          this.#known = Promise.resolve(found);
          onChange();
        }
      });
    });
  }
}

/** Distinguishes states of the file without reading it. */
export async function signatureOf(file: string): Promise<string> {
  try {
    const { dev, ino, size, mtimeNs } = await stat(file, { bigint: true });
    return [size, dev, ino, mtimeNs].join(':');
  } catch {
    return MISSING; // reading the file reports why
  }
}
