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
  /** Made for one module: no other program has this user. */
  readonly isOwn: boolean;
}

/**
 * Numbers that no distribution and no service gives away: systemd lists 1879048192 to 2147483647 as unused
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
 * Whom a module runs as where the server is root. A program that a person keeps in a folder of theirs is theirs, and runs
 * as they would run it.
 */
export async function userOf(executable: string, home: string, module: string): Promise<ModuleUser> {
  const own = ownUser(home, module);
  if (isWithin(executable, home)) return own;
  const found = await stat(executable).catch(() => undefined);
  if (found === undefined || found.uid === 0 || found.uid >= FIRST_UID) return own;
  return { uid: found.uid, gid: found.gid, isOwn: false };
}

/** Groups that own devices, where they exist: what a person is put into to use them. */
const deviceGroups = ['gpio', 'i2c', 'spi', 'dialout', 'uucp', 'video', 'render', 'input', 'audio', 'plugdev'];

/** Ids of the groups of devices of this computer. */
export async function deviceGroupIds(file = '/etc/group'): Promise<readonly number[]> {
  const text = await readFile(file, 'utf8').catch(() => '');
  return text.split('\n').flatMap((line) => {
    const [name = '', , id = ''] = line.split(':');
    return deviceGroups.includes(name) && /^\d+$/.test(id) ? Number(id) : [];
  });
}

/** Name and home of the account of a user, where the computer knows one of this number. */
export async function accountOf(
  uid: number,
  file = '/etc/passwd',
): Promise<{ readonly name: string; readonly home: string } | undefined> {
  const text = await readFile(file, 'utf8').catch(() => '');
  const fields = text.split('\n').map((line) => line.split(':'));
  const [name = '', , , , , home = ''] = fields.find(([, , id]) => id === String(uid)) ?? [];
  return name === '' ? undefined : { name, home };
}

/** Gives a folder and all in it to a user, if it is not theirs. Links are not followed. */
export async function giveTo(folder: string, { uid, gid }: Pick<ModuleUser, 'uid' | 'gid'>): Promise<void> {
  if ((await lstat(folder)).uid === uid) return;
  await promisify(execFile)('chown', ['-R', '-h', '--', `${uid}:${gid}`, folder]);
}

/** Packages are in folders by kind, organization and name. */
const PACKAGE_DEPTH = 3;

/**
 * Lets other users pass through the folders with packages; the folder around them decides who gets there. Modules do
 * not need folders that begin with a dot.
 */
export async function openPackages(folder: string, depth = PACKAGE_DEPTH): Promise<void> {
  const found = await lstat(folder).catch(() => undefined);
  if (found?.isDirectory() !== true) return;
  if (found.uid === 0 && (found.mode & 0o005) !== 0o005) await chmod(folder, 0o755);
  if (depth === 0) return;
  const names = (await readdir(folder)).filter((name) => !name.startsWith('.'));
  await Promise.all(names.map((name) => openPackages(path.join(folder, name), depth - 1)));
}

/** The outermost folder around a path that a user may not enter; undefined where there is none. */
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

/** @throws {ArmatureError} `module.failed` where a user may not run this file, with what to do */
export async function checkMayRun(executable: string, root: string, user: ModuleUser): Promise<void> {
  const [file, folder] = await Promise.all([executable, root].map((one) => stat(one).catch(() => undefined)));
  // The start itself reports a missing program, and one that may not be run.
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

/** Whether reading and running, or entering, is allowed. */
function mayUse(found: Stats, { uid, gid }: ModuleUser): boolean {
  const shift = found.uid === uid ? 6 : found.gid === gid ? 3 : 0;
  return ((found.mode >> shift) & 0o5) === 0o5;
}
