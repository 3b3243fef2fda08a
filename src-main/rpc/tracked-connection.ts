import { Emitter } from '../base/async/emitter.ts';
import type { Connection, TransportKind } from './call.ts';
import { limitsOfSocket, type LimitedConnection } from './limited-connection.ts';

let nextId = 1;

/** Whether an address is this computer itself, in IPv4, IPv6 or IPv4 written as IPv6. */
export function isLoopbackAddress(address: string): boolean {
  const plain = address.startsWith('::ffff:') ? address.slice(7) : address;
  return plain === '::1' || /^127\.\d{1,3}\.\d{1,3}\.\d{1,3}$/.test(plain);
}

/** The same for a host as typed by a person. */
export function isLoopbackHost(host: string): boolean {
  return host === 'localhost' || isLoopbackAddress(host);
}

/** The two ends of a connection. */
export interface SocketInfo {
  /** A connection within this computer, whatever its addresses. */
  readonly isUnixSocket?: boolean;
  readonly remoteAddress?: string | undefined;
  readonly localAddress?: string | undefined;
  readonly remotePort?: number | undefined;
  readonly localPort?: number | undefined;
}

/** The {@link Connection} of calls over a socket. Its owner reports when it has closed. */
export class TrackedConnection implements Connection {
  readonly id = `c${nextId++}`;
  readonly transport: TransportKind;
  readonly remoteAddress: string;
  readonly localAddress: string;
  readonly remotePort: number | undefined;
  readonly localPort: number | undefined;
  readonly isLoopback: boolean;
  readonly isEncrypted: boolean;
  readonly outlivesCalls: boolean;
  readonly limits: LimitedConnection | undefined;
  #closed: Emitter | undefined;
  #isClosed = false;

  constructor(socket: SocketInfo, transport: TransportKind, isEncrypted: boolean, outlivesCalls: boolean) {
    this.transport = transport;
    this.isEncrypted = isEncrypted;
    this.outlivesCalls = outlivesCalls;
    this.limits = limitsOfSocket.get(socket);
    this.isLoopback = socket.isUnixSocket === true || isLoopbackAddress(socket.remoteAddress ?? '');
    this.remoteAddress = socket.remoteAddress ?? '';
    this.localAddress = socket.localAddress ?? '';
    this.remotePort = socket.remotePort;
    this.localPort = socket.localPort;
  }

  get isClosed(): boolean {
    return this.#isClosed;
  }

  onClose(listener: () => void): () => void {
    if (this.#isClosed) {
      listener();
      return () => undefined;
    }
    this.#closed ??= new Emitter();
    return this.#closed.on(listener);
  }

  /** The socket has closed. */
  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    const closed = this.#closed;
    this.#closed = undefined;
    closed?.emit();
  }
}
