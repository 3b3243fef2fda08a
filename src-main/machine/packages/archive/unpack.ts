import { createReadStream } from 'node:fs';
import { mkdir, stat } from 'node:fs/promises';
import { Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';
import { ArmatureError, codeOf } from '../../../base/errors.ts';
import { readTar, tarLimits, type TarLimits } from '../../../base/tar/read-tar.ts';
import { FREE_FLOOR_BYTES, toWriteError } from '../install/file-errors.ts';
import { UnpackedFolder } from './unpacked-folder.ts';

/** What zlib gives at a time: its own 16 kB cost more in calls than in memory. */
const CHUNK_BYTES = 128 * 1024;

export interface UnpackOptions {
  /** A `.tar.gz`. */
  readonly archive: string;
  /** Made; there must be nothing yet. */
  readonly folder: string;
  readonly signal: AbortSignal;
  /** Told of bytes of the archive that were read, all together. */
  readonly onRead?: (bytes: number) => void;
  readonly limits?: TarLimits;
  readonly freeFloorBytes?: number;
}

/**
 * Unpacks an archive that nobody needs to trust: nothing is written outside `folder`, only files, folders and links to
 * inside are made, links last, and everything is on the disk when this settles. Where it fails the folder is left half
 * made, for the caller to remove.
 * @throws {ArmatureError} `module.bad_package`, `module.no_space`, `file.unwritable`; else what the file system says
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
