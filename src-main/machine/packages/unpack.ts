import { createReadStream } from 'node:fs';
import { mkdir, stat } from 'node:fs/promises';
import { Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';
import { ArmatureError, codeOf } from '../../base/errors.ts';
import { archiveLimits, type ArchiveLimits } from './archive-rules.ts';
import { FREE_FLOOR_BYTES, writeFault } from './file-faults.ts';
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
  readonly limits?: ArchiveLimits;
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
  // A machine that unpacks nothing need not read it at its start.
  const { extract } = await import('tar-stream');
  const { size: archiveBytes } = await stat(archive);
  await mkdir(folder, { mode: 0o755 });
  const reader = extract();
  const piped = pipeline(
    createReadStream(archive),
    counter(options),
    createGunzip({ chunkSize: CHUNK_BYTES }),
    reader,
    { signal },
  );
  // The loop below sees the same failure, or one of its own that comes before it.
  piped.catch(() => undefined);
  const unpacked = new UnpackedFolder(folder, {
    archiveBytes,
    limits: options.limits ?? archiveLimits,
    freeFloorBytes: options.freeFloorBytes ?? FREE_FLOOR_BYTES,
  });
  try {
    for await (const entry of reader) {
      signal.throwIfAborted();
      await unpacked.take(entry);
    }
    await piped;
    await unpacked.end();
  } catch (thrown) {
    reader.destroy();
    await unpacked.abandon();
    signal.throwIfAborted();
    throw faultOf(folder, thrown);
  }
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

function faultOf(folder: string, thrown: unknown): unknown {
  if (thrown instanceof ArmatureError) return thrown;
  const fault = writeFault(folder, thrown);
  if (fault !== thrown || !(thrown instanceof Error)) return fault;
  const code = codeOf(thrown);
  // What zlib and the reader of archives find; the file system has codes of its own.
  if (code.startsWith('Z_') || code === '' || code === 'ERR_STREAM_PREMATURE_CLOSE') {
    return new ArmatureError('module.bad_package', `it is no whole .tar.gz (${thrown.message})`, { cause: thrown });
  }
  return thrown;
}
