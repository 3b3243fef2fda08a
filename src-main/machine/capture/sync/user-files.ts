import { createHash } from 'node:crypto';
import { constants } from 'node:fs';
import { lstat, open, readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { DataType, type UploadMetadata } from '../../../../proto/gen/core/app/datasync/v1/data_sync.ts';
import { Mutex } from '../../../base/async/mutex.ts';
import type { Clock } from '../../../base/clock.ts';
import { ArmatureError, codeOf, toArmatureError } from '../../../base/errors.ts';
import { replaceFile } from '../../../base/files/replace-file.ts';
import type { Logger } from '../../../base/logger.ts';
import { sendFile, type DataHub } from './data-hub.ts';

/** Bytes read from a file at a time. */
const READ_BYTES = 256 * 1024;
/** Levels of nested folders that are searched. */
const MAX_DEPTH = 32;

export interface UserFilesOptions {
  /** Records which versions of files were sent. */
  readonly record: string;
  readonly hub: DataHub;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** Identifies one version of a file. */
type Version = string;

interface Found {
  readonly path: string;
  readonly version: Version;
  readonly created: Date;
  readonly modified: Date;
  /** From the names of its parent folders: `tag=<text>`, `dataset=<id>`. */
  readonly tags: readonly string[];
  readonly datasetIds: readonly string[];
}

/**
 * Sends files of the user to the hub: each once, and again whenever it has changed. It does not move or change them; a
 * file of ours records what was sent.
 */
export class UserFiles {
  readonly #options: UserFilesOptions;
  readonly #sending = new Mutex();
  readonly #closing = new AbortController();
  #sent: Map<string, Version> | undefined;
  /** The last reported problem, so that it is reported once. */
  readonly #troubles = new Map<string, string>();

  constructor(options: UserFilesOptions) {
    this.#options = options;
  }

  /**
   * Sends new files below the paths.
   * @param restMs a file that changed within this time may still be incomplete, and waits
   * @throws {ArmatureError} `hub.unreachable`; other failures are logged, and retried the next time
   */
  send(paths: readonly string[], restMs: number): Promise<void> {
    return this.#sending.run(async () => {
      if (paths.length === 0) return;
      const sent = (this.#sent ??= await this.#load());
      const found: Found[] = [];
      for (const one of paths) await this.#find(path.resolve(one), 0, found);
      const restingBefore = this.#options.clock.now() - restMs;
      let hasChanged = false;
      try {
        for (const file of found) {
          if (this.#closing.signal.aborted) return;
          if (sent.get(file.path) === file.version || file.modified.getTime() > restingBefore) continue;
          if (!(await this.#sendOne(file))) continue;
          sent.set(file.path, file.version);
          hasChanged = true;
        }
      } finally {
        if (hasChanged) await this.#save(sent, new Set(found.map((file) => file.path)));
      }
    });
  }

  /** Stops sending, and aborts running uploads. */
  close(): void {
    this.#closing.abort();
  }

  /** @returns whether the hub has it. @throws {ArmatureError} `hub.unreachable` */
  async #sendOne(file: Found): Promise<boolean> {
    try {
      await sendFile(this.#options.hub, metadataOf(file), () => contentOf(file, this.#closing.signal), uploadId(file));
      this.#troubles.delete(file.path);
      return true;
    } catch (thrown) {
      const error = toArmatureError(thrown);
      if (error.code === 'hub.unreachable') throw error;
      if (this.#closing.signal.aborted) return false;
      this.#report(file.path, `${file.path} was not sent to the hub: ${error.message}`);
      return false;
    }
  }

  /** Links are not followed: they may lead anywhere, and in circles. */
  async #find(at: string, depth: number, found: Found[]): Promise<void> {
    try {
      const stats = await lstat(at);
      if (stats.isFile() && stats.size > 0) {
        const { size, mtimeMs, ino, birthtime: created, mtime: modified } = stats;
        found.push({ path: at, version: `${ino}:${size}:${mtimeMs}`, created, modified, ...labelsOf(at) });
      } else if (stats.isDirectory() && depth < MAX_DEPTH) {
        for (const name of (await readdir(at)).toSorted()) await this.#find(path.join(at, name), depth + 1, found);
      }
      this.#troubles.delete(at);
    } catch (thrown) {
      if (codeOf(thrown) === 'ENOENT' && depth > 0) return; // it was deleted while the folder was read
      this.#report(at, `${at}, which is to be sent to the hub, cannot be read: ${toArmatureError(thrown).message}`);
    }
  }

  #report(subject: string, message: string): void {
    if (this.#troubles.get(subject) === message) return;
    this.#troubles.set(subject, message);
    this.#options.logger.warn(message);
  }

  async #load(): Promise<Map<string, Version>> {
    const { record, logger } = this.#options;
    try {
      return new Map(Object.entries(JSON.parse(await readFile(record, 'utf8')) as Record<string, Version>));
    } catch (thrown) {
      if (codeOf(thrown) !== 'ENOENT') {
        logger.warn(`${record} cannot be read: files may be sent to the hub again. ${toArmatureError(thrown).message}`);
      }
      return new Map();
    }
  }

  /** Forgets files that no longer exist: a new file with that name is a different one. */
  async #save(sent: Map<string, Version>, isThere: ReadonlySet<string>): Promise<void> {
    for (const known of sent.keys()) if (!isThere.has(known)) sent.delete(known);
    const { record, logger } = this.#options;
    await replaceFile(record, JSON.stringify(Object.fromEntries(sent))).catch((thrown: unknown) => {
      logger.warn(`Which files were sent to the hub cannot be recorded: ${toArmatureError(thrown).message}`);
    });
  }
}

function metadataOf({ path: file, created, modified, tags, datasetIds }: Found): UploadMetadata {
  return {
    partId: '',
    componentType: '',
    componentName: '',
    methodName: '',
    type: DataType.FILE,
    fileName: file,
    methodParameters: {},
    fileExtension: path.extname(file),
    tags: [...tags],
    datasetIds: [...datasetIds],
    mimeType: '',
    fileCreateTime: created,
    fileModifyTime: modified,
  };
}

/** Folder names that describe their contents, as in the public ecosystem. */
function labelsOf(file: string): Pick<Found, 'tags' | 'datasetIds'> {
  const folders = path.dirname(file).split(path.sep);
  const labelled = (prefix: string): string[] =>
    folders
      .filter((name) => name.startsWith(prefix) && name.length > prefix.length)
      .map((name) => name.slice(prefix.length));
  return { tags: labelled('tag='), datasetIds: labelled('dataset=') };
}

function uploadId({ path: file, version }: Found): string {
  return createHash('sha256').update(`${file}\n${version}`).digest('hex').slice(0, 32);
}

/** @throws {ArmatureError} `file.unreadable` if it is not the file that was found, or changes while it is read */
async function* contentOf({ path: file, version }: Found, signal: AbortSignal): AsyncGenerator<Uint8Array> {
  // Without blocking: a pipe may have replaced it.
  const handle = await open(file, constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOFOLLOW);
  try {
    const isSame = async (): Promise<boolean> => {
      const stats = await handle.stat();
      return stats.isFile() && `${stats.ino}:${stats.size}:${stats.mtimeMs}` === version;
    };
    if (!(await isSame())) throw changed(file);
    for (;;) {
      signal.throwIfAborted();
      const { bytesRead, buffer } = await handle.read(Buffer.allocUnsafe(READ_BYTES), 0, READ_BYTES, null);
      if (bytesRead === 0) break;
      yield buffer.subarray(0, bytesRead);
    }
    if (!(await isSame())) throw changed(file);
  } finally {
    await handle.close();
  }
}

function changed(file: string): ArmatureError {
  return new ArmatureError('file.unreadable', `${file} is being changed; it is sent once it stays unchanged.`, {
    details: { path: file },
  });
}
