import type { Status } from '../../base/status.ts';
import type { Connection } from '../call.ts';
import type { MetadataRecord } from '../metadata.ts';
import type { RequestSink, Responder, Router } from '../router.ts';

/** A connection of tests, closed by hand. */
export class LocalConnection implements Connection {
  readonly id: string;
  readonly transport = 'local';
  readonly remoteAddress = '';
  readonly localAddress = '';
  readonly isLoopback = true;
  readonly isEncrypted = false;
  readonly outlivesCalls = true;
  readonly isClosed = false;

  constructor(id: string) {
    this.id = id;
  }

  onClose(): () => void {
    return () => undefined;
  }
}

/** Records what a caller receives. */
export class RecordedCall implements Responder {
  headerRecord: MetadataRecord | undefined;
  readonly messages: Uint8Array[] = [];
  status: Status | undefined;
  trailers: MetadataRecord = {};
  sink!: RequestSink;
  readonly ended: Promise<Status>;
  /** What `message` returns: a promise here is back-pressure. */
  pressure: Promise<void> | undefined;
  #settle!: (status: Status) => void;

  constructor() {
    this.ended = new Promise((resolve) => (this.#settle = resolve));
  }

  headers(metadata: MetadataRecord): void {
    this.headerRecord = metadata;
  }

  message(bytes: Uint8Array, _isLast: boolean): Promise<void> | undefined {
    this.messages.push(bytes);
    return this.pressure;
  }

  end(status: Status, trailers: MetadataRecord): void {
    this.status = status;
    this.trailers = trailers;
    this.#settle(status);
  }
}

export interface LocalCallOptions {
  readonly timeoutMs?: number;
  readonly connection?: Connection;
  readonly metadata?: Record<string, string>;
}

const shared = new LocalConnection('local');

/** Starts a call on a router with no transport between. */
export function startCall(router: Pick<Router, 'start'>, path: string, options: LocalCallOptions = {}): RecordedCall {
  const call = new RecordedCall();
  call.sink = router.start(
    {
      path,
      metadata: options.metadata ?? {},
      timeoutMs: options.timeoutMs,
      connection: options.connection ?? shared,
    },
    call,
  );
  return call;
}

/** Starts a call with one request. */
export function callOnce(
  router: Pick<Router, 'start'>,
  path: string,
  request: Uint8Array,
  options: LocalCallOptions = {},
): RecordedCall {
  const call = startCall(router, path, options);
  void call.sink.message(request);
  call.sink.halfClose();
  return call;
}
