import { onAbort } from '../../base/async/abort.ts';
import { Emitter } from '../../base/async/emitter.ts';
import { ArmatureError } from '../../base/errors.ts';
import { StatusCode, type Status } from '../../base/status.ts';
import type { Connection } from '../call.ts';
import type { Router } from '../router.ts';

/** A call made by this program to itself ended with a status other than OK. */
export class LocalCallError extends Error {
  readonly status: Status;

  constructor(status: Status) {
    super(status.message);
    this.name = 'LocalCallError';
    this.status = status;
  }
}

/** A connection for calls made inside this process: it never closes and its caller is trusted. */
export function localConnection(id: string): Connection {
  return {
    id,
    transport: 'local',
    remoteAddress: 'local',
    localAddress: 'local',
    isLoopback: true,
    isEncrypted: true,
    outlivesCalls: true,
    isClosed: false,
    onClose: () => () => undefined,
  };
}

/**
 * A connection for calls made inside this process. Their caller closes it, which stops what they moved without a
 * session, as when a client disconnects.
 */
export class InProcessConnection implements Connection {
  readonly id: string;
  readonly transport = 'local';
  readonly remoteAddress: string;
  readonly localAddress = 'local';
  readonly isLoopback = true;
  readonly isEncrypted = true;
  readonly outlivesCalls = true;
  readonly #closed = new Emitter();
  #isClosed = false;

  /** @param name of the caller, for messages */
  constructor(name: string) {
    this.id = name;
    this.remoteAddress = name;
  }

  get isClosed(): boolean {
    return this.#isClosed;
  }

  onClose(listener: () => void): () => void {
    return this.#closed.on(listener);
  }

  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#closed.emit();
    this.#closed.clear();
  }
}

/**
 * Makes one unary call through the router, as bytes. Passes every interceptor,
 * so that a call of ours is counted, limited and logged like any other.
 * @param signal cancels it
 * @throws {LocalCallError} with the status of the call
 */
export function callLocally(
  router: Router,
  connection: Connection,
  path: string,
  request: Uint8Array,
  timeoutMs: number,
  signal?: AbortSignal,
): Promise<Uint8Array> {
  return new Promise((resolve, reject) => {
    let unsubscribe = (): void => undefined;
    let hasEnded = false;
    let answer: Uint8Array | undefined;
    const sink = router.start(
      { path, metadata: {}, timeoutMs, connection },
      {
        headers: () => undefined,
        message: (bytes) => {
          answer = bytes;
          return undefined;
        },
        end: (status) => {
          hasEnded = true;
          unsubscribe();
          if (status.code !== StatusCode.OK) reject(new LocalCallError(status));
          else if (answer === undefined)
            reject(new ArmatureError('internal.bug', `${path} succeeded without an answer.`));
          else resolve(answer);
        },
      },
    );
    if (signal !== undefined && !hasEnded) unsubscribe = onAbort(signal, () => sink.cancel('its caller gave it up'));
    void sink.message(request);
    sink.halfClose();
  });
}
