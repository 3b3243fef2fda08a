import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import type { Socket } from 'node:net';
import type { TLSSocket } from 'node:tls';
import type { RawData, WebSocket, WebSocketServer } from 'ws';
import type { Clock, Timer } from '../../base/clock.ts';
import { toArmatureError } from '../../base/errors.ts';
import type { Logger } from '../../base/logger.ts';
import type { Connection } from '../call.ts';
import { bearerToken } from '../access/access-control.ts';
import { answerText } from '../port/http-routes.ts';
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
/** Ping interval; a peer that is silent for two intervals has gone. */
const PING_MS = 15_000;
/** Most channels at once. */
const MAX_CHANNELS = 256;
/** `onDrain` is called when this little is left in the socket. */
const LOW_WATER_BYTES = 256 * 1_024;

/** Authenticates the opener of a channel. */
export interface ChannelAdmission {
  admit(connection: Connection, token: string | undefined): Admission | Promise<Admission>;
}

export type Admission =
  | {
      readonly allowed: true;
      /** Calls `listener` when the caller is not admitted any more. Returns an unsubscribe function. */
      readonly onRevoked?: (listener: () => void) => () => void;
    }
  | { readonly allowed: false; readonly message: string };

/** Target of the calls of one channel. */
export interface ChannelTarget {
  readonly router: Pick<Router, 'start'>;
  /**
   * Calls `listener` when the channel is no longer valid and the client must reconnect. Returns an unsubscribe
   * function.
   */
  onMoved?(listener: () => void): () => void;
  /** The channel has closed, and its calls have ended. */
  close?(): void;
}

/** Another server must open the channel. */
export interface ChannelElsewhere {
  /**
   * Forwards the request with everything that follows. Settles when the connection is over. If it could not be
   * established, returns a refusal. Never rejects.
   */
  readonly forward: (request: IncomingMessage, socket: Duplex, head: Buffer) => Promise<ChannelRefusal | undefined>;
}

/** Why a channel is not opened: an HTTP status, and a sentence. */
export interface ChannelRefusal {
  readonly status: number;
  readonly message: string;
}

export interface WebSocketChannelsOptions {
  readonly router: Pick<Router, 'start'>;
  /** Routes `?part=<id>` to that part of the fleet, after the caller is authenticated; undefined if there is no hub. */
  readonly openPart?: (
    partId: string,
    connection: Connection,
    headers: IncomingHttpHeaders,
  ) => Promise<ChannelTarget | ChannelElsewhere | ChannelRefusal>;
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
  /** Channels opened by another server. */
  readonly #forwarded = new Set<Duplex>();
  #server: Promise<WebSocketServer> | undefined;

  constructor(options: WebSocketChannelsOptions) {
    this.#options = options;
  }

  get count(): number {
    return this.#channels.size + this.#forwarded.size;
  }

