import { createReadStream } from 'node:fs';
import { lstat, readdir } from 'node:fs/promises';
import path from 'node:path';
import { pipeline } from 'node:stream/promises';
import type { Pack } from 'tar-stream';
import { addFile, tarGzip } from '../../../base/tar/tar-gzip.ts';

/**
 * Everything in a folder as a gzip of a tar archive, read at the pace of whoever takes it. Links are left out: they lead
 * away from it.
 * @param texts files that are in it instead of what the folder has under their names
 */
export function packFolder(folder: string, texts: ReadonlyMap<string, string> = new Map()): AsyncGenerator<Uint8Array> {
  return tarGzip((tar) => write(tar, folder, texts));
}

/** Paths of all files in a folder, in their order. */
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
