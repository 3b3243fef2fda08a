import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { cp, mkdir, mkdtemp, readFile, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { ArmatureError } from '../../base/errors.ts';
import { packFolder } from './archive.ts';

/** What authors of modules import. The scope is ours; nothing of it is in a public registry. */
export const SDK_NAME = '@armature-machine/module';

/** The SDK as npm installs it from a file. */
export interface SdkPackage {
  /** Name of the file. */
  readonly file: string;
  readonly version: string;
  /** Its SHA-512 as npm writes it (https://www.w3.org/TR/SRI/). */
  readonly integrity: string;
  readonly bytes: Buffer;
}

/**
 * Packs the SDK of this program, the same bytes each time.
 * @param root folder of the installed program
 * @throws {ArmatureError} `file.unreadable` where it is not built
 */
export async function packSdk(root: string): Promise<SdkPackage> {
  const built = builtSdk(root);
  const { version } = JSON.parse(await readFile(path.join(built, 'package.json'), 'utf8')) as { version: string };
  const file = `armature-module-${version}.tgz`;
  const folder = await mkdtemp(path.join(os.tmpdir(), 'armature-sdk-'));
  try {
    // npm leaves out the first folder of every path.
    await cp(built, path.join(folder, 'in/package'), { recursive: true });
    await packFolder(path.join(folder, 'in'), path.join(folder, file));
    const bytes = await readFile(path.join(folder, file));
    return { file, version, integrity: `sha512-${createHash('sha512').update(bytes).digest('base64')}`, bytes };
  } finally {
    await rm(folder, { recursive: true });
  }
}

/** As `npm install` would, with what the program has: editor and tests work at once, with no network. */
export async function installSdk(folder: string, root: string): Promise<void> {
  const types = ['@types/node', 'undici-types'].map((name) => [name, path.join(root, 'node_modules', name)] as const);
  for (const [name, from] of [[SDK_NAME, builtSdk(root)] as const, ...types]) {
    if (!existsSync(from)) continue;
    // A copy: a link would lead nowhere once the program is moved.
    const to = path.join(folder, 'node_modules', name);
    await mkdir(path.dirname(to), { recursive: true });
    await cp(from, to, { recursive: true, dereference: true });
  }
}

function builtSdk(root: string): string {
  const folder = path.join(root, 'dist/module');
  if (existsSync(path.join(folder, 'package.json'))) return folder;
  throw new ArmatureError('file.unreadable', `There is no ${folder}: run "npm run build" in ${root} first.`);
}
