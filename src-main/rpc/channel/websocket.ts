import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import type { Socket } from 'node:net';
import type { TLSSocket } from 'node:tls';
import { WebSocketServer, type RawData, type WebSocket } from 'ws';
import type { Clock, Timer } from '../../base/clock.ts';
import type { Logger } from '../../base/logger.ts';
import type { Connection } from '../call.ts';
import { bearerToken } from '../access/access-control.ts';
import { answerText } from '../http-routes.ts';
import type { Router } from '../router.ts';
import { TrackedConnection } from '../tracked-connection.ts';
import { ChannelServer } from './channel-server.ts';
import { CloseCode, PACKET_BYTES, type MessagePipe } from './pipe.ts';

/** Where the channel is. */
export const CHANNEL_PATH = '/channel';
/** The subprotocol that a client must offer. */
export const SUBPROTOCOL = 'armature.v1';
/** A client may offer `armature.token.<token>` beside it: a browser cannot set headers on an upgrade. */
export const TOKEN_SUBPROTOCOL_PREFIX = 'armature.token.';

/** Longest WebSocket message taken: a packet with its envelope, or headers of a call, with room. */
const MAX_FRAME_BYTES = 256 * 1_024;
/** A ping this often; a peer silent for two of them is gone. */
const PING_MS = 15_000;
/** Channels at once (B12.1). */
const MAX_CHANNELS = 256;
/** `onDrain` is worth calling once this little is left in the socket. */
const LOW_WATER_BYTES = 256 * 1_024;

/** Establishes who opens a channel. */
export interface ChannelAdmission {
  admit(
    connection: Connection,
    token: string | undefined,
  ): { readonly allowed: true } | { readonly allowed: false; readonly message: string };
}

export interface WebSocketChannelsOptions {
  readonly router: Pick<Router, 'start'>;
  readonly admission: ChannelAdmission;
  readonly clock: Clock;
  readonly logger: Logger;
}

/**
 * Message channels over WebSocket: takes upgrade requests whose host and origin
 * the listener has checked, and asks for the token.
 */
export class WebSocketChannels {
  readonly #options: WebSocketChannelsOptions;
  readonly #channels = new Set<ChannelServer>();
  readonly #server = new WebSocketServer({
    noServer: true,
    perMessageDeflate: false,
    maxPayload: MAX_FRAME_BYTES,
    clientTracking: false,
    handleProtocols: () => SUBPROTOCOL,
  });

  constructor(options: WebSocketChannelsOptions) {
    this.#options = options;
  }

  get count(): number {
    return this.#channels.size;
  }

  /** Answers one upgrade request: 101, or the reason in plain text. */
  handleUpgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void {
    const admitted = this.#admit(request);
    if ('status' in admitted) {
      refuse(socket, admitted.status, admitted.message);
      return;
    }
    this.#server.handleUpgrade(request, socket, head, (websocket) => this.#serve(websocket, admitted));
  }

  /**
   * The answer to a plain GET of the channel's address: 426 where the token in
   * `authorization` would open a channel, else the refusal. A browser does not
   * tell a page why an upgrade failed; asking this way does.
   */
  answerProbe(request: IncomingMessage, response: ServerResponse): void {
    const checked = this.#checkCaller(request, undefined);
    if ('status' in checked) answerText(request, response, checked.status, checked.message);
    else answerText(request, response, 426, 'Open a WebSocket here.\n');
  }

  /** Ends every channel, for example when the server stops. */
  close(reason: string): void {
    for (const channel of [...this.#channels]) channel.close(CloseCode.GOING_AWAY, reason);
  }

  #admit(request: IncomingMessage): TrackedConnection | { readonly status: number; readonly message: string } {
    if (request.url !== CHANNEL_PATH) return { status: 404, message: `The channel is at ${CHANNEL_PATH}.\n` };
    const protocols = (request.headers['sec-websocket-protocol'] ?? '').split(',').map((protocol) => protocol.trim());
    const token = protocols.find((protocol) => protocol.startsWith(TOKEN_SUBPROTOCOL_PREFIX));
    const checked = this.#checkCaller(request, token?.slice(TOKEN_SUBPROTOCOL_PREFIX.length));
    if ('status' in checked) return checked;
    if (!protocols.includes(SUBPROTOCOL)) {
      return { status: 400, message: `Offer the WebSocket subprotocol "${SUBPROTOCOL}".\n` };
    }
    if (this.#channels.size >= MAX_CHANNELS) {
      return { status: 503, message: `There are ${MAX_CHANNELS} channels open: close one, or try again later.\n` };
    }
    return checked;
  }

  #checkCaller(
    request: IncomingMessage,
    token: string | undefined,
  ): TrackedConnection | { readonly status: number; readonly message: string } {
    const connection = connectionOf(request.socket);
    const shown = token ?? bearerToken(request.headers.authorization);
    const verdict = this.#options.admission.admit(connection, shown);
    return verdict.allowed ? connection : { status: 401, message: `${verdict.message}\n` };
  }

  #serve(websocket: WebSocket, connection: TrackedConnection): void {
    const { router, clock, logger } = this.#options;
    const pipe = new WebSocketPipe(websocket, clock);
    const channel = new ChannelServer(pipe, connection, { router, clock, logger, packetBytes: PACKET_BYTES });
    this.#channels.add(channel);
    connection.onClose(() => this.#channels.delete(channel));
  }
}

