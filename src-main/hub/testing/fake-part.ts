import { ConfigServiceDefinition } from '../../../proto/gen/core/config/v1/config.ts';
import {
  ConnectRequest,
  ConnectResponse,
  PartServiceDefinition,
  type Accepted,
  type Hello,
  type StoredConfig,
} from '../../../proto/gen/core/hub/v1/part.ts';
import { encodeMessage } from '../../../proto/message.ts';
import type { Clock } from '../../base/clock.ts';
import { silentLogger } from '../../base/logger.ts';
import type { Status } from '../../base/status.ts';
import { CallRouter, MAX_MESSAGE_BYTES } from '../../rpc/routing/call-router.ts';
import { ChannelServer } from '../../rpc/channel/channel-server.ts';
import { PACKET_BYTES, type MessagePipe } from '../../rpc/channel/pipe.ts';
import type { MetadataRecord } from '../../rpc/metadata.ts';
import type { RequestSink, Responder } from '../../rpc/router.ts';
import type { ServiceHandlers } from '../../rpc/service.ts';
import { TrackedConnection } from '../../rpc/tracked-connection.ts';
import { connectionFrom, type TestHub } from './test-hub.ts';

type Message = NonNullable<ConnectResponse['message']>;

/** A part that is connected to a hub in this process, and sends what a test tells it to. */
export class FakePart implements Responder {
  readonly messages: Message[] = [];
  status: Status | undefined;
  /** Returned by `message`; a pending promise simulates a part that does not read. */
  pressure: Promise<void> | undefined;
  readonly #pipe: MessagePipe;
  #sink!: RequestSink;
  #waiting: (() => void)[] = [];

  constructor() {
    this.#pipe = {
      onMessage: () => undefined,
      onDrain: () => undefined,
      onClose: () => undefined,
      send: (bytes) => this.#send({ message: { $case: 'frame', value: Uint8Array.from(bytes) } }),
      bufferedBytes: () => 0,
      start: () => undefined,
      pause: () => undefined,
      resume: () => undefined,
      close: () => undefined,
    };
  }

  /** @param token of a caller that may serve the part */
  static connect(test: TestHub, token: string, hello: Partial<Hello> & { readonly partId: string }): FakePart {
    const part = new FakePart();
    part.#sink = test.router.start(
      {
        path: `/${PartServiceDefinition.fullName}/Connect`,
        metadata: { authorization: `Bearer ${token}` },
        timeoutMs: undefined,
        connection: connectionFrom('127.0.0.1'),
      },
      part,
    );
    const value = {
      revision: '',
      ownsConfig: false,
      version: '1',
      platform: 'linux/amd64',
      host: 'bench',
      startedAt: undefined,
      moduleKey: undefined,
      ...hello,
    };
    part.#send({ message: { $case: 'hello', value } });
    return part;
  }

  get accepted(): readonly Accepted[] {
    return this.messages.flatMap((message) => (message.$case === 'accepted' ? [message.value] : []));
  }

  get configs(): readonly StoredConfig[] {
    return this.messages.flatMap((message) => (message.$case === 'config' ? [message.value] : []));
  }

  /** Answers calls from the hub. */
  serve(handlers: ServiceHandlers<typeof ConfigServiceDefinition>, clock: Clock): void {
    const router = new CallRouter({ clock, logger: silentLogger, maxMessageBytes: MAX_MESSAGE_BYTES });
    router.addService(ConfigServiceDefinition, handlers);
    const connection = new TrackedConnection({ remoteAddress: '192.0.2.1' }, 'channel', true, true);
    new ChannelServer(this.#pipe, connection, { router, clock, logger: silentLogger, packetBytes: PACKET_BYTES });
  }

  report(state: string): void {
    const value = { state, appliedRevision: 'r', resources: [] };
    this.#send({ message: { $case: 'status', value } });
  }

  /** Disconnects the part. */
  leave(): void {
    this.#sink.cancel('the cable is out');
  }

  /** Resolves when `holds` returns true after a message. */
  async until(holds: () => boolean): Promise<void> {
    while (!holds()) await new Promise<void>((resolve) => this.#waiting.push(resolve));
  }

  headers(_metadata: MetadataRecord): void {
    // Headers are not needed.
  }

  message(bytes: Uint8Array): Promise<void> | undefined {
    const { message } = ConnectResponse.decode(Uint8Array.from(bytes));
    if (message?.$case === 'frame') this.#pipe.onMessage(message.value);
    else if (message !== undefined) this.messages.push(message);
    this.#wake();
    return this.pressure;
  }

  end(status: Status): void {
    this.status = status;
    this.#pipe.onClose('ended');
    this.#wake();
  }

  #send(request: ConnectRequest): void {
    void this.#sink.message(encodeMessage(ConnectRequest, request));
  }

  #wake(): void {
    for (const resolve of this.#waiting.splice(0)) resolve();
  }
}
