import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, rename, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';

const folder = path.join(process.env['XDG_CACHE_HOME'] || path.join(os.homedir(), '.cache'), 'armature');

/**
 * A folder that is made once from its ingredients and found again by their hash: whole or not at all, also when two
 * programs make it at once.
 * @param make fills the folder that it is given
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
      // Somebody else has just made the same.
      if (error.code !== 'ENOTEMPTY' && error.code !== 'EEXIST') throw error;
    });
  } finally {
    await rm(unfinished, { recursive: true, force: true });
  }
  return place;
}
