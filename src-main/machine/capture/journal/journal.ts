import { mkdir, readdir, rename, rm, stat, truncate } from 'node:fs/promises';
import path from 'node:path';
import { Emitter } from '../../../base/async/emitter.ts';
import { Mutex } from '../../../base/async/mutex.ts';
import type { Clock, Timer } from '../../../base/clock.ts';
import { codeOf, toArmatureError } from '../../../base/errors.ts';
import { readBoundedFile } from '../../../base/files/bounded-file.ts';
import { syncFolder } from '../../../base/files/replace-file.ts';
import type { Logger } from '../../../base/logger.ts';
import { CaptureFile, readCapture, type CapturedReading, type CaptureContent } from './capture-file.ts';
import { MAX_RECORD_BYTES } from './records.ts';

/** Readings within this time are written together. A kill loses them; on a busy computer, more. */
export const COMMIT_MS = 5;
/** Pause after a failed write. */
const RETRY_MS = 1_000;
/** Limit of readings that wait in memory while the disk cannot be written; the oldest are dropped first. */
export const MAX_WAITING_BYTES = 16 * 1024 * 1024;
/** Files end long before this size, except that a single reading may be this large. */
const MAX_FILE_BYTES = 2 * MAX_RECORD_BYTES + MAX_WAITING_BYTES;
/** Pads numbers, so that names sort in the order of the numbers. */
const DIGITS = 12;
const WHOLE = /^(\d{12})\.capture$/;
const UNFINISHED = /^(\d{12})\.prog$/;

/** A finished file. */
export interface SealedFile {
  readonly path: string;
  readonly number: number;
  readonly bytes: number;
}

export interface JournalOptions {
  /** Created when needed, with access for the owner of the machine only. */
  readonly folder: string;
  /** After this size, the next file begins. */
  readonly fileBytes: () => number;
  readonly clock: Clock;
  readonly logger: Logger;
}

/**
 * Captured data that is not at the hub yet: files in one folder, written one after the other. All methods write to the
 * same file, because one flush of the disk then covers all of them.
 */
export class Journal {
  readonly #options: JournalOptions;
  readonly #sealed = new Emitter();
  readonly #writing = new Mutex();
  /** Files are finished one after the other, to keep the order of their contents. */
  readonly #ending = new Mutex();
  #files: SealedFile[] = [];
  #current: CaptureFile | undefined;
  #nextNumber = 1;
  #waiting: CapturedReading[] = [];
  #waitingBytes = 0;
  #commit: Timer | undefined;
  #lost = 0;
  #trouble = '';
  #isClosed = false;

  constructor(options: JournalOptions) {
    this.#options = options;
  }

  /** Finished files, oldest first. */
  get files(): readonly SealedFile[] {
    return this.#files;
  }

  /** Bytes of all files. */
  get bytes(): number {
    return this.#files.reduce((sum, { bytes }) => sum + bytes, 0) + (this.#current?.bytes ?? 0);
  }

  /** Readings dropped because the disk could not be written for too long. */
  get lost(): number {
    return this.#lost;
  }

  /** Why nothing can be written now; '' if it can. */
  get trouble(): string {
    return this.#trouble;
  }

  /** Calls `listener` after each file that was finished. Returns an unsubscribe function. */
  onSealed(listener: () => void): () => void {
    return this.#sealed.on(listener);
  }

  /**
   * Recovers the files of an earlier run, also one that a crash cut off. No other program may use the folder.
   * @throws errors of the file system: nothing can be captured then
   */
  async open(): Promise<void> {
    const { folder } = this.#options;
    const names = (await readdir(folder)).toSorted();
    for (const name of names.filter((one) => UNFINISHED.test(one))) await this.#recover(path.join(folder, name));
    for (const name of (await readdir(folder)).filter((one) => WHOLE.test(one)).toSorted()) {
      const { size } = await stat(path.join(folder, name));
      this.#files.push({ path: path.join(folder, name), number: numberOf(name), bytes: size });
    }
    this.#nextNumber = Math.max(0, ...names.map(numberOf), ...this.#files.map(({ number }) => number)) + 1;
  }

