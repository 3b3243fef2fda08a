import { closeSync, constants, fstatSync, openSync, readSync, statSync, type Stats } from 'node:fs';
import { open, stat, type FileHandle } from 'node:fs/promises';
import { ArmatureError, codeOf } from '../errors.ts';

/**
 * Files with paths from outside: a configuration, a certificate, what a sensor reads. Only regular files are read, and
 * only up to the size that their reader can use. Reading a pipe would wait for its writer, a device may be endless, and
 * opening some devices has an effect (a watchdog starts to count). So the file's type is checked before it is opened
 * without blocking, and again afterwards, because another file may have replaced it.
 */

/** Without O_NONBLOCK, opening a pipe without a writer never returns, and no signal ends that thread. */
const FLAGS = constants.O_RDONLY | constants.O_NONBLOCK;
/** Buffer size for a file whose size is given as 0, as in /proc. */
const MIN_ROOM = 4_096;

/**
 * All of a regular file, read at once.
 * @param mostBytes maximum size
 * @throws {ArmatureError} `file.unreadable`, or `file.too_large`; `details.reason` is the part after the path
 */
export async function readBoundedFile(path: string, mostBytes: number): Promise<Buffer> {
  let file: FileHandle | undefined;
  try {
    requireRegular(path, await stat(path));
    file = await open(path, FLAGS);
    const found = await file.stat();
    requireRegular(path, found);
    const content = new Content(path, found.size, mostBytes);
    for (;;) {
      const room = content.room();
      // No position: files of /proc are read sequentially.
      const { bytesRead } = await file.read(room, 0, room.length, null);
      if (bytesRead === 0) return content.bytes();
      content.add(bytesRead);
    }
  } catch (thrown) {
    throw toReadError(path, thrown);
  } finally {
    await file?.close().catch(() => {
      // The content has been read: a failure to close does not matter.
    });
  }
}

/** {@link readBoundedFile}, synchronously. */
export function readBoundedFileSync(path: string, mostBytes: number): Buffer {
  let file: number | undefined;
  try {
    requireRegular(path, statSync(path));
    file = openSync(path, FLAGS);
    const found = fstatSync(file);
    requireRegular(path, found);
    const content = new Content(path, found.size, mostBytes);
    for (;;) {
      const room = content.room();
      const bytesRead = readSync(file, room, 0, room.length, null);
      if (bytesRead === 0) return content.bytes();
      content.add(bytesRead);
    }
  } catch (thrown) {
    throw toReadError(path, thrown);
  } finally {
    if (file !== undefined) closeSync(file);
  }
}

/** The bytes read so far: at most one more than is allowed, which shows that the file is too large. */
class Content {
  readonly #path: string;
  readonly #most: number;
  #buffer: Buffer;
  #length = 0;

  constructor(path: string, size: number, most: number) {
    this.#path = path;
    this.#most = most;
    this.#buffer = Buffer.allocUnsafe(Math.min(Math.max(size, MIN_ROOM), most) + 1);
  }

  room(): Buffer {
    if (this.#length === this.#buffer.length) {
      const larger = Buffer.allocUnsafe(Math.min(this.#length * 2, this.#most + 1));
      this.#buffer.copy(larger, 0, 0, this.#length);
      this.#buffer = larger;
    }
    return this.#buffer.subarray(this.#length);
  }

  add(bytes: number): void {
    this.#length += bytes;
    if (this.#length > this.#most) throw failure('file.too_large', this.#path, `it has more than ${this.#most} bytes`);
  }

  bytes(): Buffer {
    return this.#buffer.subarray(0, this.#length);
  }
}

function requireRegular(path: string, found: Stats): void {
  if (found.isFile()) return;
  throw failure('file.unreadable', path, `it is ${found.isDirectory() ? 'a folder' : 'a pipe or a device'}`);
}

function failure(code: 'file.unreadable' | 'file.too_large', path: string, reason: string, cause?: unknown) {
  const details = { path, reason, cause: codeOf(cause) };
  return new ArmatureError(code, `${path} cannot be read: ${reason}.`, { cause, details });
}

const reasons: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such file',
  EACCES: 'this user may not read it',
  EPERM: 'this user may not read it',
  ENOTDIR: 'a part of the path is no folder',
  ELOOP: 'its links lead in a circle',
  ENXIO: 'it is a pipe or a device',
};

function toReadError(path: string, thrown: unknown): ArmatureError {
  if (thrown instanceof ArmatureError) return thrown;
  const reason = reasons[codeOf(thrown)] ?? (thrown instanceof Error ? thrown.message : String(thrown));
  return failure('file.unreadable', path, reason, thrown);
}
