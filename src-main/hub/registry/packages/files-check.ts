import { createReadStream } from 'node:fs';
import { Crc32c } from '@aws-sdk/checksums/crc';
import { tarLimits, type TarLimits } from '../../../base/tar/read-tar.ts';
import { badPackage } from './archive-tree.ts';
import { readArchive } from './read-archive.ts';

/** A file in a package. */
export interface PackedFile {
  readonly name: string;
  /** In bytes. */
  readonly size: number;
}

/** What the check of a package of any files found. */
export interface FilesFacts {
  /** At most the first {@link MAX_LISTED_FILES}. */
  readonly files: readonly PackedFile[];
  /** CRC-32C of the archive (big-endian, base64), which public clients compare. */
  readonly crc32c: string;
}

/** Files that are listed for a package. Otherwise a list of packages could have megabytes. */
const MAX_LISTED_FILES = 1_000;

/**
 * Checks a package other than a module: it is complete, nothing in it leads outside, and it has at least one file.
 * @param file a gzipped tar archive
 * @throws {ArmatureError} `registry.bad_package` naming what is wrong
 */
export async function checkFiles(file: string, limits: TarLimits = tarLimits): Promise<FilesFacts> {
  const files: PackedFile[] = [];
  let count = 0;
  const note = (name: string, size: number): boolean => {
    if (++count <= MAX_LISTED_FILES) files.push({ name, size });
    return false;
  };
  await readArchive(file, note, limits);
  if (count === 0) throw badPackage('it has no file');
  const crc = new Crc32c();
  for await (const chunk of createReadStream(file)) crc.update(chunk as Buffer);
  return { files, crc32c: Buffer.from(await crc.digest()).toString('base64') };
}
