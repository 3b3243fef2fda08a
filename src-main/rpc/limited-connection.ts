import type { Socket } from 'node:net';
import type { ByteBudget } from './byte-budget.ts';
import { processInflation } from './grpc/gzip.ts';
import type { Principal } from './principal.ts';

/**
 * What a connection has shown: nothing; that it is where callers are let in without a secret, by a call that was; or
 * a secret. A call that anybody may make shows nothing.
 */
export type ConnectionProof = 'none' | 'place' | 'secret';

/** Who counts what the connections of a server hold together. */
export interface ConnectionPool {
  /** Of those that have proved nothing. */
  changeRequests(count: number): void;
  changeUnprovenBytes(bytes: number): void;
  /** Of those that were let in for where they are. */
  changeUnfinishedBytes(bytes: number): void;
  /** It does not count as one that has proved nothing any more. */
  proved(connection: LimitedConnection): void;
  /** It has proved nothing and does not stop to call. */
  refusedOften(connection: LimitedConnection): void;
}

/** Running open calls on one connection, authenticated or not. */
export const MAX_OPEN_CALLS = 16;
/**
 * Requests under way on a connection that has proved nothing. Fewer than HTTP/2 recommends (RFC 9113, 6.5.2), and for no
 * longer than the first call takes: what all connections may ask at once is what everybody else waits for.
 */
export const MAX_UNPROVEN_REQUESTS = 32;
/** Calls that are refused to a connection that has proved nothing, before it is closed. */
export const MAX_REFUSALS = 32;
/** Headers of one of those: as much as gRPC's own servers take without complaint. */
export const MAX_UNPROVEN_HEADERS = 8 * 1024;
/** Headers of all of those; their messages are limited by what open calls accept. */
const MAX_UNPROVEN_HEADER_BYTES = 64 * 1024;

/** One connection for the limits: its authentication, and what it holds. */
export class LimitedConnection {
  readonly socket: Socket;
  /** As `addressGroup` names it. */
  readonly address: string;
  readonly isFromHere: boolean;
  /** Monotonic time, milliseconds. */
  readonly since: number;
  /** Room for compressed requests. */
  readonly inflated: ByteBudget = processInflation.share();
  /** Calls under way, and when the last one came, monotonic milliseconds. Kept by the calls themselves. */
  calls = 0;
  lastCallAt = 0;
  readonly #pool: ConnectionPool;
  #proof: ConnectionProof = 'none';
  #onProof: (() => void) | undefined;
  #openCalls = 0;
  #requests = 0;
  #headerBytes = 0;
  #unfinishedBytes = 0;
  #refusals = 0;
  #isGone = false;

  constructor(socket: Socket, address: string, isFromHere: boolean, since: number, pool: ConnectionPool) {
    this.socket = socket;
    this.address = address;
    this.isFromHere = isFromHere;
    this.since = since;
    this.#pool = pool;
  }

  get proof(): ConnectionProof {
    return this.#proof;
  }

  get requests(): number {
    return this.#requests;
  }

  /** Of headers and of requests that are not whole; 0 for one that has shown a secret. */
  get bytes(): number {
    return this.#headerBytes + this.#unfinishedBytes;
  }

  /** Calls back once, when a call that not everybody may make is let in. */
  onProof(listener: () => void): void {
    this.#onProof = listener;
  }

  /** A call that not everybody may make was let in. */
  prove(by: Principal['kind']): void {
    const proof = by === 'loopback' || by === 'anonymous' ? 'place' : 'secret';
    const before = this.#proof;
    if (before === proof || before === 'secret' || this.#isGone) return;
    const unfinished = this.#unfinishedBytes;
    this.#releaseBudget();
    this.#proof = proof;
    if (proof === 'place') this.hold(unfinished);
    if (before !== 'none') return;
    this.#pool.proved(this);
    this.#onProof?.();
  }

  /** A call was refused before its method was looked at. */
  refused(): void {
    if (this.#proof === 'none' && ++this.#refusals === MAX_REFUSALS) this.#pool.refusedOften(this);
  }

  /** A request has come over a connection that has proved nothing; false where that is too much. */
  takeRequest(headerBytes: number, mostRequests = MAX_UNPROVEN_REQUESTS): boolean {
    if (this.#isGone || this.#requests >= mostRequests || this.#headerBytes + headerBytes > MAX_UNPROVEN_HEADER_BYTES)
      return false;
    this.#requests++;
    this.#headerBytes += headerBytes;
    this.#pool.changeRequests(1);
    this.#pool.changeUnprovenBytes(headerBytes);
    return true;
  }

  /** The request has ended. */
  giveRequest(headerBytes: number): void {
    // Its bytes were released when the connection authenticated, or closed.
    if (this.#requests === 0) return;
    this.#requests--;
    this.#headerBytes -= headerBytes;
    this.#pool.changeRequests(-1);
    this.#pool.changeUnprovenBytes(-headerBytes);
  }

  /** Incomplete requests hold so many bytes more, or fewer. */
  hold(bytes: number): void {
    if (this.#proof === 'secret' || this.#isGone) return;
    this.#unfinishedBytes += bytes;
    if (this.#proof === 'place') this.#pool.changeUnfinishedBytes(bytes);
    else this.#pool.changeUnprovenBytes(bytes);
  }

  /** A call that anybody may make has come; false where there are too many. */
  takeOpenCall(): boolean {
    if (this.#openCalls >= MAX_OPEN_CALLS) return false;
    this.#openCalls++;
    return true;
  }

  giveOpenCall(): void {
    this.#openCalls--;
  }

  /** It is closed, or about to be: what it holds no longer counts. */
  leave(): void {
    if (this.#isGone) return;
    this.#isGone = true;
    this.#releaseBudget();
  }

  #releaseBudget(): void {
    if (this.#proof === 'none') {
      this.#pool.changeRequests(-this.#requests);
      this.#pool.changeUnprovenBytes(-this.bytes);
    } else {
      this.#pool.changeUnfinishedBytes(-this.#unfinishedBytes);
    }
    this.#requests = 0;
    this.#headerBytes = 0;
    this.#unfinishedBytes = 0;
  }
}

/** The limited connection of a socket; none for sockets that no listener accepted. */
export const limitsOfSocket = new WeakMap<object, LimitedConnection>();

/** What the headers of a request hold, roughly: bytes of names and values. */
export function headerBytesOf(headers: Readonly<Record<string, string | string[] | undefined>>): number {
  let bytes = 0;
  for (const key in headers) bytes += key.length + String(headers[key]).length;
  return bytes;
}
