import type { Clock } from '../../base/clock.ts';
import type { Logger } from '../../base/logger.ts';
import type { Router } from '../router.ts';
import { TrackedConnection } from '../tracked-connection.ts';
import { ChannelServer } from './channel-server.ts';
import { CloseCode, PACKET_BYTES, type MessagePipe } from './pipe.ts';

/** What we need of Electron's `MessagePortMain`. */
export interface MainPort {
  on(event: 'message', listener: (event: { readonly data: unknown }) => void): unknown;
  on(event: 'close', listener: () => void): unknown;
  postMessage(message: unknown): void;
  start(): void;
  close(): void;
}

/** The receiver reports every so many bytes to the sender. */
const ACKNOWLEDGE_BYTES = 65_536;

/** A port does not leave the computer. */
const THIS_COMPUTER = { remoteAddress: '127.0.0.1', localAddress: '127.0.0.1' };

export interface PortChannelOptions {
  readonly router: Pick<Router, 'start'>;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Called before the first call, so that the connection can be trusted (AccessControl.trustOwnWindow). */
  readonly onConnection: (connection: TrackedConnection) => void;
}

/** A connection as the desktop window has it. @param onConnection as in {@link PortChannelOptions} */
export function desktopWindowConnection(onConnection: PortChannelOptions['onConnection']): TrackedConnection {
  const connection = new TrackedConnection(THIS_COMPUTER, 'channel', true, true);
  onConnection(connection);
  return connection;
}

/** Serves the desktop window over one end of a message channel. */
export function servePort(port: MainPort, options: PortChannelOptions): ChannelServer {
  const { router, clock, logger } = options;
  const connection = desktopWindowConnection(options.onConnection);
  return new ChannelServer(new PortPipe(port), connection, { router, clock, logger, packetBytes: PACKET_BYTES });
}

/**
 * A message port as a pipe. A port does not show how much is waiting in it, so each side posts the number of bytes that
 * it has read from time to time. A paused side posts none, and the other side soon stops sending.
 */
export class PortPipe implements MessagePipe {
  onMessage: (bytes: Uint8Array) => void = () => {};
  onDrain: () => void = () => {};
  onClose: (reason: string) => void = () => {};
  readonly #port: MainPort;
  #unacknowledgedBytes = 0;
  #takenBytes = 0;
  #isPaused = false;
  #isClosed = false;

  constructor(port: MainPort) {
    this.#port = port;
    port.on('message', ({ data }) => this.#receive(data));
    port.on('close', () => this.#ended('the window closed'));
  }

  start(): void {
    this.#port.start();
  }

  send(bytes: Uint8Array): void {
    if (this.#isClosed) return;
    this.#unacknowledgedBytes += bytes.length;
    this.#port.postMessage(bytes);
  }

  bufferedBytes(): number {
    return this.#unacknowledgedBytes;
  }

  pause(): void {
    this.#isPaused = true;
  }

  resume(): void {
    this.#isPaused = false;
    this.#acknowledge();
  }

  close(_code: number, reason: string): void {
    if (this.#isClosed) return;
    this.#port.close();
    this.#ended(reason);
  }

  #receive(data: unknown): void {
    if (this.#isClosed) return;
    if (typeof data === 'number') {
      this.#unacknowledgedBytes -= data;
      this.onDrain();
    } else if (data instanceof Uint8Array) {
      this.#takenBytes += data.length;
      this.onMessage(data);
      this.#acknowledge();
    } else {
      this.close(CloseCode.UNSUPPORTED_DATA, 'frames are binary');
    }
  }

  #acknowledge(): void {
    if (this.#isPaused || this.#isClosed || this.#takenBytes < ACKNOWLEDGE_BYTES) return;
    this.#port.postMessage(this.#takenBytes);
    this.#takenBytes = 0;
  }

  #ended(reason: string): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.onClose(reason);
  }
}
