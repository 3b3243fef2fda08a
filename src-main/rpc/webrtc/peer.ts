import type * as NodeDataChannel from 'node-datachannel';
import type { DataChannel, PeerConnection } from 'node-datachannel';
import type { ICECandidate } from '../../../proto/gen/proto/rpc/webrtc/v1/signaling.ts';
import { AsyncQueue } from '../../base/async/async-queue.ts';
import type { Clock, Timer } from '../../base/clock.ts';
import { ArmatureError } from '../../base/errors.ts';
import { DataChannelPipe } from './data-channel-pipe.ts';
import { readDescription, writeDescription, type SessionDescription } from './session-description.ts';

/** The library that speaks ICE, DTLS and SCTP. */
export type PeerLibrary = Pick<typeof NodeDataChannel, 'PeerConnection'>;

export interface PeerOptions {
  /** Name in logs of the library. */
  readonly name: string;
  /** `stun:host:port` or `turn:user:password@host:port`. */
  readonly iceServers: readonly string[];
  readonly clock: Clock;
  /** Called once, when the connection has ended or failed. */
  readonly onClose: (reason: string) => void;
}

/** Ids of the two channels that both sides create without negotiation, as public clients do. */
const DATA_ID = 0;
const NEGOTIATION_ID = 1;
/** Interval of liveness checks, and the time without an answer after which the peer counts as gone. */
const PROBE_MS = 3_000;
export const SILENT_MS = 15_000;

/**
 * The other end of a WebRTC connection, which one side offers and the other answers; calls then use its data channel.
 * It counts as gone when the channel closes, ICE fails, or it has not answered for {@link SILENT_MS}: a closed page
 * sends nothing, and ICE takes half a minute to notice. What it moved is then stopped; with a session, when its window
 * has passed.
 */
export class Peer {
  /** Own candidates, as they are found. */
  readonly candidates = new AsyncQueue<ICECandidate>();
  /** Settles when its channel is open; rejects if the connection fails before. */
  readonly opened: Promise<DataChannelPipe>;
  readonly #described = Promise.withResolvers<SessionDescription>();
  readonly #opening = Promise.withResolvers<DataChannelPipe>();
  readonly #connection: PeerConnection;
  readonly #negotiation: DataChannel;
  readonly #pipe: DataChannelPipe;
  readonly #onClose: (reason: string) => void;
  readonly #clock: Clock;
  #probing: Timer | undefined;
  #isClosed = false;

  constructor(library: PeerLibrary, options: PeerOptions) {
    const { name, iceServers, clock, onClose } = options;
    const connection = new library.PeerConnection(name, { iceServers: [...iceServers], disableAutoNegotiation: true });
    this.#connection = connection;
    this.#onClose = onClose;
    this.#clock = clock;
    const data = connection.createDataChannel('data', { negotiated: true, id: DATA_ID });
    this.#pipe = new DataChannelPipe(data);
    this.#negotiation = connection.createDataChannel('negotiation', { negotiated: true, id: NEGOTIATION_ID });
    this.#negotiation.onMessage((message) => this.#renegotiate(message));
    this.opened = this.#opening.promise;
    // They may fail when nothing waits for them any more.
    this.#described.promise.catch(() => undefined);
    this.opened.catch(() => undefined);

    connection.onLocalDescription((sdp, type) => {
      const description = { type: type === 'offer' ? 'offer' : 'answer', sdp } as const;
      this.#described.resolve(description);
      if (this.#negotiation.isOpen()) this.#negotiation.sendMessage(writeDescription(description));
    });
    connection.onLocalCandidate((line, sdpMid) => {
      // Given as a line of a description; on its own it is signaled without the mark of one (RFC 8839, 5.1).
      const candidate = line.replace(/^a=/, '');
      this.candidates.push({ candidate, sdpMid, sdpmLineIndex: undefined, usernameFragment: undefined });
    });
    connection.onGatheringStateChange((state) => {
      if (state === 'complete') this.candidates.end();
    });
    connection.onStateChange((state) => {
      if (state === 'failed' || state === 'closed') this.close(`the connection to the peer is ${state}`);
    });
    data.onOpen(() => {
      this.#opening.resolve(this.#pipe);
      this.#probe();
    });
  }

  /** Offers a connection; settles with what is to be signaled. Rejects where the connection fails before. */
  offer(): Promise<SessionDescription> {
    this.#connection.setLocalDescription('offer');
    return this.#described.promise;
  }

  /**
   * Answers an offer; settles with what is to be signaled.
   * @throws {Error} of the library, where the offer is not valid
   */
  answer(offer: SessionDescription): Promise<SessionDescription> {
    this.#describe(offer);
    this.#connection.setLocalDescription('answer');
    return this.#described.promise;
  }

  /**
   * Takes the answer to its own offer.
   * @throws {Error} of the library, where the answer is not valid
   */
  accept(answer: SessionDescription): void {
    this.#describe(answer);
  }

  /** Its own description with all candidates, for a peer that takes none later. Uses up {@link candidates}. */
  async withCandidates(description: SessionDescription): Promise<SessionDescription> {
    for await (const _candidate of this.candidates);
    return { ...description, sdp: this.#connection.localDescription()?.sdp ?? description.sdp };
  }

  /** @throws {ArmatureError} `call.bad_argument` where it is not valid */
  addCandidate({ candidate, sdpMid = '0' }: ICECandidate): void {
    if (this.#isClosed || candidate === '') return;
    try {
      this.#connection.addRemoteCandidate(candidate, sdpMid);
    } catch (cause) {
      throw new ArmatureError('call.bad_argument', `"${candidate.slice(0, 100)}" is no ICE candidate.`, { cause });
    }
  }

  close(reason: string): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#probing?.cancel();
    this.candidates.end();
    const ended = new Error(reason);
    this.#described.reject(ended);
    this.#opening.reject(ended);
    this.#pipe.ended(reason);
    this.#connection.close();
    this.#onClose(reason);
  }

  #describe({ type, sdp }: SessionDescription): void {
    try {
      this.#connection.setRemoteDescription(sdp, type);
    } catch (thrown) {
      this.close(`its ${type} is none`);
      throw thrown;
    }
  }

  /** Opens an unused channel: the peer's WebRTC stack acknowledges it by itself (RFC 8832), in any program. */
  #probe(): void {
    if (this.#isClosed) return;
    const since = this.#clock.monotonic();
    const probe = this.#connection.createDataChannel('alive');
    this.#probing = this.#clock.after(SILENT_MS, () =>
      this.close(`the peer has not answered for ${SILENT_MS / 1_000} s`),
    );
    probe.onOpen(() => {
      probe.close();
      this.#probing?.cancel();
      const rest = Math.max(0, PROBE_MS - (this.#clock.monotonic() - since));
      if (!this.#isClosed) this.#probing = this.#clock.after(rest, () => this.#probe());
    });
  }

  /** The peer adds something by an offer over the connection itself. */
  #renegotiate(message: string | Buffer | ArrayBuffer): void {
    if (typeof message !== 'string' || this.#isClosed) return;
    try {
      const { sdp } = readDescription(message, 'offer');
      this.#connection.setRemoteDescription(sdp, 'offer');
      this.#connection.setLocalDescription('answer');
    } catch {
      // An invalid offer changes nothing, nor does one that restarts ICE, which the library refuses: the connection
      // goes on as it is.
    }
  }
}
