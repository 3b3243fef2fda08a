import { ConnectError, type Connector, type LinkPipe } from '../pipe.ts';

const SUBPROTOCOL = 'armature.v1';
const TOKEN_SUBPROTOCOL_PREFIX = 'armature.token.';
/** A browser has no event for a drained buffer: while the buffer is large, it is checked this often. */
const DRAIN_CHECK_MS = 10;
const LOW_WATER_BYTES = 262_144;
/** A host that is down does not answer, and the browser would wait for minutes. */
const CONNECT_TIMEOUT_MS = 10_000;

export interface WebSocketConnectorOptions {
  /** `ws://` or `wss://` address of the channel. */
  readonly url: string;
  /** Launch token or access token; it goes into the subprotocol, never into the address. Undefined: none is known. */
  readonly token: () => string | undefined;
}

/**
 * The address of the channel of the server that a page (`location.href`) came from.
 * @param partId the part to reach; '' for the machine or the hub that serves the page
 */
export function channelUrl(pageUrl: string, partId: string): string {
  const url = new URL('/channel', pageUrl);
  if (partId !== '') url.searchParams.set('part', partId);
  url.protocol = url.protocol === 'https:' ? 'wss:' : 'ws:';
  return url.href;
}

/** Connects over WebSocket. */
export function webSocketConnector(options: WebSocketConnectorOptions): Connector {
  return { connect: (signal) => connect(options.url, options.token(), signal) };
}

async function connect(url: string, token: string | undefined, signal: AbortSignal): Promise<LinkPipe> {
  const protocols = token === undefined ? [SUBPROTOCOL] : [SUBPROTOCOL, TOKEN_SUBPROTOCOL_PREFIX + token];
  const socket = new WebSocket(url, protocols);
  socket.binaryType = 'arraybuffer';
  const end = AbortSignal.any([signal, AbortSignal.timeout(CONNECT_TIMEOUT_MS)]);
  const onEnd = (): void => socket.close();
  end.addEventListener('abort', onEnd);
  const isOpen = await new Promise<boolean>((resolve) => {
    socket.onopen = () => resolve(true);
    socket.onclose = () => resolve(false);
  });
  end.removeEventListener('abort', onEnd);
  if (isOpen) return new WebSocketPipe(socket);
  throw await connectError(url, token, end);
}

/** The browser does not say why an upgrade failed; a plain request to the same address does. */
async function connectError(url: string, token: string | undefined, signal: AbortSignal): Promise<ConnectError> {
  try {
    const headers: Record<string, string> = token === undefined ? {} : { authorization: `Bearer ${token}` };
    const response = await fetch(url.replace(/^ws/, 'http'), { headers, signal, cache: 'no-store' });
    if (response.status === 401 || response.status === 403) {
      return new ConnectError((await response.text()).trim(), true);
    }
    return new ConnectError(`the machine does not take connections now (${response.status})`, false);
  } catch {
    return new ConnectError('the machine does not answer', false);
  }
}

class WebSocketPipe implements LinkPipe {
  onMessage: (bytes: Uint8Array) => void = () => undefined;
  onDrain: () => void = () => undefined;
  onClose: (reason: string) => void = () => undefined;
  readonly #socket: WebSocket;
  #drainCheck: ReturnType<typeof setTimeout> | undefined;
  #isEnded = false;

  constructor(socket: WebSocket) {
    this.#socket = socket;
    socket.onmessage = ({ data }) => {
      if (data instanceof ArrayBuffer) this.onMessage(new Uint8Array(data));
    };
    socket.onclose = ({ code, reason }) => this.#ended(reason === '' ? `connection closed (${code})` : reason);
  }

  send(bytes: Uint8Array): void {
    if (this.#socket.readyState !== WebSocket.OPEN) return;
    this.#socket.send(bytes as Uint8Array<ArrayBuffer>);
    if (this.#socket.bufferedAmount >= LOW_WATER_BYTES) this.#checkLater();
  }

  bufferedBytes(): number {
    return this.#socket.bufferedAmount;
  }

  close(reason: string): void {
    this.#socket.close();
    this.#ended(reason);
  }

  /** Called without waiting for the closing handshake: a peer that is down never answers it. */
  #ended(reason: string): void {
    if (this.#isEnded) return;
    this.#isEnded = true;
    clearTimeout(this.#drainCheck);
    this.onClose(reason);
  }

  #checkLater(): void {
    this.#drainCheck ??= setTimeout(() => {
      this.#drainCheck = undefined;
      if (this.#socket.bufferedAmount < LOW_WATER_BYTES) this.onDrain();
      else this.#checkLater();
    }, DRAIN_CHECK_MS);
  }
}
