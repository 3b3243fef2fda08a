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

/** Not looked at where a call leaves us. */
const HERE = localConnection('hub');
/** What calls to a part fail with. A part that refuses its hub is none that answers. */
const codes: PeerCodes = { unreachable: 'part.unreachable', refused: 'part.unreachable' };
/** A machine that does not answer in this time is busy with something else. */
const ANSWER_MS = 15_000;

/** The stream that one part holds open: what it is sent, what it said, and the calls that it answers. */
export class PartStream {
  readonly partId: string;
  readonly hello: Hello;
  readonly outbox = new StreamOutbox();
  readonly #clock: Clock;
  /** Made for the first call: most of thousands of parts are never called. */
  #client: ChannelClient | undefined;
  #status: StatusReport | undefined;
  readonly #channels = new Map<bigint, MultiplexedPipe>();
  #lastChannel = 0n;

  constructor(partId: string, hello: Hello, clock: Clock) {
    this.partId = partId;
    this.hello = hello;
    this.#clock = clock;
  }

  /** What the part last said of itself. */
  get status(): StatusReport | undefined {
    return this.#status;
  }

  /** Something came over the stream. @returns the status, where it was one */
  receive({ message }: ConnectRequest): StatusReport | undefined {
    if (message?.$case === 'frame') this.outbox.onMessage(message.value);
    if (message?.$case === 'channelFrame') this.#receiveFrame(message.value);
    if (message?.$case !== 'status') return undefined;
    this.#status = message.value;
    return message.value;
  }

  /**
   * Calls the part.
   * @throws {ArmatureError} `part.unreachable` where it is gone or does not answer in time, else what it says
   */
  call<D extends ServiceDefinition, K extends keyof D['methods'] & string>(
    service: D,
    method: K,
    request: RequestOf<D['methods'][K]>,
    { timeoutMs = ANSWER_MS, metadata = {} }: { readonly timeoutMs?: number; readonly metadata?: MetadataRecord } = {},
  ): Promise<ResponseOf<D['methods'][K]>> {
    return callPeer(this.#start, service, method, request, { timeoutMs, metadata, codes });
  }

  /** Follows a stream of the part, until the reader stops or the part is gone. */
  follow<D extends ServiceDefinition, K extends keyof D['methods'] & string>(
    service: D,
    method: K,
    request: RequestOf<D['methods'][K]>,
    options: Pick<StreamOptions, 'metadata' | 'signal'> = {},
  ): AsyncGenerator<ResponseOf<D['methods'][K]>> {
    return streamFromPeer(this.#start, service, method, request, { ...options, timeoutMs: undefined, codes });
  }

  /**
   * Opens a channel to the part for one caller of ours: what that one leaves moving is stopped when it is closed.
   * @param onClosed the part is gone, or has closed it; it is to be opened anew
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
    return this.#client.start({ path, metadata, timeoutMs, connection: HERE }, responder);
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