  /** Adds a reading. It is in a file within {@link COMMIT_MS}, and on the disk after the next flush. Never throws. */
  append(captured: CapturedReading): void {
    if (this.#isClosed) return; // a late answer from a resource
    this.#waiting.push(captured);
    this.#waitingBytes += captured.reading.length;
    this.#dropOldest();
    this.#commit ??= this.#options.clock.after(this.#trouble === '' ? COMMIT_MS : RETRY_MS, () => {
      this.#commit = undefined;
      void this.#flush();
    });
  }

  /** Settles when all earlier readings are in finished files on the disk, or cannot be. Never rejects. */
  async seal(): Promise<void> {
    await this.#flush();
    await this.#writing.run(() => this.#end());
    await this.#ending.idle();
  }

  /**
   * The contents of a finished file.
   * @throws {ArmatureError} `file.unreadable` if it is damaged or missing
   */
  async read(file: SealedFile): Promise<CaptureContent> {
    return readCapture(file.path, await readBoundedFile(file.path, MAX_FILE_BYTES));
  }

  /**
   * Deletes a finished file.
   * @throws errors of the file system
   */
  async remove(file: SealedFile): Promise<void> {
    await rm(file.path, { force: true });
    this.#files = this.#files.filter((one) => one !== file);
  }

  /** Deletes the oldest finished file and returns its size; 0 if there is none. */
  async removeOldest(): Promise<number> {
    const [oldest] = this.#files;
    if (oldest === undefined) return 0;
    await this.remove(oldest);
    return oldest.bytes;
  }

  /** Nothing may be called afterwards. Never rejects. */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.#commit?.cancel();
    await this.seal();
    this.#commit?.cancel();
  }

  #flush(): Promise<void> {
    return this.#writing.run(async () => {
      if (this.#waiting.length === 0) return;
      const captured = this.#waiting;
      const bytes = this.#waitingBytes;
      this.#waiting = [];
      this.#waitingBytes = 0;
      try {
        await this.#write(captured);
      } catch (thrown) {
        this.#waiting = [...captured, ...this.#waiting];
        this.#waitingBytes += bytes;
        this.#dropOldest();
        await this.#failed(thrown, this.#current);
        return;
      }
      this.#recovered();
      const { bytes: written = 0, hasRoom = true } = this.#current ?? {};
      if (written >= this.#options.fileBytes() || !hasRoom) this.#end();
    });
  }

  async #write(captured: readonly CapturedReading[]): Promise<void> {
    const file = (this.#current ??= await this.#begin());
    await file.append(captured, (thrown) => void this.#writing.run(() => this.#failed(thrown, file)));
  }

  async #begin(): Promise<CaptureFile> {
    const { folder } = this.#options;
    await mkdir(folder, { recursive: true, mode: 0o700 });
    return CaptureFile.create(path.join(folder, `${String(this.#nextNumber++).padStart(DIGITS, '0')}.prog`));
  }

  /**
   * Starts finishing the file; later readings go into another one. Does not wait for the disk.
   */
  #end(): void {
    const file = this.#current;
    this.#current = undefined;
    if (file !== undefined) void this.#ending.run(() => this.#finish(file));
  }

  /** Never rejects. */
  async #finish(file: CaptureFile): Promise<void> {
    try {
      await file.finish();
      const whole = file.path.replace(/\.prog$/, '.capture');
      await rename(file.path, whole);
      await syncFolder(this.#options.folder);
      this.#add(whole, file.bytes);
    } catch (thrown) {
      await this.#setAside(file);
      await this.#writing.run(() => this.#failed(thrown, undefined));
    }
  }

  /** A write failed: closes the file, and soon writes to another file what it does not contain. */
  async #failed(thrown: unknown, file: CaptureFile | undefined): Promise<void> {
    const { logger, clock, folder } = this.#options;
    const { message } = toArmatureError(thrown);
    if (message !== this.#trouble) logger.warn(`What is captured cannot be written to ${folder}: ${message}`);
    this.#trouble = message;
    if (file !== undefined && file === this.#current) {
      this.#current = undefined;
      await this.#setAside(file);
    }
    const freed = codeOf(thrown) === 'ENOSPC' ? await this.removeOldest().catch(() => 0) : 0;
    if (freed > 0) logger.warn(`The disk is full: the oldest captured data (${freed} bytes) was deleted.`);
    this.#commit?.cancel();
    this.#commit = clock.after(freed > 0 ? COMMIT_MS : RETRY_MS, () => {
      this.#commit = undefined;
      void this.#flush();
    });
  }

  /** Makes the complete records of a file that can no longer be written ready to be sent. */
  async #setAside(file: CaptureFile): Promise<void> {
    await file.close().catch(() => {
      // The records show what it contains; a failure to close does not matter.
    });
    await this.#recover(file.path, true).catch((thrown: unknown) => {
      this.#options.logger.warn(`${file.path} is left for the next start: ${toArmatureError(thrown).message}`);
    });
  }

  /** Turns a partly written file into a finished one, up to its last complete record. */
  async #recover(file: string, isListed = false): Promise<void> {
    const bytes = await readBoundedFile(file, MAX_FILE_BYTES);
    let content: CaptureContent | undefined;
    try {
      content = readCapture(file, bytes);
    } catch {
      // Its header is missing: none of it reached the disk.
    }
    if (content?.streams.some(({ readings }) => readings.length > 0) !== true) {
      await rm(file, { force: true });
      return;
    }
    if (content.wholeBytes < bytes.length) {
      await truncate(file, content.wholeBytes);
      const cut = bytes.length - content.wholeBytes;
      this.#options.logger.info(
        `${file} was cut off while it was written: its last ${cut} bytes are no whole reading.`,
      );
    }
    const whole = file.replace(/\.prog$/, '.capture');
    await rename(file, whole);
    if (!isListed) return;
    this.#add(whole, content.wholeBytes);
  }

  #add(file: string, bytes: number): void {
    const added = { path: file, number: numberOf(path.basename(file)), bytes };
    this.#files = [...this.#files, added].toSorted((one, other) => one.number - other.number);
    this.#sealed.emit();
  }

  #recovered(): void {
    if (this.#trouble === '') return;
    this.#trouble = '';
    this.#options.logger.info('What is captured is written again.');
  }

  #dropOldest(): void {
    let count = 0;
    while (this.#waitingBytes > MAX_WAITING_BYTES && count < this.#waiting.length - 1) {
      this.#waitingBytes -= this.#waiting[count++]?.reading.length ?? 0;
    }
    this.#waiting.splice(0, count);
    if (this.#lost === 0 && count > 0) {
      this.#options.logger.error('The disk could not be written for too long: the oldest readings in memory are lost.');
    }
    this.#lost += count;
  }
}

function numberOf(name: string): number {
  return Number(WHOLE.exec(name)?.[1] ?? UNFINISHED.exec(name)?.[1] ?? 0);
}
