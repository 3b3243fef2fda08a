import { WebSocket } from 'ws';
import type { Status } from '../../src-main/base/status.ts';
import { systemClock } from '../../src-main/base/clock.ts';
import { ChannelClient } from '../../src-main/rpc/channel/channel-client.ts';
import { PACKET_BYTES } from '../../src-main/rpc/channel/pipe.ts';
import { SUBPROTOCOL, TOKEN_SUBPROTOCOL_PREFIX, WebSocketPipe } from '../../src-main/rpc/channel/websocket.ts';
import { localConnection } from '../../src-main/rpc/routing/local-call.ts';
import { callPeer, streamFromPeer, type StartCall } from '../../src-main/rpc/peer/outbound-call.ts';
import type { RequestOf, ResponseOf, ServiceDefinition } from '../../src-main/rpc/service.ts';

export interface PageChannelOptions {
  /** The launch token, or a token from Authenticate. */
  readonly token: string;
  /** Opens the channel of this part of the fleet. */
  readonly part?: string;
  /** Certificate to trust, PEM. */
  readonly authority?: string;
}

const here = localConnection('page');
const codes = { unreachable: 'hub.unreachable', refused: 'access.unauthenticated' } as const;
const CALL_LIMIT_MS = 15_000;

/** The message channel of a page, without the page. */
export class PageChannel {
  readonly #client: ChannelClient;

  private constructor(client: ChannelClient) {
    this.#client = client;
  }

  /** Rejects with HTTP status and text of a refusal: `404 There is no part ...`. */
  static open(url: string, { token, part, authority }: PageChannelOptions): Promise<PageChannel> {
    const address = `${url.replace('http', 'ws')}/channel${part === undefined ? '' : `?part=${part}`}`;
    const protocols = [SUBPROTOCOL, `${TOKEN_SUBPROTOCOL_PREFIX}${token}`];
    const socket = new WebSocket(address, protocols, authority === undefined ? {} : { ca: authority });
    return new Promise((resolve, reject) => {
      socket.once('error', reject);
      socket.once('unexpected-response', (_request, response) => {
        let text = '';
        response.on('data', (bytes: Buffer) => (text += bytes.toString()));
        response.on('end', () => reject(new Error(`${response.statusCode ?? 0} ${text}`)));
      });
      socket.once('open', () => {
        const pipe = new WebSocketPipe(socket, systemClock);
        const options = { clock: systemClock, packetBytes: PACKET_BYTES, onClosed: () => undefined };
        resolve(new PageChannel(new ChannelClient(pipe, options)));
      });
    });
  }

  /** Rejects with an ArmatureError. */
  call<D extends ServiceDefinition, K extends keyof D['methods'] & string>(
    service: D,
    method: K,
    request: RequestOf<D['methods'][K]>,
    metadata: Readonly<Record<string, string>> = {},
  ): Promise<ResponseOf<D['methods'][K]>> {
    return callPeer(this.#start, service, method, request, { timeoutMs: CALL_LIMIT_MS, codes, metadata });
  }

  stream<D extends ServiceDefinition, K extends keyof D['methods'] & string>(
    service: D,
    method: K,
    request: RequestOf<D['methods'][K]>,
    metadata: Readonly<Record<string, string>> = {},
  ): AsyncGenerator<ResponseOf<D['methods'][K]>> {
    return streamFromPeer(this.#start, service, method, request, { timeoutMs: undefined, codes, metadata });
  }

  /** Makes a call with any path and bytes. Settles with its status, OK as soon as there is an answer. */
  probe(path: string, bytes: Uint8Array): Promise<Status> {
    return new Promise((resolve) => {
      const sink = this.#start(path, {}, CALL_LIMIT_MS, {
        headers: () => undefined,
        message: () => {
          resolve({ code: 0, message: '' });
          sink.cancel('enough is known');
          return undefined;
        },
        end: resolve,
      });
      void sink.message(bytes);
      sink.halfClose();
    });
  }

  close(): void {
    this.#client.close('the page was closed');
  }

  readonly #start: StartCall = (path, metadata, timeoutMs, responder) =>
    this.#client.start({ path, metadata, timeoutMs, connection: here }, responder);
}
