import { existsSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { temporaryFolder } from '../harness/temporary-folder.ts';

/** A library that has a process see another wall clock, which a file moves while it runs (apt-get install libfaketime). */
const library = [
  process.env['ARMATURE_FAKETIME'] ?? '',
  '/usr/lib/x86_64-linux-gnu/faketime/libfaketimeMT.so.1',
  '/usr/lib/aarch64-linux-gnu/faketime/libfaketimeMT.so.1',
].find((file) => file !== '' && existsSync(file));

/** Why no process can have another clock here; undefined where one can. */
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

  /** Sets it ahead of this computer's by so many days. */
  async set(days: number): Promise<void> {
    await writeFile(this.#file, `${days < 0 ? '' : '+'}${days * 86_400}\n`);
  }
}
