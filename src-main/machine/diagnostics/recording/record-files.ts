import { constants } from 'node:fs';
import {
  mkdir,
  open,
  readdir,
  readFile,
  rm,
  stat,
  statfs,
  truncate,
  writeFile,
  type FileHandle,
} from 'node:fs/promises';
import path from 'node:path';
import { ArmatureError, isNoSpace } from '../../../base/errors.ts';
import { lockFolder } from '../../../base/files/folder-lock.ts';
import { decodeBlock } from '../format/block-decoder.ts';
import {
  blocksIn,
  fileHeader,
  fileProblem,
  frameBlock,
  frameChunk,
  journalHeader,
  openBlockIn,
  type BlockHeader,
} from '../format/framing.ts';
import { fileNumbers, JOURNAL_FILE, MACHINE_FILE, recordFile } from './file-names.ts';

const MiB = 1024 * 1024;

/** How much space the records of one machine take. */
export interface RoomLimits {
  /** All files together, bytes. */
  readonly total: number;
  /** At most this part of the space that would be free without them, 0 to 1. */
  readonly shareOfFree: number;
  /** The size of a full file: the total divided by this. */
  readonly files: number;
  /** Minimum space; with less, nothing is recorded. Bytes. */
  readonly least: number;
}

export const defaultRoom: RoomLimits = { total: 100 * MiB, shareOfFree: 0.05, files: 10, least: 2 * MiB };

export interface RecordFilesOptions {
  readonly folder: string;
  /** The configuration that the machine runs: stored beside the records, for people with several machines. */
  readonly configPath: string;
  readonly room?: RoomLimits;
  /** Bytes that this user may still write to the disk of a folder. */
  readonly freeBytes?: (folder: string) => Promise<number>;
}

/** Where blocks are stored. Methods are called one at a time, and reject with errors of the file system. */
export interface BlockStore {
  /** Sequence number of the block that is to be appended next. */
  readonly nextSequence: number;
  /** Appends complete records of the open block: from here on they survive the process. */
  keep(records: Uint8Array): Promise<void>;
  /** Appends the open block with everything passed to {@link keep}, and starts the next one. */
  append(times: Omit<BlockHeader, 'sequence'>, records: Uint8Array): Promise<void>;
  close(): Promise<void>;
}

/** The files of one machine's records: a ring of blocks, and the open block in a separate file. */
export class RecordFiles implements BlockStore {
  readonly #options: RecordFilesOptions;
  readonly #room: RoomLimits;
  readonly #release: () => void;
  /** Bytes of each file, oldest first. */
  readonly #sizes = new Map<number, number>();
  #file: FileHandle | undefined;
  #journal: FileHandle | undefined;
  /** Whether the file of the open block contains its number yet. */
  #isJournalBegun = false;
  #nextSequence = 1;
  /** Space for all files together, bytes. */
  #total = 0;

  private constructor(options: RecordFilesOptions, release: () => void) {
    this.#options = options;
    this.#room = options.room ?? defaultRoom;
    this.#release = release;
  }

  /**
   * Opens the records in a folder, which is made where it is missing. Appends the open block that a killed process
   * left.
   * @throws {ArmatureError} `store.in_use`, `store.full`; else as the file system does
   */
  static async open(options: RecordFilesOptions): Promise<RecordFiles> {
    const { folder, configPath } = options;
    await mkdir(folder, { recursive: true, mode: 0o700 });
    const lock = lockFolder(folder);
    if (typeof lock === 'object') {
      throw new ArmatureError(
        'store.in_use',
        `${folder} is in use by process ${lock.heldBy}, which serves the same configuration`,
      );
    }
    const files = new RecordFiles(options, lock);
    try {
      await writeFile(path.join(folder, MACHINE_FILE), `${JSON.stringify({ config: configPath })}\n`, { mode: 0o600 });
      await files.#open();
      return files;
    } catch (thrown) {
      await files.close();
      throw thrown;
    }
  }

  get nextSequence(): number {
    return this.#nextSequence;
  }

