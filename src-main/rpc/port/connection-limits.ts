import type { Socket } from 'node:net';
import type { Clock } from '../../base/clock.ts';
import type { Logger } from '../../base/logger.ts';
import { addressGroup } from '../access/failure-limit.ts';
import { LimitedConnection, limitsOfSocket, type ConnectionPool } from '../limited-connection.ts';
import { isLoopbackAddress } from '../tracked-connection.ts';

/** The limits of connections to a server. */
export interface ConnectionLimits {
  readonly total: number;
  /**
   * Limit for callers from other computers, so that a person at this computer can always connect, for example to stop
   * it.
   */
  readonly fromElsewhere: number;
  /** Most unauthenticated connections. When there is one more, the oldest of the address with the most is closed. */
  readonly unproven: number;
  /** Most of those from one address; when there is one more, its oldest is closed. */
  readonly unprovenPerAddress: number;
  /**
   * Most running requests on unauthenticated connections. When there is one more, the connection with the most is
   * closed.
   */
  readonly unprovenRequests: number;
  /** Most bytes of headers of those requests, and of incomplete requests; handled likewise. */
  readonly unprovenBytes: number;
  /** Most bytes of incomplete requests from callers accepted because of where they are; handled likewise. */
  readonly unfinishedBytes: number;
}

const MEBIBYTE = 1024 * 1024;

/**
 * For a machine. It allows as many unauthenticated connections from one address as the kernel hands over at once (511),
 * so that a caller among them is served before all are replaced.
 */
export const MACHINE_LIMITS: ConnectionLimits = {
  total: 1_024,
  fromElsewhere: 768,
  unproven: 768,
  unprovenPerAddress: 512,
  unprovenRequests: 2_048,
  unprovenBytes: 16 * MEBIBYTE,
  unfinishedBytes: 128 * MEBIBYTE,
};

/** A new connection from another computer is about to authenticate, as when a whole fleet connects at once. */
const YOUNG_MS = 1_000;
/** At most one log line in this time, with the number of refused connections. */
const QUIET_MS = 10_000;

/**
 * Limits connections. Only a few may be unauthenticated, but they keep nobody out: for a new one, an older one is
 * closed. An authenticated one is never closed for another.
 */
export class ConnectionLimiter implements ConnectionPool {
  readonly #limits: ConnectionLimits;
  readonly #clock: Clock;
  readonly #logger: Logger;
  readonly #all = new Set<LimitedConnection>();
  /** By address, oldest first. */
  readonly #unproven = new Map<string, Set<LimitedConnection>>();
  readonly #byEnds = new Map<string, LimitedConnection>();
  #unprovenCount = 0;
  #fromElsewhere = 0;
  #requests = 0;
  #unprovenBytes = 0;
  #unfinishedBytes = 0;
  #quietUntil = -Infinity;
  #suppressed = 0;

  constructor(limits: ConnectionLimits, clock: Clock, logger: Logger) {
    this.#limits = limits;
    this.#clock = clock;
    this.#logger = logger;
  }

  /** Connections that are open. */
  get size(): number {
    return this.#all.size;
  }

