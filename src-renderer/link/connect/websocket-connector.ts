import { ConnectError, type Connector, type LinkPipe } from '../pipe.ts';

const SUBPROTOCOL = 'armature.v1';
const TOKEN_SUBPROTOCOL_PREFIX = 'armature.token.';
/** A browser has no event for "less is buffered": while much is, we look this often. */
const DRAIN_CHECK_MS = 10;
const LOW_WATER_BYTES = 262_144;
/** A host that is gone answers nothing at all: the browser alone would wait for minutes. */
const CONNECT_TIMEOUT_MS = 10_000;

export interface WebSocketConnectorOptions {
  /** `ws://` or `wss://` address of the channel. */
  readonly url: string;
  /** Launch token or access token; it goes into the subprotocol, never into the address. Undefined: none is known. */
  readonly token: () => string | undefined;
}

/**
 * The address of the channel beside a page, for example of `location.href`.
 * @param partId of the machine that is meant; '' for the one that serves the page, or for the hub that does
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
  throw await whyNot(url, token, end);
}

/** A failed upgrade tells a page nothing; a plain request to the same address says whether we were refused. */
async function whyNot(url: string, token: string | undefined, signal: AbortSignal): Promise<ConnectError> {
  try {
    const headers: Record<string, string> = token === undefined ? {} : { authorization: `Bearer ${token}` };
    const response = await fetch(url.replace(/^ws/, 'http'), { headers, signal, cache: 'no-store' });
    if (response.status === 401 || response.status === 403) {
      return new ConnectError((await response.text()).trim(), true);
    }
    return new ConnectError(`the machine does not take connections now (${response.status})`, false);
  } catch {
    // No answer at all is an answer: nobody is there.
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

  /** A peer that is gone answers no closing handshake, and the browser waits for it: nothing here does. */
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
