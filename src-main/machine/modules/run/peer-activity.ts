import type { Clock } from '../../../base/clock.ts';
import { StatusCode } from '../../../base/status.ts';
import type { StartCall } from '../../../rpc/peer/outbound-call.ts';
import type { Peer } from '../../../rpc/peer/peer.ts';
import type { Responder } from '../../../rpc/router.ts';

/** Statuses with which a call can end without any message from the peer. */
const endedHere: ReadonlySet<StatusCode> = new Set([
  StatusCode.DEADLINE_EXCEEDED,
  StatusCode.CANCELLED,
  StatusCode.UNAVAILABLE,
]);

/** A peer that records which calls are running and when it last answered one. */
export class PeerActivity implements Peer {
  readonly #peer: Peer;
  readonly #clock: Clock;
  /** Start time of each running call, monotonic ms. */
  readonly #calls = new Map<object, number>();
  #heardAt: number;

  /** @param recorded wraps the start of calls so that they are recorded, except those of the watch itself */
  constructor(peer: Peer, clock: Clock, recorded: (start: StartCall) => StartCall) {
    this.#peer = peer;
    this.#clock = clock;
    this.#heardAt = clock.monotonic();
    this.start = recorded((path, metadata, timeoutMs, responder) => {
      const call = this.#listeningTo(responder);
      this.#calls.set(call, this.#clock.monotonic());
      return this.#peer.start(path, metadata, timeoutMs, call);
    });
  }

  /** When any part of an answer last arrived, monotonic ms. */
  get heardAt(): number {
    return this.#heardAt;
  }

  /** Whether a call that started at or before this moment (monotonic ms) is still running. */
  hasCallBegunBy(moment: number): boolean {
    // The map is in the order in which calls started.
    const [oldest] = this.#calls.values();
    return oldest !== undefined && oldest <= moment;
  }

  get isClosed(): boolean {
    return this.#peer.isClosed;
  }

  onClose(listener: (reason: string) => void): () => void {
    return this.#peer.onClose(listener);
  }

  close(reason: string): void {
    this.#peer.close(reason);
  }

  /** Starts a call that does not count as running: a check of the watch itself. */
  readonly ask: StartCall = (path, metadata, timeoutMs, responder) =>
    this.#peer.start(path, metadata, timeoutMs, this.#listeningTo(responder));

  // A property, so that it can be passed on without `this`.
  readonly start: StartCall;

  #listeningTo(responder: Responder): Responder {
    const listening: Responder = {
      headers: (received) => {
        this.#onActivity();
        responder.headers(received);
      },
      message: (bytes, isLast) => {
        this.#onActivity();
        return responder.message(bytes, isLast);
      },
      end: (status, trailers) => {
        if (!endedHere.has(status.code)) this.#onActivity();
        this.#calls.delete(listening);
        responder.end(status, trailers);
      },
    };
    return listening;
  }

  #onActivity(): void {
    this.#heardAt = this.#clock.monotonic();
  }
}