  /** Answers one upgrade request: 101, or the reason in plain text. Never rejects. */
  async handleUpgrade(request: IncomingMessage, socket: Duplex, head: Buffer): Promise<void> {
    // Until the WebSocket exists, nothing else listens for errors, and an error without a listener would end the
    // process.
    const ignore = (): void => {};
    socket.on('error', ignore);
    try {
      const admitted = await this.#admit(request);
      if ('status' in admitted) {
        refuse(socket, admitted);
        return;
      }
      if ('forward' in admitted) {
        this.#forwarded.add(socket);
        const refusal = await admitted.forward(request, socket, head).finally(() => this.#forwarded.delete(socket));
        if (refusal !== undefined) refuse(socket, refusal);
        return;
      }
      const server = await (this.#server ??= openServer());
      if (socket.destroyed) {
        admitted.target.close?.();
      } else {
        server.handleUpgrade(request, socket, head, (websocket) => this.#serve(websocket, admitted));
        socket.off('error', ignore);
      }
    } catch (thrown) {
      refuse(socket, this.#failed(thrown));
    }
  }

  /**
   * The answer to a plain GET of the channel's address: 426 where the token in
   * `authorization` would open a channel, else the refusal. A browser does not
   * tell a page why an upgrade failed; asking this way does. Never rejects.
   */
  async answerProbe(request: IncomingMessage, response: ServerResponse): Promise<void> {
    try {
      const opened = await this.#open(request, undefined);
      if ('status' in opened) {
        answerText(request, response, opened.status, opened.message);
        return;
      }
      if ('target' in opened) opened.target.close?.();
      answerText(request, response, 426, 'Open a WebSocket here.\n');
    } catch (thrown) {
      const { status, message } = this.#failed(thrown);
      answerText(request, response, status, message);
    }
  }

  /** Closes every channel, for example when the server stops. */
  close(reason: string): void {
    for (const channel of [...this.#channels]) channel.close(CloseCode.GOING_AWAY, reason);
    for (const socket of this.#forwarded) socket.destroy();
  }

  async #admit(request: IncomingMessage): Promise<Opened | ChannelElsewhere | ChannelRefusal> {
    const protocols = (request.headers['sec-websocket-protocol'] ?? '').split(',').map((protocol) => protocol.trim());
    const token = protocols.find((protocol) => protocol.startsWith(TOKEN_SUBPROTOCOL_PREFIX));
    const opened = await this.#open(request, token?.slice(TOKEN_SUBPROTOCOL_PREFIX.length));
    if ('status' in opened) return opened;
    const refusal = this.#refusalOf(protocols);
    if (refusal === undefined) return opened;
    if ('target' in opened) opened.target.close?.();
    return refusal;
  }

  #refusalOf(protocols: readonly string[]): ChannelRefusal | undefined {
    if (!protocols.includes(SUBPROTOCOL)) {
      return { status: 400, message: `Offer the WebSocket subprotocol "${SUBPROTOCOL}".\n` };
    }
    if (this.count >= MAX_CHANNELS) {
      return { status: 503, message: `There are ${MAX_CHANNELS} channels open: close one, or try again later.\n` };
    }
    return undefined;
  }

  /** Authenticates the caller, then determines the target of the calls. */
  async #open(
    request: IncomingMessage,
    token: string | undefined,
  ): Promise<Opened | ChannelElsewhere | ChannelRefusal> {
    const { router, admission, openPart } = this.#options;
    const [path, query = ''] = (request.url ?? '').split('?', 2);
    const { part: partId, ...others } = Object.fromEntries(new URLSearchParams(query));
    // A token does not belong in an address: addresses are stored and logged.
    if (path !== CHANNEL_PATH || Object.keys(others).length > 0) {
      return {
        status: 404,
        message: `The channel is at ${CHANNEL_PATH}, that of a part at ${CHANNEL_PATH}?part=ID.\n`,
      };
    }
    const connection = connectionOf(request.socket);
    const verdict = await admission.admit(connection, token ?? bearerToken(request.headers.authorization));
    if (!verdict.allowed) return { status: 401, message: `${verdict.message}\n` };
    // A channel accepts a token from any caller and place.
    connection.limits?.prove('api-key');
    const { onRevoked } = verdict;
    if (partId === undefined) return { connection, target: { router }, onRevoked };
    if (openPart === undefined) {
      return { status: 404, message: 'There is no hub here, so no other part can be reached: leave out "?part=".\n' };
    }
    const target = await openPart(partId, connection, request.headers);
    if ('forward' in target) return target;
    if ('status' in target) return { status: target.status, message: `${target.message}\n` };
    return { connection, target, onRevoked };
  }

  #failed(thrown: unknown): ChannelRefusal {
    const { message } = toArmatureError(thrown);
    this.#options.logger.warn(`a channel was not opened: ${message}`);
    return { status: 503, message: `${message}\n` };
  }

  #serve(websocket: WebSocket, { connection, target, onRevoked }: Opened): void {
    const { clock, logger } = this.#options;
    const pipe = new WebSocketPipe(websocket, clock);
    const { router } = target;
    const channel = new ChannelServer(pipe, connection, { router, clock, logger, packetBytes: PACKET_BYTES });
    this.#channels.add(channel);
    const forget = target.onMoved?.(() => channel.close(CloseCode.GOING_AWAY, 'the machine is elsewhere now'));
    const forgetRevoked = onRevoked?.(() => {
      // It may be the channel of the call that signed it out, which first gets its answer.
      setImmediate(() => channel.close(CloseCode.GOING_AWAY, 'this browser is signed out'));
    });
    connection.onClose(() => {
      this.#channels.delete(channel);
      forget?.();
      forgetRevoked?.();
      // Its calls are cancelled first.
      queueMicrotask(() => target.close?.());
    });
  }
}

/** Loaded when a page first opens a channel: a start does not wait for it. */
async function openServer(): Promise<WebSocketServer> {
  const { WebSocketServer } = await import('ws');
  return new WebSocketServer({
    noServer: true,
    perMessageDeflate: false,
    maxPayload: MAX_FRAME_BYTES,
    clientTracking: false,
    handleProtocols: () => SUBPROTOCOL,
  });
}

/** A channel about to be served. */
interface Opened {
  readonly connection: TrackedConnection;
  readonly target: ChannelTarget;
  readonly onRevoked: ((listener: () => void) => () => void) | undefined;
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
    // A paused socket would never receive the peer's answer to the close frame.
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

function refuse(socket: Duplex, { status, message }: ChannelRefusal): void {
  socket.end(
    `HTTP/1.1 ${status} ${STATUS_TEXT[status] ?? 'Refused'}\r\n` +
      'content-type: text/plain; charset=utf-8\r\n' +
      `content-length: ${Buffer.byteLength(message)}\r\n` +
      `connection: close\r\n\r\n${message}`,
  );
}
