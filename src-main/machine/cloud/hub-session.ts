import {
  ConnectRequest,
  ConnectResponse,
  PartServiceDefinition,
  type ChannelFrame,
} from '../../../proto/gen/core/hub/v1/part.ts';
import type { Accepted, Hello, StatusReport, StoredConfig } from '../../../proto/gen/core/hub/v1/part.ts';
import { encodeMessage } from '../../../proto/message.ts';
import type { Status } from '../../base/status.ts';
import type { MetadataRecord } from '../../rpc/metadata.ts';
import { methodPath, type PeerCaller } from '../../rpc/peer/outbound-call.ts';
import type { RequestSink } from '../../rpc/router.ts';
import { MultiplexedPipe } from '../../rpc/channel/multiplexed-pipe.ts';
import type { MessagePipe } from '../../rpc/channel/pipe.ts';
import { LinkPipe } from './link-pipe.ts';

const CONNECT = methodPath(PartServiceDefinition, PartServiceDefinition.methods.connect);

/** Most channels that a hub may have open: one for each page that uses this machine through it. */
const MAX_CHANNELS = 256;

/** What the stream delivers. */
export interface SessionEvents {
  accepted(accepted: Accepted): void;
  config(stored: StoredConfig): void;
  restart(): void;
  /** The hub has opened a channel for one of its callers. */
  channel(pipe: MessagePipe): void;
  /** Called once, also if {@link accepted} was not. */
  ended(status: Status, trailers: MetadataRecord): void;
}

/** One open stream to the hub: a part is online while it has one. */
export class HubSession {
  /** Carries the hub's calls. */
  readonly pipe: MessagePipe;
  readonly #pipe: LinkPipe;
  readonly #sink: RequestSink;
  readonly #events: SessionEvents;
  readonly #channels = new Map<bigint, MultiplexedPipe>();
  #lastChannel = 0n;
  #isOver = false;

  constructor(caller: PeerCaller, metadata: Readonly<Record<string, string>>, hello: Hello, events: SessionEvents) {
    this.#events = events;
    this.#sink = caller.start(CONNECT, metadata, undefined, {
      headers: () => undefined,
      message: (bytes) => this.#receive(bytes),
      end: (status, trailers) => {
        // A call may end before `start` has returned.
        queueMicrotask(() => this.#ended(status, trailers));
      },
    });
    this.#pipe = new LinkPipe(this.#sink, (reason) => this.close(reason));
    this.pipe = this.#pipe;
    this.#send({ message: { $case: 'hello', value: hello } });
  }

  report(status: StatusReport): void {
    this.#send({ message: { $case: 'status', value: status } });
  }

  /** Ends the stream; `ended` follows. */
  close(reason: string): void {
    this.#sink.cancel(reason);
  }

  #send(request: ConnectRequest): void {
    if (!this.#isOver) void this.#sink.message(encodeMessage(ConnectRequest, request));
  }

  #receive(bytes: Uint8Array): Promise<void> | undefined {
    if (this.#isOver) return undefined;
    let response: ConnectResponse;
    try {
      response = ConnectResponse.decode(bytes);
    } catch {
      this.close('the hub sent what is no message');
      return undefined;
    }
    const { message } = response;
    switch (message?.$case) {
      case 'accepted':
        this.#events.accepted(message.value);
        return undefined;
      case 'config':
        this.#events.config(message.value);
        return undefined;
      case 'frame':
        return this.#pipe.receive(message.value);
      case 'restart':
        this.#events.restart();
        return undefined;
      case 'channelFrame':
        this.#receiveFrame(message.value);
        return undefined;
      case undefined:
        return undefined; // from a newer hub
    }
  }

  #receiveFrame({ channel, content }: ChannelFrame): void {
    // A late message for a closed channel must not open a new one.
    if (channel > this.#lastChannel && content?.$case === 'frame') this.#open(channel);
    const pipe = this.#channels.get(channel);
    if (content?.$case === 'frame') pipe?.receive(content.value);
    if (content?.$case !== 'closed') return;
    this.#channels.delete(channel);
    pipe?.ended(content.value);
  }

  #open(channel: bigint): void {
    this.#lastChannel = channel;
    const close = (value: string): void => {
      this.#channels.delete(channel);
      this.#send({ message: { $case: 'channelFrame', value: { channel, content: { $case: 'closed', value } } } });
    };
    if (this.#channels.size >= MAX_CHANNELS) {
      close(`${MAX_CHANNELS} channels to this machine are open: close one`);
      return;
    }
    const pipe = new MultiplexedPipe({
      send: (value, sent) => {
        const frame: ConnectRequest['message'] = {
          $case: 'channelFrame',
          value: { channel, content: { $case: 'frame', value } },
        };
        const written = this.#sink.message(encodeMessage(ConnectRequest, { message: frame }));
        if (written === undefined) queueMicrotask(sent);
        else void written.then(sent);
      },
      closed: close,
    });
    this.#channels.set(channel, pipe);
    this.#events.channel(pipe);
  }

  #ended(status: Status, trailers: MetadataRecord): void {
    if (this.#isOver) return;
    this.#isOver = true;
    const reason = status.message === '' ? 'the hub ended the stream' : status.message;
    this.#pipe.ended(reason);
    for (const pipe of this.#channels.values()) pipe.ended(reason);
    this.#channels.clear();
    this.#events.ended(status, trailers);
  }
}
