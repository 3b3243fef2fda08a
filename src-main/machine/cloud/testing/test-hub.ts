import {
  type Accepted,
  type AcceptedKey,
  type ConnectRequest,
  type ConnectResponse,
  type Hello,
  PartServiceDefinition,
  type ReportResultRequest,
  type StatusReport,
  type StoreConfigRequest,
  type StoredConfig,
  type UploadLogsRequest,
} from '../../../../proto/gen/core/hub/v1/part.ts';
import { AuthServiceDefinition } from '../../../../proto/gen/proto/rpc/v1/auth.ts';
import { onAbort } from '../../../base/async/abort.ts';
import { AsyncQueue } from '../../../base/async/async-queue.ts';
import { systemClock } from '../../../base/clock.ts';
import { ArmatureError } from '../../../base/errors.ts';
import { silentLogger } from '../../../base/logger.ts';
import { revisionOf } from '../../../base/revision.ts';
import { CallRouter, MAX_MESSAGE_BYTES } from '../../../rpc/routing/call-router.ts';
import type { ServerCall } from '../../../rpc/call.ts';
import { ChannelClient } from '../../../rpc/channel/channel-client.ts';
import { PACKET_BYTES, type MessagePipe } from '../../../rpc/channel/pipe.ts';
import { Listener, type Certificate } from '../../../rpc/port/listener.ts';

export const testKey = { id: 'key-1', key: 'secret-of-key-1' };

/** One open stream of a part. */
export class TestStream {
  readonly hello: Hello;
  readonly responses = new AsyncQueue<ConnectResponse>();
  readonly statuses: StatusReport[] = [];
  /** Calls to the part. */
  readonly client: ChannelClient;
  readonly #pipe: MessagePipe;

  constructor(hello: Hello) {
    this.hello = hello;
    this.#pipe = {
      onMessage: () => undefined,
      onDrain: () => undefined,
      onClose: () => undefined,
      send: (bytes) => void this.responses.push({ message: { $case: 'frame', value: Uint8Array.from(bytes) } }),
      bufferedBytes: () => 0,
      start: () => undefined,
      pause: () => undefined,
      resume: () => undefined,
      close: () => undefined,
    };
    this.client = new ChannelClient(this.#pipe, {
      clock: systemClock,
      packetBytes: PACKET_BYTES,
      onClosed: () => undefined,
    });
  }

  push(stored: StoredConfig): void {
    this.responses.push({ message: { $case: 'config', value: stored } });
  }

  receive({ message }: ConnectRequest): void {
    if (message?.$case === 'frame') this.#pipe.onMessage(Uint8Array.from(message.value));
    else if (message?.$case === 'status') this.statuses.push(message.value);
  }

  ended(): void {
    this.#pipe.onClose('the part is gone');
  }
}

/**
 * The features of a hub that a part needs, in memory: for tests of misbehavior. It stores versions, pushes them, and
 * records what it receives.
 */
export class TestHub {
  versions: StoredConfig[] = [];
  keys: AcceptedKey[] = [];
  accepts: { id: string; key: string } = testKey;
  /** Set by a test: errors thrown by the named methods. */
  refuses: Partial<Record<'connect' | 'store' | 'get' | 'result', ArmatureError>> = {};
  /** Streams open, but nothing is sent on them. */
  isSilent = false;
  readonly connects: Hello[] = [];
  readonly stores: StoreConfigRequest[] = [];
  readonly results: ReportResultRequest[] = [];
  readonly uploads: UploadLogsRequest[] = [];
  stream: TestStream | undefined;
  storedSeq = 0n;
  authentications = 0;
  polls = 0;
  #token = 1;
  #listener: Listener | undefined;
  #waiting: (() => void)[] = [];
  port = 0;

  get url(): string {
    return `http://localhost:${this.port}`;
  }

  get current(): StoredConfig | undefined {
    return this.versions.at(-1);
  }

  /** The `cloud` block of a part of this hub. */
  get cloud(): object {
    return { id: 'part-1', api_key: this.accepts, app_address: this.url };
  }

