import { createReadStream } from 'node:fs';
import { Crc32c } from '@aws-sdk/checksums/crc';
import { tarLimits, type TarLimits } from '../../../base/tar/read-tar.ts';
import { badPackage } from './archive-tree.ts';
import { readArchive } from './read-archive.ts';

/** A file of a package. */
export interface PackedFile {
  readonly name: string;
  /** Bytes. */
  readonly size: number;
}

/** What a checked package of any files is found to be. */
export interface FilesFacts {
  /** The first {@link MOST_FILES}. */
  readonly files: readonly PackedFile[];
  /** CRC-32C of the archive, big-endian, base64: what public clients compare. */
  readonly crc32c: string;
}

/** Files that are told of: lists of packages would be megabytes otherwise. */
const MOST_FILES = 1_000;

/**
 * Checks a package that is no module: whole, nothing of it outside, at least one file in it.
 * @param file a gzip of a tar archive
 * @throws {ArmatureError} `registry.bad_package` naming what is wrong
 */
export async function checkFiles(file: string, limits: TarLimits = tarLimits): Promise<FilesFacts> {
  const files: PackedFile[] = [];
  let count = 0;
  const note = (name: string, size: number): boolean => {
    if (++count <= MOST_FILES) files.push({ name, size });
    return false;
  };
  await readArchive(file, note, limits);
  if (count === 0) throw badPackage('it has no file');
  const crc = new Crc32c();
  for await (const chunk of createReadStream(file)) crc.update(chunk as Buffer);
  return { files, crc32c: Buffer.from(await crc.digest()).toString('base64') };
}