/** A WebSocket as a pipe. Text messages are refused; a peer that answers no ping is cut off. */
export class WebSocketPipe implements MessagePipe {
  onMessage: (bytes: Uint8Array) => void = () => {};
  onDrain: () => void = () => {};
  onClose: (reason: string) => void = () => {};
  readonly #websocket: WebSocket;
  readonly #pinging: Timer;
  #heardSincePing = true;

  constructor(websocket: WebSocket, clock: Clock) {
    this.#websocket = websocket;
    this.#pinging = clock.every(PING_MS, () => this.#ping());
    websocket.pause();
    websocket.on('message', (data, isBinary) => this.#receive(data, isBinary));
    websocket.on('pong', () => {
      this.#heardSincePing = true;
    });
    // 'close' follows and tells the channel; without a listener the error would end the process.
    websocket.on('error', () => {});
    websocket.on('close', (code, reason) => {
      this.#pinging.cancel();
      this.onClose(`connection closed (${code}${reason.length === 0 ? '' : `: ${reason.toString()}`})`);
    });
  }

  start(): void {
    this.#websocket.resume();
  }

  send(bytes: Uint8Array): void {
    const websocket = this.#websocket;
    if (websocket.readyState !== websocket.OPEN) return;
    if (websocket.bufferedAmount + bytes.length < LOW_WATER_BYTES) websocket.send(bytes);
    else websocket.send(bytes, () => this.#sent());
  }

  bufferedBytes(): number {
    return this.#websocket.bufferedAmount;
  }

  pause(): void {
    this.#websocket.pause();
  }

  resume(): void {
    this.#heardSincePing = true;
    this.#websocket.resume();
  }

  close(code: number, reason: string): void {
    // A paused socket would never see the peer's answer to the close frame.
    this.#websocket.resume();
    this.#websocket.close(code, reason);
  }

  #sent(): void {
    if (this.#websocket.bufferedAmount < LOW_WATER_BYTES) this.onDrain();
  }

  #receive(data: RawData, isBinary: boolean): void {
    this.#heardSincePing = true;
    if (isBinary) this.onMessage(data as Buffer);
    else this.close(CloseCode.UNSUPPORTED_DATA, 'frames are binary');
  }

  #ping(): void {
    if (!this.#heardSincePing && !this.#websocket.isPaused) {
      this.#websocket.terminate();
      return;
    }
    this.#heardSincePing = false;
    this.#websocket.ping();
  }
}

function connectionOf(socket: Socket): TrackedConnection {
  return new TrackedConnection(socket, 'channel', (socket as TLSSocket).encrypted === true, true);
}

const STATUS_TEXT: Readonly<Record<number, string>> = {
  400: 'Bad Request',
  401: 'Unauthorized',
  404: 'Not Found',
  503: 'Service Unavailable',
};

function refuse(socket: Duplex, status: number, message: string): void {
  // The peer may be gone already; there is nobody to tell.
  socket.on('error', () => {});
  socket.end(
    `HTTP/1.1 ${status} ${STATUS_TEXT[status] ?? 'Refused'}\r\n` +
      'content-type: text/plain; charset=utf-8\r\n' +
      `content-length: ${Buffer.byteLength(message)}\r\n` +
      `connection: close\r\n\r\n${message}`,
  );
}
