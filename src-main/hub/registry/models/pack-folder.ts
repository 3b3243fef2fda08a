import { createReadStream } from 'node:fs';
import { lstat, readdir } from 'node:fs/promises';
import path from 'node:path';
import { pipeline } from 'node:stream/promises';
import type { Pack } from 'tar-stream';
import { addFile, tarGzip } from '../../../base/tar/tar-gzip.ts';

/**
 * Packs all files of a folder into a gzipped tar archive, as fast as the consumer reads. Links are left out because
 * they may point outside the folder.
 * @param texts files by name, which replace files of the folder with the same name
 */
export function packFolder(folder: string, texts: ReadonlyMap<string, string> = new Map()): AsyncGenerator<Uint8Array> {
  return tarGzip((tar) => write(tar, folder, texts));
}

/** Sorted paths of all files in a folder, relative to it, with "/". */
export async function filesIn(folder: string): Promise<readonly string[]> {
  const found = await readdir(folder, { recursive: true, withFileTypes: true });
  return found
    .filter((entry) => entry.isFile())
    .map((entry) => path.relative(folder, path.join(entry.parentPath, entry.name)).split(path.sep).join('/'))
    .sort();
}

async function write(tar: Pack, folder: string, texts: ReadonlyMap<string, string>): Promise<void> {
  for (const [name, text] of texts) await addFile(tar, { name, mode: 0o644 }, text);
  for (const name of await filesIn(folder)) {
    if (texts.has(name)) continue;
    const file = path.join(folder, name);
    const { size, mtime } = await lstat(file);
    await pipeline(
      createReadStream(file),
      tar.entry({ name, mtime, mode: 0o644, size }, () => undefined),
    );
  }
  tar.finalize();
}
