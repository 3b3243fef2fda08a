import { cp, mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { UploadMetadata } from '../../../../proto/gen/core/app/datasync/v1/data_sync.ts';
import { encodeMessage } from '../../../../proto/message.ts';
import { backoffDelayMs, type BackoffOptions } from '../../../base/async/backoff.ts';
import { Emitter } from '../../../base/async/emitter.ts';
import type { Clock, Timer } from '../../../base/clock.ts';
import { ArmatureError, errorCodes, toArmatureError } from '../../../base/errors.ts';
import type { Logger } from '../../../base/logger.ts';
import { StatusCode } from '../../../base/status.ts';
import { Delivery } from '../../outbox/delivery.ts';
import type { Journal, SealedFile } from '../journal/journal.ts';
import { recordHead } from '../journal/records.ts';
import { sendUpload, type DataHub } from './data-hub.ts';
import { splitUpload, toUploads, type Upload } from './uploads.ts';

/** A file that the hub does not accept is retried after this time; meanwhile others are sent. */
const RETRY_BACKOFF: BackoffOptions = { firstMs: 1_000, maxMs: 600_000, factor: 2, jitter: 0.3 };

export interface UploaderOptions {
  readonly journal: Journal;
  readonly hub: DataHub;
  /** Contains data that the hub will never accept. */
  readonly failedFolder: string;
  /** Most calls in progress at the same time. */
  readonly atOnce: () => number;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** The progress of uploading the files of a journal. */
export interface UploadState {
  /** Wall-clock milliseconds; undefined before the first. */
  readonly lastUploadAt: number | undefined;
  readonly uploaded: number;
  /** Uploads that the hub refused for good. */
  readonly refused: number;
  /** Why the last one failed; '' if it did not. */
  readonly error: string;
}

interface Progress {
  failures: number;
  /** Monotonic milliseconds. */
  againAt: number;
  /** Ids of uploads that the hub has stored or permanently refused. */
  readonly done: Set<string>;
}

/**
 * Sends finished capture files to the hub, oldest first, and deletes each that the hub has stored. A file that the hub
 * does not accept waits for its retry while others are sent. Progress is not stored over a restart: the hub recognizes
 * each upload by its id, and answers a repeated one as before.
 */
export class Uploader {
  readonly #options: UploaderOptions;
  readonly #delivery: Delivery;
  readonly #progress = new Map<number, Progress>();
  readonly #changed = new Emitter();
  readonly #unsubscribe: () => void;
  #again: Timer | undefined;
  #isAllowed = false;
  /** Number of callers of {@link finish}: for them, files are sent even if that is not allowed. */
  #asked = 0;
  #uploaded = 0;
  #refused = 0;
  #lastUploadAt: number | undefined;
  #error = '';

  constructor(options: UploaderOptions) {
    this.#options = options;
    const { journal, hub, clock, logger } = options;
    this.#unsubscribe = journal.onSealed(() => this.#delivery.wake());
    this.#delivery = new Delivery({
      link: hub,
      send: () => this.#sendOldest(),
      trouble: 'What was captured waits here for the hub',
      clock,
      logger,
    });
  }

  get state(): UploadState {
    const [uploaded, refused, lastUploadAt, error] = [this.#uploaded, this.#refused, this.#lastUploadAt, this.#error];
    return { uploaded, refused, lastUploadAt, error };
  }

  /** Whether files may be sent now; running uploads continue. */
  allow(isAllowed: boolean): void {
    this.#isAllowed = isAllowed;
    if (isAllowed) this.#delivery.wake();
  }

  /**
   * Settles when all current files have been sent.
   * @throws {ArmatureError} `hub.unreachable` if there is no connection; the hub's error for a file that it does not
   *   accept
   */
  async finish(): Promise<void> {
    const { hub, journal } = this.#options;
    const wanted = new Set(journal.files);
    for (const file of wanted) this.#progress.delete(file.number);
    const { promise, resolve, reject } = Promise.withResolvers<undefined>();
    const look = (): void => {
      const left = journal.files.filter((file) => wanted.has(file));
      const failed = left.some(({ number }) => (this.#progress.get(number)?.failures ?? 0) > 0);
      if (left.length === 0) resolve(undefined);
      else if (!hub.isConnected) {
        reject(
          new ArmatureError('hub.unreachable', 'There is no connection to the hub; what was captured waits here.'),
        );
      } else if (failed) reject(new ArmatureError('resource.not_ready', `The hub does not take it: ${this.#error}`));
    };
    const endings = [this.#changed.on(look), hub.onChange(look)];
    this.#asked++;
    this.#delivery.wake();
    look();
    try {
      await promise;
    } finally {
      for (const end of endings) end();
      this.#asked--;
    }
  }

  /** Starts nothing more. */
  close(): void {
    this.#unsubscribe();
    this.#again?.cancel();
    this.#delivery.close();
  }

  /** @returns whether there may be more */
  async #sendOldest(): Promise<boolean> {
    const { journal, clock } = this.#options;
    if (!this.#isAllowed && this.#asked === 0) return false;
    const now = clock.monotonic();
    const file = journal.files.find(({ number }) => (this.#progress.get(number)?.againAt ?? 0) <= now);
    if (file === undefined) {
      // Only existing files: a waiting one may have been deleted because the disk was full.
      const next = Math.min(...journal.files.map(({ number }) => this.#progress.get(number)?.againAt ?? now));
      this.#again?.cancel();
      if (Number.isFinite(next)) this.#again = clock.after(next - now, () => this.#delivery.wake());
      return false;
    }
    const progress = this.#progress.get(file.number) ?? { failures: 0, againAt: 0, done: new Set<string>() };
    this.#progress.set(file.number, progress);
    try {
      await this.#send(file, progress);
      await journal.remove(file);
      this.#progress.delete(file.number);
      this.#error = '';
    } catch (thrown) {
      const error = toArmatureError(thrown);
      this.#error = error.message;
      if (error.code === 'hub.unreachable') throw error;
      progress.failures++;
      progress.againAt = clock.monotonic() + backoffDelayMs(RETRY_BACKOFF, progress.failures, Math.random());
      if (progress.failures === 1) {
        this.#options.logger.warn(`The hub does not take ${path.basename(file.path)} yet: ${error.message}`);
      }
    } finally {
      this.#changed.emit();
    }
    return true;
  }

  async #send(file: SealedFile, { done }: Progress): Promise<void> {
    const { journal } = this.#options;
    let uploads: readonly Upload[];
    try {
      uploads = toUploads(await journal.read(file));
    } catch (thrown) {
      await this.#keepDamaged(file, toArmatureError(thrown));
      return;
    }
    const left = uploads.filter(({ id }) => !done.has(id));
    const work = left.values();
    const worker = async (): Promise<void> => {
      for (const upload of work) {
        await this.#sendOne(upload);
        done.add(upload.id);
      }
    };
    const results = await Promise.allSettled(Array.from({ length: Math.max(1, this.#options.atOnce()) }, worker));
    for (const result of results) if (result.status === 'rejected') throw result.reason;
  }

  async #sendOne(upload: Upload): Promise<void> {
    const { hub, clock } = this.#options;
    try {
      await sendUpload(hub, upload);
      this.#uploaded++;
      this.#lastUploadAt = clock.now();
    } catch (thrown) {
      const error = toArmatureError(thrown);
      // These errors are about the content, so a retry would fail as well.
      if (errorCodes[error.code].status !== StatusCode.INVALID_ARGUMENT) throw error;
      if (upload.readings.length === 1) await this.#keepRefused(upload, error);
      // One wrong reading must not block the others.
      else for (const half of splitUpload(upload)) await this.#sendOne(half);
    }
  }

  /** Keeps refused data for a person to inspect. */
  async #keepRefused(upload: Upload, { message }: ArmatureError): Promise<void> {
    const { failedFolder, logger } = this.#options;
    const file = path.join(failedFolder, `${upload.id}.capture`);
    const parts = [
      ...encodeRecord('file', Buffer.from(upload.id)),
      ...encodeRecord('stream', encodeMessage(UploadMetadata, upload.metadata)),
      ...upload.readings.flatMap(({ bytes }) => encodeRecord('reading', bytes)),
    ];
    await mkdir(failedFolder, { recursive: true, mode: 0o700 });
    await writeFile(file, Buffer.concat(parts), { mode: 0o600 });
    this.#refused++;
    const { componentName, methodName } = upload.metadata;
    logger.error(`The hub refuses a reading (${methodName} of ${componentName}), which is kept in ${file}: ${message}`);
  }

  async #keepDamaged(file: SealedFile, { message }: ArmatureError): Promise<void> {
    const { failedFolder, logger } = this.#options;
    await mkdir(failedFolder, { recursive: true, mode: 0o700 });
    const kept = path.join(failedFolder, path.basename(file.path));
    await cp(file.path, kept);
    this.#refused++;
    logger.error(`A capture file cannot be read, and is kept as ${kept}: ${message}`);
  }
}

function encodeRecord(kind: 'file' | 'stream' | 'reading', content: Uint8Array): readonly Uint8Array[] {
  return [recordHead(kind, 0, content), content];
}
