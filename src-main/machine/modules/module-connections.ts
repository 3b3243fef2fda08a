import type { Socket } from 'node:net';
import type { Clock } from '../../base/clock.ts';
import type { Logger } from '../../base/logger.ts';
import { MAX_MESSAGE_BYTES } from '../../rpc/call-router.ts';
import type { Connection } from '../../rpc/call.ts';
import { openPeer } from '../../rpc/http2-peer.ts';
import { LocalServer, type Admission } from '../../rpc/local-server.ts';
import type { Peer, PeerAddress } from '../../rpc/peer.ts';
import type { Router } from '../../rpc/router.ts';
import { ownerOf } from './connection-owner.ts';

/** One start of a module, for its connections. */
export interface ModuleSide {
  /** Name of the module. */
  readonly name: string;
  /** Its process; 0 before there is one. */
  readonly pid: () => number;
  readonly clock: Clock;
  readonly logger: Logger;
}

/**
 * Opens the machine to one start of a module: the router over plaintext gRPC, so that whoever calls is known to be
 * this module. Over a socket it is because only this user, and what that runs, may enter its folder; over a port
 * because the other end has to be held by a process of the module.
 * @param socketPath undefined takes a free TCP port of this computer
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
    // Nobody can tell: then it is a program of this computer like any other, which the access rules know.
    if (owner === 'unknown') return () => undefined;
    logger.warn('A connection to the port of its machine was refused: it is of no process of this module.');
    return undefined;
  };
  return LocalServer.open({ router, clock, logger, name: `module ${name}`, socketPath, admit });
}

/**
 * Connects to a module, and to nobody who took its port before it did.
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