  router(): CallRouter {
    const router = new CallRouter({ clock: systemClock, logger: silentLogger, maxMessageBytes: MAX_MESSAGE_BYTES });
    router.addService(AuthServiceDefinition, {
      authenticate: ({ entity, credentials }) => {
        this.authentications++;
        if (entity !== this.accepts.id || credentials?.payload !== this.accepts.key) {
          throw new ArmatureError('access.unauthenticated', 'invalid credentials');
        }
        return { accessToken: `token-${this.#token}` };
      },
    });
    router.addService(PartServiceDefinition, {
      connect: (requests, call) => this.#connect(requests, call),
      getConfig: ({ revision }, call) => {
        this.#admit(call);
        this.polls++;
        if (this.refuses.get !== undefined) throw this.refuses.get;
        const { current } = this;
        this.#changed();
        return { config: current?.revision === revision ? undefined : current };
      },
      storeConfig: (request, call) => {
        this.#admit(call);
        if (this.refuses.store !== undefined) throw this.refuses.store;
        this.stores.push(request);
        const { current } = this;
        this.#changed();
        if (
          current !== undefined &&
          request.baseRevision !== current.revision &&
          this.stream?.hello.ownsConfig !== true
        ) {
          return { outcome: { $case: 'conflict' as const, value: current } };
        }
        return { outcome: { $case: 'stored' as const, value: this.store(request.text, request.author) } };
      },
      reportResult: (request, call) => {
        this.#admit(call);
        if (this.refuses.result !== undefined) throw this.refuses.result;
        this.results.push(request);
        this.#changed();
        return {};
      },
      uploadLogs: (request, call) => {
        this.#admit(call);
        this.uploads.push(request);
        for (const { seq } of request.entries) if (seq > this.storedSeq) this.storedSeq = seq;
        this.#changed();
        return { storedSeq: this.storedSeq };
      },
    });
    return router;
  }

  /** @param port 0 takes a free one */
  async listen(port = 0, certificate?: Certificate): Promise<void> {
    this.#listener = new Listener({
      router: this.router(),
      clock: systemClock,
      logger: silentLogger,
      webAccess: { checkRequest: () => ({ ok: true }) },
      certificate,
      onUpgrade: (_request, socket) => socket.destroy(),
      onPage: (_request, response) => response.end(),
      readiness: () => ({ isReady: true, summary: 'ready' }),
    });
    this.port = (await this.#listener.listen({ host: '127.0.0.1', port })).port;
  }

  async close(): Promise<void> {
    this.stream?.responses.end();
    await this.#listener?.close(0);
    this.#listener = undefined;
  }

  /** Stores a text like any user of the hub, and pushes it. */
  store(text: string, author = 'somebody'): StoredConfig {
    const stored: StoredConfig = {
      number: BigInt(this.versions.length + 1),
      revision: revisionOf(text),
      text,
      time: new Date(),
      author,
    };
    this.versions.push(stored);
    if (this.stream?.hello.ownsConfig === false) this.stream.push(stored);
    return stored;
  }

  /** Invalidates all tokens; the key stays valid. */
  expireTokens(): void {
    this.#token++;
  }

  /** Invalidates all tokens, and disconnects everybody. */
  revoke(): void {
    this.#token++;
    this.accepts = { id: 'key-2', key: 'another' };
    this.stream?.responses.fail(new ArmatureError('access.unauthenticated', 'this key was deleted'));
  }

  /** Settles when something was received and `holds`. */
  async until(holds: () => boolean): Promise<void> {
    while (!holds()) await new Promise<void>((resolve) => this.#waiting.push(resolve));
  }

  #changed(): void {
    for (const resolve of this.#waiting.splice(0)) resolve();
  }

  #admit({ metadata }: ServerCall): void {
    if (metadata['authorization'] === `Bearer token-${this.#token}`) return;
    throw new ArmatureError('access.unauthenticated', 'this token is not valid');
  }

  async *#connect(requests: AsyncIterable<ConnectRequest>, call: ServerCall): AsyncGenerator<ConnectResponse> {
    this.#admit(call);
    if (this.refuses.connect !== undefined) throw this.refuses.connect;
    const reader = requests[Symbol.asyncIterator]();
    const first = await reader.next();
    const message = first.done === true ? undefined : first.value.message;
    if (message?.$case !== 'hello') throw new ArmatureError('call.bad_argument', 'no hello');
    const stream = new TestStream(message.value);
    this.connects.push(message.value);
    this.stream = stream;
    const unsubscribe = onAbort(call.signal, () => stream.responses.end());
    void (async () => {
      for (let next = await reader.next(); next.done !== true; next = await reader.next()) {
        stream.receive(next.value);
        this.#changed();
      }
    })().catch(() => undefined);
    try {
      if (this.isSilent) {
        yield* stream.responses;
        return;
      }
      yield { message: { $case: 'accepted', value: this.#accepted() } };
      const { current } = this;
      const isNew = current !== undefined && current.revision !== message.value.revision;
      if (isNew && !message.value.ownsConfig) stream.push(current);
      this.#changed();
      yield* stream.responses;
    } finally {
      unsubscribe();
      stream.ended();
      if (this.stream === stream) this.stream = undefined;
      this.#changed();
    }
  }

  #accepted(): Accepted {
    return {
      organizationId: 'org-1',
      locationId: 'loc-1',
      machineId: 'machine-1',
      machineName: 'bench',
      partName: 'main',
      keys: this.keys,
      revision: this.current?.revision ?? '',
      fqdn: 'bench.loc-1.armature.local',
    };
  }
}
