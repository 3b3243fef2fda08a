import { createReadStream } from 'node:fs';
import { mkdir, stat } from 'node:fs/promises';
import { Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';
import { ArmatureError, codeOf } from '../../../base/errors.ts';
import { readTar, tarLimits, type TarLimits } from '../../../base/tar/read-tar.ts';
import { FREE_FLOOR_BYTES, toWriteError } from '../install/file-errors.ts';
import { UnpackedFolder } from './unpacked-folder.ts';

/** Chunk size of zlib: with its default of 16 kB the calls cost more than the memory saves. */
const CHUNK_BYTES = 128 * 1024;

export interface UnpackOptions {
  /** A `.tar.gz`. */
  readonly archive: string;
  /** Created; must not exist yet. */
  readonly folder: string;
  readonly signal: AbortSignal;
  /** Called with the total number of archive bytes read. */
  readonly onRead?: (bytes: number) => void;
  readonly limits?: TarLimits;
  readonly freeFloorBytes?: number;
}

/**
 * Unpacks an untrusted archive. Nothing is written outside `folder`; only files, folders and links inside it are
 * created, links last; everything is on the disk when this settles. If it fails, the caller deletes the incomplete
 * folder.
 * @throws {ArmatureError} `module.bad_package`, `module.no_space`, `file.unwritable`; else errors of the file system
 */
export async function unpack(options: UnpackOptions): Promise<void> {
  const { archive, folder, signal } = options;
  const { size: archiveBytes } = await stat(archive);
  await mkdir(folder, { mode: 0o755 });
  const unpacked = new UnpackedFolder(folder, options.freeFloorBytes ?? FREE_FLOOR_BYTES);
  const takeAll = async (bytes: AsyncIterable<Uint8Array>): Promise<void> => {
    for await (const entry of readTar(bytes, { archiveBytes, limits: options.limits ?? tarLimits, refuse })) {
      signal.throwIfAborted();
      await unpacked.take(entry);
    }
  };
  try {
    const gunzip = createGunzip({ chunkSize: CHUNK_BYTES });
    await pipeline(createReadStream(archive), counter(options), gunzip, takeAll, { signal });
    await unpacked.end();
  } catch (thrown) {
    await unpacked.abandon();
    signal.throwIfAborted();
    throw toUnpackError(folder, thrown);
  }
}

function refuse(why: string): ArmatureError {
  return new ArmatureError('module.bad_package', why);
}

function counter({ onRead }: UnpackOptions): Transform {
  let read = 0;
  return new Transform({
    transform: (chunk: Buffer, _encoding, done) => {
      read += chunk.length;
      onRead?.(read);
      done(null, chunk);
    },
  });
}

function toUnpackError(folder: string, thrown: unknown): unknown {
  if (thrown instanceof ArmatureError) return thrown;
  const fault = toWriteError(folder, thrown);
  if (fault !== thrown || !(thrown instanceof Error)) return fault;
  const code = codeOf(thrown);
  if (code.startsWith('Z_')) {
    return new ArmatureError('module.bad_package', `it is no whole .tar.gz (${thrown.message})`, { cause: thrown });
  }
  return thrown;
}
