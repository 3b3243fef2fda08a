import type { ChannelFrame, ConnectRequest, Hello, StatusReport } from '../../../proto/gen/core/hub/v1/part.ts';
import type { Clock } from '../../base/clock.ts';
import { ChannelClient } from '../../rpc/channel/channel-client.ts';
import { MultiplexedPipe } from '../../rpc/channel/multiplexed-pipe.ts';
import { PACKET_BYTES } from '../../rpc/channel/pipe.ts';
import { callPeer, streamFromPeer, type StartCall, type StreamOptions } from '../../rpc/peer/outbound-call.ts';
import type { MetadataRecord } from '../../rpc/metadata.ts';
import type { PeerCodes } from '../../rpc/peer/received-error.ts';
import type { RequestOf, ResponseOf, ServiceDefinition } from '../../rpc/service.ts';
import { localConnection } from '../../rpc/routing/local-call.ts';
import { StreamOutbox } from './stream-outbox.ts';

/** The connection of outgoing calls, which nothing reads. */
const HUB_CONNECTION = localConnection('hub');
/** Error codes of calls to a part. A part that refuses its hub counts as unreachable. */
const codes: PeerCodes = { unreachable: 'part.unreachable', refused: 'part.unreachable' };
/** Default time limit of a call to a part. */
const ANSWER_MS = 15_000;

/** The stream that one part keeps open: messages to it, its last status, and calls to it. */
export class PartStream {
  readonly partId: string;
  readonly hello: Hello;
  readonly outbox = new StreamOutbox();
  readonly #clock: Clock;
  /** Created for the first call, because most parts are never called. */
  #client: ChannelClient | undefined;
  #status: StatusReport | undefined;
  readonly #channels = new Map<bigint, MultiplexedPipe>();
  #lastChannel = 0n;

  constructor(partId: string, hello: Hello, clock: Clock) {
    this.partId = partId;
    this.hello = hello;
    this.#clock = clock;
  }

  /** The last status that the part sent. */
  get status(): StatusReport | undefined {
    return this.#status;
  }

  /** Handles a message from the part. @returns the status, if it was one */
  receive({ message }: ConnectRequest): StatusReport | undefined {
    if (message?.$case === 'frame') this.outbox.onMessage(message.value);
    if (message?.$case === 'channelFrame') this.#receiveFrame(message.value);
    if (message?.$case !== 'status') return undefined;
    this.#status = message.value;
    return message.value;
  }

  /**
   * Calls the part.
   * @throws {ArmatureError} `part.unreachable` if it disconnects or does not answer in time, else the error of the part
   */
  call<D extends ServiceDefinition, K extends keyof D['methods'] & string>(
    service: D,
    method: K,
    request: RequestOf<D['methods'][K]>,
    { timeoutMs = ANSWER_MS, metadata = {} }: { readonly timeoutMs?: number; readonly metadata?: MetadataRecord } = {},
  ): Promise<ResponseOf<D['methods'][K]>> {
    return callPeer(this.#start, service, method, request, { timeoutMs, metadata, codes });
  }

  /** Reads a response stream of the part, until the reader stops or the part disconnects. */
  follow<D extends ServiceDefinition, K extends keyof D['methods'] & string>(
    service: D,
    method: K,
    request: RequestOf<D['methods'][K]>,
    options: Pick<StreamOptions, 'metadata' | 'signal'> = {},
  ): AsyncGenerator<ResponseOf<D['methods'][K]>> {
    return streamFromPeer(this.#start, service, method, request, { ...options, timeoutMs: undefined, codes });
  }

  /**
   * Opens a channel to the part for one caller. When it is closed, the part stops what this caller has left moving.
   * @param onClosed called when the part disconnects or closes the channel; open a new one then
   */
  openChannel(onClosed: () => void): ChannelClient {
    const channel = ++this.#lastChannel;
    const pipe = new MultiplexedPipe({
      send: (value, sent) => this.#sendFrame({ channel, content: { $case: 'frame', value } }, sent),
      closed: (value) => {
        this.#channels.delete(channel);
        this.#sendFrame({ channel, content: { $case: 'closed', value } }, () => undefined);
      },
    });
    this.#channels.set(channel, pipe);
    const client = new ChannelClient(pipe, { clock: this.#clock, packetBytes: PACKET_BYTES, onClosed });
    if (this.outbox.hasEnded) this.#endChannels();
    return client;
  }

  readonly #start: StartCall = (path, metadata, timeoutMs, responder) => {
    const clock = this.#clock;
    this.#client ??= new ChannelClient(this.outbox, { clock, packetBytes: PACKET_BYTES, onClosed: () => undefined });
    return this.#client.start({ path, metadata, timeoutMs, connection: HUB_CONNECTION }, responder);
  };

  end(failure?: Error): void {
    this.outbox.end(failure);
    this.#endChannels();
  }

  #endChannels(): void {
    for (const pipe of this.#channels.values()) pipe.ended('the machine is not connected any more');
    this.#channels.clear();
  }

  #sendFrame(value: ChannelFrame, sent: () => void): void {
    this.outbox.frame({ $case: 'channelFrame', value }, sent);
  }

  #receiveFrame({ channel, content }: ChannelFrame): void {
    const pipe = this.#channels.get(channel);
    if (content?.$case === 'frame') pipe?.receive(content.value);
    if (content?.$case !== 'closed') return;
    this.#channels.delete(channel);
    pipe?.ended(content.value);
  }
}
