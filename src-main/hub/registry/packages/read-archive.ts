import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { buffer } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';
import { readTar, type TarLimits } from '../../../base/tar/read-tar.ts';
import { ArchiveTree, badPackage, pathOf } from './archive-tree.ts';

/** Output chunks of zlib. The default of 16 kB costs more in calls than larger ones cost in memory. */
const CHUNK_BYTES = 128 * 1024;

export interface ReadArchive {
  readonly tree: ArchiveTree;
  /** Content of the wanted files, by path. */
  readonly contents: ReadonlyMap<string, Buffer>;
}

/**
 * Reads a package as a machine would, without unpacking it. Checks that it is complete and nothing in it leads outside.
 * @param file a gzipped tar archive
 * @param wants whether to keep the content of a file, given its path and size in bytes
 * @throws {ArmatureError} `registry.bad_package` naming what is wrong
 */
export async function readArchive(
  file: string,
  wants: (path: string, bytes: number) => boolean,
  limits: TarLimits,
): Promise<ReadArchive> {
  const tree = new ArchiveTree();
  const contents = new Map<string, Buffer>();
  const { size: archiveBytes } = await stat(file);
  const readAll = async (bytes: AsyncIterable<Uint8Array>): Promise<void> => {
    for await (const entry of readTar(bytes, { archiveBytes, limits, refuse: badPackage })) {
      tree.add(entry);
      const path = pathOf(entry.name);
      if (entry.kind === 'file' && wants(path, entry.bytes)) contents.set(path, await buffer(entry.chunks()));
    }
  };
  try {
    await pipeline(createReadStream(file), createGunzip({ chunkSize: CHUNK_BYTES }), readAll);
  } catch (thrown) {
    throw isOfGzip(thrown) ? badPackage(`it is no whole gzip file (${thrown.message})`) : thrown;
  }
  tree.check();
  return { tree, contents };
}

function isOfGzip(thrown: unknown): thrown is Error {
  return thrown instanceof Error && /^Z_/.test((thrown as NodeJS.ErrnoException).code ?? '');
}
