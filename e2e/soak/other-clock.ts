import { existsSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { temporaryFolder } from '../harness/temporary-folder.ts';

/**
 * A library that gives a process a different wall clock, controlled by a file while it runs (apt-get install
 * libfaketime).
 */
const library = [
  process.env['ARMATURE_FAKETIME'] ?? '',
  '/usr/lib/x86_64-linux-gnu/faketime/libfaketimeMT.so.1',
  '/usr/lib/aarch64-linux-gnu/faketime/libfaketimeMT.so.1',
].find((file) => file !== '' && existsSync(file));

/** The reason why no process can have a different clock here; undefined where one can. */
export const whyNoOtherClock = library === undefined ? 'needs libfaketime' : undefined;

/** The clock of one process. */
export class OtherClock {
  readonly through: readonly string[];
  readonly #file: string;

  constructor(file: string) {
    this.#file = file;
    this.through = [
      'env',
      `LD_PRELOAD=${library ?? ''}`,
      `FAKETIME_TIMESTAMP_FILE=${file}`,
      'FAKETIME_NO_CACHE=1',
      'FAKETIME_DONT_FAKE_MONOTONIC=1',
    ];
  }

  static async make(days: number): Promise<OtherClock> {
    const clock = new OtherClock(path.join(await temporaryFolder(), 'clock'));
    await clock.set(days);
    return clock;
  }

  /** Sets it this many days ahead of this computer's clock. */
  async set(days: number): Promise<void> {
    await writeFile(this.#file, `${days < 0 ? '' : '+'}${days * 86_400}\n`);
  }
}
