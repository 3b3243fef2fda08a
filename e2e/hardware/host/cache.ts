import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, rename, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';

const folder = path.join(process.env['XDG_CACHE_HOME'] || path.join(os.homedir(), '.cache'), 'armature');

/**
 * A folder that is built once from its inputs and found again by their hash. It is created atomically, even when two
 * programs build it at once.
 * @param make fills the given folder
 * @returns the folder's path
 */
export async function cached(
  name: string,
  ingredients: readonly string[],
  make: (folder: string) => Promise<void>,
): Promise<string> {
  const hash = createHash('sha256').update(JSON.stringify(ingredients)).digest('hex').slice(0, 16);
  const place = path.join(folder, `${name}-${hash}`);
  if (existsSync(place)) return place;
  await mkdir(folder, { recursive: true });
  const unfinished = await mkdtemp(`${place}.unfinished-`);
  try {
    await make(unfinished);
    await rename(unfinished, place).catch((error: NodeJS.ErrnoException) => {
      // Another program has just created the same folder.
      if (error.code !== 'ENOTEMPTY' && error.code !== 'EEXIST') throw error;
    });
  } finally {
    await rm(unfinished, { recursive: true, force: true });
  }
  return place;
}
