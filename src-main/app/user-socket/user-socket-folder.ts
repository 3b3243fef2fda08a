import { chmodSync, lstatSync, mkdirSync, readdirSync, rmSync, type Stats } from 'node:fs';
import { connect } from 'node:net';
import path from 'node:path';
import { ArmatureError, toArmatureError } from '../../base/errors.ts';
import { revisionOf } from '../../base/revision.ts';

/** Folder of the sockets of all servers with one home. */
const folderIn = (home: string): string => path.join(home, 'run');

/**
 * The socket of the server that listens on a port of this computer.
 * @returns its path; undefined where this user may open none
 */
export function findUserSocket(home: string, port: number): Promise<string | undefined> {
  return findServed(home, (name) => name.startsWith(`${port}-`) && name.endsWith('.sock'));
}

/** The same for the server that runs a configuration, whatever its port. */
export function findMachineSocket(home: string, configPath: string): Promise<string | undefined> {
  const end = socketEnd(machineOf(configPath));
  return findServed(home, (name) => name.endsWith(end));
}

/** Name of the socket of a server, by its port and its configuration. */
export function socketName(port: number, configPath: string): string {
  return `${port}${socketEnd(machineOf(configPath))}`;
}

const machineOf = (configPath: string): string => revisionOf(path.resolve(configPath));
const socketEnd = (machine: string): string => `-${machine}.sock`;

async function findServed(home: string, isWanted: (name: string) => boolean): Promise<string | undefined> {
  const folder = folderIn(home);
  if (process.platform === 'win32' || whyUnsafe(folder, isMineOrIAmRoot) !== undefined) return undefined;
  for (const name of readdirSync(folder).filter(isWanted)) {
    const socket = path.join(folder, name);
    if (await isServed(socket)) return socket;
  }
  return undefined;
}

/** Makes the folder, or checks that no other user can have written to it. @throws {ArmatureError} `file.unwritable` */
export function makeSocketFolder(home: string): string {
  const folder = folderIn(home);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const reason = whyUnsafe(folder, isMine);
  if (reason !== undefined) {
    throw new ArmatureError('file.unwritable', `${folder} ${reason}`, { details: { path: folder } });
  }
  chmodSync(folder, 0o700);
  return folder;
}

const isMine = ({ uid }: Stats): boolean => uid === process.geteuid?.();
const isMineOrIAmRoot = (stats: Stats): boolean => isMine(stats) || process.geteuid?.() === 0;

/** Why other users may have written to a folder; undefined where they cannot. */
function whyUnsafe(folder: string, isOwned: (stats: Stats) => boolean): string | undefined {
  let stats: Stats;
  try {
    stats = lstatSync(folder);
  } catch (thrown) {
    return toArmatureError(thrown).message;
  }
  if (stats.isSymbolicLink()) return 'is a link; remove it';
  if (!stats.isDirectory()) return 'is no folder; remove it';
  if (!isOwned(stats)) return `belongs to another user (${stats.uid}); remove it`;
  if ((stats.mode & 0o022) !== 0) return 'can be written by others; empty it, and then: chmod 700';
  return undefined;
}

/** Removes what a server that was killed has left; one that still runs with this configuration keeps its own. */
export async function removeStaleSockets(folder: string, configPath: string): Promise<void> {
  const end = socketEnd(machineOf(configPath));
  for (const name of readdirSync(folder)) {
    const file = path.join(folder, name);
    if (!name.endsWith(end) || !lstatSync(file, { throwIfNoEntry: false })?.isSocket()) continue;
    if (!(await isServed(file))) rmSync(file, { force: true });
  }
}

function isServed(socketPath: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(socketPath);
    socket.once('connect', () => {
      socket.destroy();
      resolve(true);
    });
    socket.once('error', () => resolve(false));
  });
}
