import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import type { Stats } from 'node:fs';
import { chmod, lstat, readdir, readFile, stat } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { ArmatureError } from '../../../base/errors.ts';
import { isWithin } from './mount-script.ts';

/** A user and group of this computer, by number. */
export interface ModuleUser {
  readonly uid: number;
  readonly gid: number;
  /** Created for one module: no other program runs as this user. */
  readonly isOwn: boolean;
}

/**
 * Numbers that no distribution or service assigns: systemd lists 1879048192 to 2147483647 as unused
 * (systemd.io/UIDS-GIDS).
 */
const FIRST_UID = 1_879_048_192;
const UID_BITS = 28;

/** The module's own user: the same at every start, and different for every name and home. */
export function ownUser(home: string, module: string): ModuleUser {
  const digest = createHash('sha256').update(`${home}\0${module}`).digest();
  const uid = FIRST_UID + (digest.readUInt32BE(0) >>> (32 - UID_BITS));
  return { uid, gid: uid, isOwn: true };
}

/**
 * The user that a module runs as if the server is root. A program in a person's own folder runs as that person, as if
 * the person had started it.
 */
export async function userOf(executable: string, home: string, module: string): Promise<ModuleUser> {
  const own = ownUser(home, module);
  if (isWithin(executable, home)) return own;
  const found = await stat(executable).catch(() => undefined);
  if (found === undefined || found.uid === 0 || found.uid >= FIRST_UID) return own;
  return { uid: found.uid, gid: found.gid, isOwn: false };
}

/** Groups that own devices, where they exist: people join them to use the devices. */
const deviceGroups = ['gpio', 'i2c', 'spi', 'dialout', 'uucp', 'video', 'render', 'input', 'audio', 'plugdev'];

/** Ids of the device groups of this computer. */
export async function deviceGroupIds(file = '/etc/group'): Promise<readonly number[]> {
  const text = await readFile(file, 'utf8').catch(() => '');
  return text.split('\n').flatMap((line) => {
    const [name = '', , id = ''] = line.split(':');
    return deviceGroups.includes(name) && /^\d+$/.test(id) ? Number(id) : [];
  });
}

/** Name and home of a user's account, if the computer has one with this number. */
export async function accountOf(
  uid: number,
  file = '/etc/passwd',
): Promise<{ readonly name: string; readonly home: string } | undefined> {
  const text = await readFile(file, 'utf8').catch(() => '');
  const fields = text.split('\n').map((line) => line.split(':'));
  const [name = '', , , , , home = ''] = fields.find(([, , id]) => id === String(uid)) ?? [];
  return name === '' ? undefined : { name, home };
}

/** Gives a folder and everything in it to a user, unless it is the user's already. Links are not followed. */
export async function giveTo(folder: string, { uid, gid }: Pick<ModuleUser, 'uid' | 'gid'>): Promise<void> {
  if ((await lstat(folder)).uid === uid) return;
  await promisify(execFile)('chown', ['-R', '-h', '--', `${uid}:${gid}`, folder]);
}

/** Packages are stored in folders by kind, organization and name. */
const PACKAGE_DEPTH = 3;

/**
 * Lets other users pass through the folders of packages; access is controlled by the folder around them. Modules do not
 * need folders whose names begin with a dot.
 */
export async function openPackages(folder: string, depth = PACKAGE_DEPTH): Promise<void> {
  const found = await lstat(folder).catch(() => undefined);
  if (found?.isDirectory() !== true) return;
  if (found.uid === 0 && (found.mode & 0o005) !== 0o005) await chmod(folder, 0o755);
  if (depth === 0) return;
  const names = (await readdir(folder)).filter((name) => !name.startsWith('.'));
  await Promise.all(names.map((name) => openPackages(path.join(folder, name), depth - 1)));
}

/** The outermost folder on a path that a user may not enter; undefined if there is none. */
export async function closedFolderAround(
  target: string,
  { uid }: Pick<ModuleUser, 'uid'>,
): Promise<string | undefined> {
  const names = path.resolve(target).split('/').slice(1, -1);
  let folder = '/';
  for (const name of names) {
    folder = path.join(folder, name);
    const found = await stat(folder).catch(() => undefined);
    if (found !== undefined && (found.mode & (found.uid === uid ? 0o100 : 0o001)) === 0) return folder;
  }
  return undefined;
}

/** @throws {ArmatureError} `module.failed` if a user may not run this file, with what to do about it */
export async function checkMayRun(executable: string, root: string, user: ModuleUser): Promise<void> {
  const [file, folder] = await Promise.all([executable, root].map((one) => stat(one).catch(() => undefined)));
  // A missing program, or one that is not executable, is reported by the start itself.
  if (file === undefined || folder === undefined || (file.mode & 0o111) === 0) return;
  const closed = mayUse(folder, user) ? (mayUse(file, user) ? undefined : executable) : root;
  if (closed === undefined) return;
  const who = user.isOwn
    ? `the user of its own that the module runs as (${user.uid})`
    : `user ${user.uid}, who owns it`;
  throw new ArmatureError(
    'module.failed',
    `${closed} cannot be read by ${who}. Let others read it (chmod -R o+rX ${root}), ` +
      'or set "isolation": "none" to run the module as root',
  );
}

/** Whether the user may read and execute the file, or enter the folder. */
function mayUse(found: Stats, { uid, gid }: ModuleUser): boolean {
  const shift = found.uid === uid ? 6 : found.gid === gid ? 3 : 0;
  return ((found.mode >> shift) & 0o5) === 0o5;
}