  get sockets(): readonly Socket[] {
    return [...this.#all].map(({ socket }) => socket);
  }

  /** Accepts a connection, or closes it if there is no room. */
  admit(socket: Socket): LimitedConnection | undefined {
    const { remoteAddress = '' } = socket;
    const isFromHere = isLoopbackAddress(remoteAddress);
    const address = addressGroup(remoteAddress);
    if (!this.#makeRoom(address, isFromHere)) {
      this.#report(`a connection from ${remoteAddress} was refused`);
      socket.destroy();
      return undefined;
    }
    const connection = new LimitedConnection(socket, address, isFromHere, this.#clock.monotonic(), this);
    this.#all.add(connection);
    if (!isFromHere) this.#fromElsewhere++;
    const ofAddress = this.#unproven.get(address);
    if (ofAddress === undefined) this.#unproven.set(address, new Set([connection]));
    else ofAddress.add(connection);
    this.#unprovenCount++;
    limitsOfSocket.set(socket, connection);
    const ends = endsOf(socket);
    this.#byEnds.set(ends, connection);
    socket.once('close', () => {
      this.#remove(connection);
      if (this.#byEnds.get(ends) === connection) this.#byEnds.delete(ends);
    });
    return connection;
  }

  /** Makes the limits of a connection available for the socket that TLS created on top of it. */
  follow(encrypted: Socket): void {
    const connection = this.#byEnds.get(endsOf(encrypted));
    if (connection !== undefined) limitsOfSocket.set(encrypted, connection);
  }

  // What a connection says of itself.

  changeRequests(count: number): void {
    this.#requests += count;
    if (count > 0 && this.#requests > this.#limits.unprovenRequests) this.#closeWorst(({ requests }) => requests);
  }

  changeUnprovenBytes(bytes: number): void {
    this.#unprovenBytes += bytes;
    if (bytes > 0 && this.#unprovenBytes > this.#limits.unprovenBytes) this.#closeWorst(({ bytes: held }) => held);
  }

  changeUnfinishedBytes(bytes: number): void {
    this.#unfinishedBytes += bytes;
    if (bytes <= 0 || this.#unfinishedBytes <= this.#limits.unfinishedBytes) return;
    let worst: LimitedConnection | undefined;
    for (const connection of this.#all) {
      if (connection.proof === 'place' && connection.bytes > (worst?.bytes ?? 0)) worst = connection;
    }
    if (worst !== undefined) this.#close(worst, 'which was let in without a secret and sent the most, was closed');
  }

  proved(connection: LimitedConnection): void {
    this.#forgetUnproven(connection);
  }

  refusedOften(connection: LimitedConnection): void {
    this.#close(connection, 'which had proved nothing and did not stop to call, was closed');
  }

  // Making room.

  #makeRoom(address: string, isFromHere: boolean): boolean {
    const { total, fromElsewhere, unproven, unprovenPerAddress } = this.#limits;
    const ofAddress = this.#unproven.get(address);
    if (ofAddress !== undefined && ofAddress.size >= unprovenPerAddress) this.#closeUnproven(oldest(ofAddress));
    if (this.#unprovenCount >= unproven && !this.#closeOldest(address, isFromHere)) return false;
    if (this.#all.size < total && (isFromHere || this.#fromElsewhere < fromElsewhere)) return true;
    return this.#closeOldest(address, isFromHere) || this.#closeIdle(isFromHere);
  }

  /**
   * Closes the oldest connection of the address with the most. Connections from this computer are not closed for new
   * ones from elsewhere.
   */
  #closeOldest(newcomer: string, isFromHere: boolean): boolean {
    let fullest: Set<LimitedConnection> | undefined;
    for (const connections of this.#unproven.values()) {
      if (!isFromHere && oldest(connections).isFromHere) continue;
      if (connections.size > (fullest?.size ?? 0)) fullest = connections;
    }
    if (fullest === undefined) return false;
    const connection = oldest(fullest);
    const isCrowdOfMany = fullest.size <= (this.#unproven.get(newcomer)?.size ?? 0) + 1;
    if (!isFromHere && isCrowdOfMany && this.#clock.monotonic() - connection.since < YOUNG_MS) return false;
    this.#closeUnproven(connection);
    return true;
  }

  /** Closes the connection that was accepted because of where it is, and has been without a call for longest. */
  #closeIdle(isFromHere: boolean): boolean {
    let idle: LimitedConnection | undefined;
    for (const connection of this.#all) {
      if (connection.proof !== 'place' || connection.calls > 0 || (!isFromHere && connection.isFromHere)) continue;
      if (idle === undefined || connection.lastCallAt < idle.lastCallAt) idle = connection;
    }
    if (idle === undefined) return false;
    this.#close(idle, 'which was let in without a secret and did nothing, was closed for another one');
    return true;
  }

  #closeWorst(held: (connection: LimitedConnection) => number): void {
    let worst: LimitedConnection | undefined;
    for (const connections of this.#unproven.values()) {
      for (const connection of connections) {
        if (worst === undefined || held(connection) > held(worst)) worst = connection;
      }
    }
    if (worst !== undefined) this.#close(worst, 'which had proved nothing and asked for the most, was closed');
  }

  #closeUnproven(connection: LimitedConnection): void {
    this.#close(connection, 'which had proved nothing, was closed for another one');
  }

  #close(connection: LimitedConnection, why: string): void {
    this.#report(`the connection from ${connection.socket.remoteAddress ?? 'somebody who is gone'}, ${why}`);
    // It no longer counts from now on, not only when the socket has closed.
    this.#remove(connection);
    connection.socket.destroy();
  }

  #remove(connection: LimitedConnection): void {
    if (!this.#all.delete(connection)) return;
    if (!connection.isFromHere) this.#fromElsewhere--;
    if (connection.proof === 'none') this.#forgetUnproven(connection);
    connection.leave();
  }

  #forgetUnproven(connection: LimitedConnection): void {
    const ofAddress = this.#unproven.get(connection.address);
    if (ofAddress?.delete(connection) !== true) return;
    this.#unprovenCount--;
    if (ofAddress.size === 0) this.#unproven.delete(connection.address);
  }

  #report(what: string): void {
    const now = this.#clock.monotonic();
    if (now < this.#quietUntil) {
      this.#suppressed++;
      return;
    }
    this.#quietUntil = now + QUIET_MS;
    const { total, fromElsewhere, unproven } = this.#limits;
    this.#logger.warn(
      `Too many connections: ${what}. This server takes ${total}, ${fromElsewhere} from other computers, and ${unproven} that have proved nothing.`,
      { more: this.#suppressed },
    );
    this.#suppressed = 0;
  }
}

function oldest(connections: ReadonlySet<LimitedConnection>): LimitedConnection {
  // No set of the table above is empty.
  return connections.values().next().value as LimitedConnection;
}

function endsOf({ remoteAddress, remotePort, localAddress }: Socket): string {
  return `${remoteAddress ?? ''} ${remotePort ?? 0} ${localAddress ?? ''}`;
}