  async keep(records: Uint8Array): Promise<void> {
    const journal = (this.#journal ??= await open(path.join(this.#options.folder, JOURNAL_FILE), 'a', 0o600));
    if (!this.#isJournalBegun) {
      await journal.truncate(0);
      await journal.appendFile(journalHeader(this.#nextSequence));
      this.#isJournalBegun = true;
    }
    // Not flushed to the disk, but no longer only in this process: a kill loses none of it, and flash memory is spared.
    await journal.appendFile(frameChunk(records));
  }

  async append(times: Omit<BlockHeader, 'sequence'>, records: Uint8Array): Promise<void> {
    await this.#makeRoom();
    const sequence = this.#nextSequence;
    await this.#write(await frameBlock({ sequence, ...times }, records));
    this.#nextSequence++;
    // Truncated after the append: a reader in between finds the same number in both and counts it once.
    this.#isJournalBegun = false;
    await this.#journal?.truncate(0);
  }

  async close(): Promise<void> {
    try {
      await this.#journal?.close();
      await this.#file?.close();
    } finally {
      this.#journal = this.#file = undefined;
      this.#release();
    }
  }

  async #open(): Promise<void> {
    const { folder } = this.#options;
    for (const number of fileNumbers(await readdir(folder))) {
      this.#sizes.set(number, (await stat(recordFile(folder, number))).size);
    }
    for (const number of [...this.#sizes.keys()].reverse()) {
      const content = await readFile(recordFile(folder, number));
      if (fileProblem(content) !== undefined) continue;
      let last = 0;
      for (const { sequence } of blocksIn(content)) last = Math.max(last, sequence);
      if (last === 0) continue;
      this.#nextSequence = last + 1;
      break;
    }
    await this.#makeRoom();
    await this.#recover();
  }

  /** Appends the open block of a killed process. */
  async #recover(): Promise<void> {
    const file = path.join(this.#options.folder, JOURNAL_FILE);
    const left = openBlockIn(await readFile(file).catch(() => Buffer.alloc(0)));
    // The block was appended, and the process had no time to truncate this file.
    if (left === undefined || left.sequence < this.#nextSequence) return;
    const times = { firstMs: Infinity, lastMs: -Infinity };
    decodeBlock(left.records, {
      row: (timeMs) => {
        times.firstMs = Math.min(times.firstMs, timeMs);
        times.lastMs = Math.max(times.lastMs, timeMs);
      },
    });
    if (!Number.isFinite(times.firstMs)) return;
    await this.append(times, left.records);
    await truncate(file, 0);
  }

  async #write(block: Buffer): Promise<void> {
    const number = [...this.#sizes.keys()].at(-1);
    const size = number === undefined ? 0 : (this.#sizes.get(number) ?? 0);
    const isNew = number === undefined || size === 0 || size + block.length > this.#largestFile;
    if (isNew) {
      await this.#file?.close();
      this.#file = undefined;
    }
    // An empty file had no room for its first block.
    const target = size === 0 && number !== undefined ? number : (number ?? 0) + (isNew ? 1 : 0);
    const before = isNew ? 0 : size;
    const file = (this.#file ??= await open(recordFile(this.#options.folder, target), FLAGS, 0o600));
    const bytes = isNew ? Buffer.concat([fileHeader(), block]) : block;
    try {
      await file.appendFile(bytes);
      this.#sizes.set(target, before + bytes.length);
      await file.datasync();
    } catch (thrown) {
      // An incomplete block on a full disk is useless.
      await file.truncate(before).catch(() => undefined);
      this.#sizes.set(target, before);
      throw thrown;
    }
  }

  get #largestFile(): number {
    return this.#total / this.#room.files;
  }

  /**
   * Removes the oldest files that do not fit.
   * @throws {ArmatureError} `store.full`
   */
  async #makeRoom(): Promise<void> {
    const { folder, freeBytes = freeBytesOf } = this.#options;
    const { total, shareOfFree, least } = this.#room;
    const free = await freeBytes(folder);
    this.#total = Math.min(total, (free + this.#used) * shareOfFree);
    if (this.#total < least) {
      throw new ArmatureError('store.full', `the disk has ${Math.floor(free / MiB)} MiB free, and others need those`);
    }
    // Keeps room for one more file of new records.
    while (this.#sizes.size > 1 && this.#used > this.#total - this.#largestFile) {
      const [oldest = 0] = this.#sizes.keys();
      await rm(recordFile(folder, oldest), { force: true });
      this.#sizes.delete(oldest);
    }
  }

  get #used(): number {
    return [...this.#sizes.values()].reduce((sum, size) => sum + size, 0);
  }
}

/** Does not follow a link in place of the file. */
const FLAGS = constants.O_WRONLY | constants.O_APPEND | constants.O_CREAT | constants.O_NOFOLLOW;

async function freeBytesOf(folder: string): Promise<number> {
  const { bavail, bsize } = await statfs(folder);
  return bavail * bsize;
}

/** Whether a write failed because the disk is full, perhaps by other programs. */
export function isFullDisk(thrown: unknown): boolean {
  return thrown instanceof ArmatureError ? thrown.code === 'store.full' : isNoSpace(thrown);
}
