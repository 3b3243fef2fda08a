import { statfs } from 'node:fs/promises';
import type { Clock, Timer } from '../../../base/clock.ts';
import { toArmatureError } from '../../../base/errors.ts';
import type { Logger } from '../../../base/logger.ts';
import type { Journal } from './journal.ts';

const POLL_MS = 30_000;
/** Deletes down to this far below the threshold: otherwise each check would have to delete one file. */
const ROOM = 0.05;

/** Fractions of a disk, 0 to 1. */
export interface DiskThresholds {
  /** Used by all programs. */
  readonly used: number;
  /** Used by captured data. */
  readonly captured: number;
}

export interface DiskGuardOptions {
  readonly journal: Journal;
  readonly folder: string;
  readonly diskThresholds: () => DiskThresholds;
  readonly clock: Clock;
  readonly logger: Logger;
  /** The disk of a folder, in bytes. */
  readonly diskOf?: (folder: string) => Promise<{ readonly size: number; readonly free: number }>;
}

/**
 * Keeps captured data from filling the disk while the hub is unreachable: if captured data has nearly filled it, the
 * oldest is deleted, and that is logged. If something else fills the disk, captured data stays.
 */
export class DiskGuard {
  readonly #options: DiskGuardOptions;
  readonly #timer: Timer;
  #checking: Promise<void> | undefined;

  constructor(options: DiskGuardOptions) {
    this.#options = options;
    this.#timer = options.clock.every(POLL_MS, () => {
      this.#checking ??= this.#checkSpace().finally(() => (this.#checking = undefined));
    });
  }

  async close(): Promise<void> {
    this.#timer.cancel();
    await this.#checking;
  }

  /** Never rejects. */
  async #checkSpace(): Promise<void> {
    const { journal, folder, diskThresholds, logger, diskOf = diskOfFolder } = this.#options;
    try {
      const { used, captured } = diskThresholds();
      const { size, free } = await diskOf(folder);
      let inUse = size - free;
      if (inUse < used * size || journal.bytes < captured * size) return;
      let removed = 0;
      while (inUse > (used - ROOM) * size) {
        const bytes = await journal.removeOldest();
        if (bytes === 0) break;
        inUse -= bytes;
        removed += bytes;
      }
      if (removed === 0) return;
      const percent = Math.round((100 * (size - free)) / size);
      logger.warn(
        `The disk is ${percent} % full: the oldest captured data (${removed} bytes) was deleted before it was sent to the hub.`,
      );
    } catch (thrown) {
      logger.debug(`How full the disk of ${folder} is cannot be read: ${toArmatureError(thrown).message}`);
    }
  }
}

async function diskOfFolder(folder: string): Promise<{ size: number; free: number }> {
  const { blocks, bavail, bsize } = await statfs(folder);
  return { size: blocks * bsize, free: bavail * bsize };
}
