import type { Socket } from 'node:net';
import type { Clock } from '../../../base/clock.ts';
import type { Logger } from '../../../base/logger.ts';
import { MAX_MESSAGE_BYTES } from '../../../rpc/routing/call-router.ts';
import type { Connection } from '../../../rpc/call.ts';
import { openPeer } from '../../../rpc/peer/http2-peer.ts';
import { LocalServer, type Admission } from '../../../rpc/port/local-server.ts';
import type { Peer, PeerAddress } from '../../../rpc/peer/peer.ts';
import type { Router } from '../../../rpc/router.ts';
import { readdir, readlink } from 'node:fs/promises';
import { findPeerSocket, type SocketAddresses } from '../../../rpc/port/tcp-table.ts';
import { processIds, readProcess, type ProcessEntry } from '../process/process-table.ts';

/** One start of a module, as its connections need it. */
export interface ModuleSide {
  /** Name of the module. */
  readonly name: string;
  /** Id of its process; 0 while there is none. */
  readonly pid: () => number;
  readonly clock: Clock;
  readonly logger: Logger;
}

/**
 * Serves the machine's router to one start of a module, over plaintext gRPC. Callers are known to be this module: over
 * a socket, because only this user's programs may enter its folder; over a port, because the other end must belong to a
 * process of the module.
 * @param socketPath undefined uses a free TCP port of this computer
 * @throws {ArmatureError} `server.cannot_bind`
 */
export function openParent(
  { name, pid, clock, logger }: ModuleSide,
  socketPath: string | undefined,
  router: Router,
  trust: (connection: Connection, module: string) => void,
): Promise<LocalServer> {
  const admit = async (socket: Socket): Promise<Admission> => {
    const owner = socketPath === undefined ? await ownerOf(socket, pid()) : 'module';
    if (owner === 'module') return (connection) => trust(connection, name);
    // Unknown owner: the access rules treat it like any other program of this computer.
    if (owner === 'unknown') return () => undefined;
    logger.warn('A connection to the port of its machine was refused: it is of no process of this module.');
    return undefined;
  };
  return LocalServer.open({ router, clock, logger, name: `module ${name}`, socketPath, admit });
}

/**
 * Connects to a module, and refuses if another program has taken its port.
 * @throws {ArmatureError} as {@link openPeer} does
 */
export function connectToModule(
  { name, pid, clock }: ModuleSide,
  address: PeerAddress,
  signal: AbortSignal,
): Promise<Peer> {
  const whyNotPeer = async (socket: Socket): Promise<string | undefined> => {
    if (address.kind === 'unix' || (await ownerOf(socket, pid())) !== 'somebody-else') return undefined;
    return 'what listens there is no process of this module';
  };
  return openPeer(address, { clock, name: `module ${name}`, maxMessageBytes: MAX_MESSAGE_BYTES, whyNotPeer, signal });
}

/** Who holds the other end of a connection; `unknown` if the system has no list of its connections. */
export type Owner = 'module' | 'somebody-else' | 'unknown';

/**
 * Finds out whether the other end of a local connection is held by a process, by one of its group, or by one that any
 * of these started. A process whose descriptors this user may not read counts as somebody else's.
 * @param leader the process that was started, with its own group
 */
export async function ownerOf(end: SocketAddresses, leader: number): Promise<Owner> {
  const other = await findPeerSocket(end);
  if (other === 'unknown') return other;
  if (other === undefined || leader <= 0) return 'somebody-else';
  for (const pid of treeOf(leader)) {
    if (await holds(pid, other.inode)) return 'module';
  }
  return 'somebody-else';
}

/** The process, then its group, and everything they started that still has them as parents. */
function treeOf(leader: number): readonly number[] {
  const all = processIds()
    .map(readProcess)
    .filter((entry): entry is ProcessEntry => entry !== undefined);
  const found = new Set([leader]);
  for (const { pid, group } of all) if (group === leader) found.add(pid);
  // A process is listed before its children, unless process ids have wrapped around.
  for (let before = 0; before < found.size;) {
    before = found.size;
    for (const { pid, parent } of all) if (found.has(parent)) found.add(pid);
  }
  return [...found];
}

async function holds(pid: number, inode: string): Promise<boolean> {
  const folder = `/proc/${pid}/fd`;
  // It has ended, or belongs to another user.
  const descriptors = await readdir(folder).catch(() => []);
  for (const descriptor of descriptors) {
    const target = await readlink(`${folder}/${descriptor}`).catch(() => '');
    if (target === `socket:[${inode}]`) return true;
  }
  return false;
}
