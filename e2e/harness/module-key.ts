import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import type { OwnerKey } from './hub-process.ts';
import type { ServerProcess } from './server-process.ts';

/** The file in which a machine stores the key that its modules get as `SVC_API_KEY_ID` and `SVC_API_KEY`. */
export async function moduleKeyFile({ home }: ServerProcess): Promise<string> {
  const files = await readdir(home, { recursive: true });
  const name = files.find((file) => /(^|\/)module-key-[^/]*\.json$/.test(file));
  if (name === undefined) throw new Error(`the home ${home} has no module key: ${files.join(', ')}`);
  return path.join(home, name);
}

/** The key in that file. */
export async function moduleKeyOf(server: ServerProcess): Promise<OwnerKey> {
  const { id, key } = JSON.parse(await readFile(await moduleKeyFile(server), 'utf8')) as { id: string; key: string };
  return { id, secret: key };
}
