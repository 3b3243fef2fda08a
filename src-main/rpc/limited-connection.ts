import type { Socket } from 'node:net';
import type { ByteBudget } from './byte-budget.ts';
import { processInflation } from './grpc/gzip.ts';
import type { Principal } from './principal.ts';

/**
 * What a connection has proved: nothing; that it comes from a place where callers are accepted without a secret, by an
 * accepted call; or a secret. Calls to methods that are open to everybody prove nothing.
 */
export type ConnectionProof = 'none' | 'place' | 'secret';

/** Counts what the connections of a server hold together. */
export interface ConnectionPool {
  /** For unauthenticated connections. */
  changeRequests(count: number): void;
  changeUnprovenBytes(bytes: number): void;
  /** For connections accepted because of where they are. */
  changeUnfinishedBytes(bytes: number): void;
  /** The connection no longer counts as unauthenticated. */
  proved(connection: LimitedConnection): void;
  /** The connection is unauthenticated and sends too many calls. */
  refusedOften(connection: LimitedConnection): void;
}

/** Running open calls on one connection, authenticated or not. */
export const MAX_OPEN_CALLS = 16;
/**
 * Running requests on an unauthenticated connection. Fewer than HTTP/2 recommends (RFC 9113, 6.5.2), and only until the
 * first accepted call: everybody else waits while such requests are served.
 */
export const MAX_UNPROVEN_REQUESTS = 32;
/** Refused calls on an unauthenticated connection before it is closed. */
export const MAX_REFUSALS = 32;
/** Header bytes of one of those requests: as much as gRPC's own servers accept. */
export const MAX_UNPROVEN_HEADERS = 8 * 1024;
/** Header bytes of all of them; their messages are limited by what open methods accept. */
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

  /** Bytes of headers and of incomplete requests; 0 after authentication with a secret. */
  get bytes(): number {
    return this.#headerBytes + this.#unfinishedBytes;
  }

  /** Calls `listener` once, when a call to a method that is not open to everybody is accepted. */
  onProof(listener: () => void): void {
    this.#onProof = listener;
  }

  /** A call to a method that is not open to everybody was accepted. */
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

  /** A call was refused before its method was known. */
  refused(): void {
    if (this.#proof === 'none' && ++this.#refusals === MAX_REFUSALS) this.#pool.refusedOften(this);
  }

  /** A request has arrived over an unauthenticated connection; returns false if there are too many. */
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

  /** Incomplete requests hold so many more bytes, or fewer. */
  hold(bytes: number): void {
    if (this.#proof === 'secret' || this.#isGone) return;
    this.#unfinishedBytes += bytes;
    if (this.#proof === 'place') this.#pool.changeUnfinishedBytes(bytes);
    else this.#pool.changeUnprovenBytes(bytes);
  }

  /** A call to an open method has arrived; returns false if there are too many. */
  takeOpenCall(): boolean {
    if (this.#openCalls >= MAX_OPEN_CALLS) return false;
    this.#openCalls++;
    return true;
  }

  giveOpenCall(): void {
    this.#openCalls--;
  }

  /** It has closed, or is about to: what it holds no longer counts. */
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
