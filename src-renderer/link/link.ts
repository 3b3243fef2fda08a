import type { CallSpec, Channel } from './channel.ts';
import { ConnectError, type Connector } from './pipe.ts';
import { PipeChannel } from './pipe-channel.ts';
import { RpcError } from './rpc-error.ts';
import { StatusCode } from '../../proto/status-code.ts';

/** The state of a connection, as the page shows it. */
export type LinkState =
  | { readonly kind: 'connecting' }
  | { readonly kind: 'open' }
  /** Lost; `nextTryAt` is wall-clock time in milliseconds. */
  | { readonly kind: 'lost'; readonly reason: string; readonly nextTryAt: number }
  /** The machine refused this page. No further attempt until `retryNow`. */
  | { readonly kind: 'refused'; readonly reason: string }
  | { readonly kind: 'closed' };

const FIRST_DELAY_MS = 500;
const MAX_DELAY_MS = 10_000;
/** Random share of a delay, so that many pages do not reconnect at the same moment. */
const JITTER = 0.3;
/** A connection that lasted this long resets the delay. */
const STEADY_MS = 5_000;

/**
 * A channel that reconnects, with growing delay, whenever the connection is lost.
 * A call made without a connection fails with UNAVAILABLE: it is not made later.
 */
export class Link implements Channel {
  readonly #connector: Connector;
  readonly #random: () => number;
  readonly #listeners = new Set<(state: LinkState) => void>();
  #state: LinkState = { kind: 'connecting' };
  #channel: PipeChannel | undefined;
  #attempt: AbortController | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #failures = 0;
  #openedAt = 0;

  /** Starts connecting at once. @param random a number in [0, 1), for the jitter */
  constructor(connector: Connector, random: () => number = Math.random) {
    this.#connector = connector;
    this.#random = random;
    void this.#connect();
  }

  get state(): LinkState {
    return this.#state;
  }

  /** Calls the listener now and at every change. Returns an unsubscribe function. */
  subscribe(listener: (state: LinkState) => void): () => void {
    this.#listeners.add(listener);
    listener(this.#state);
    return () => this.#listeners.delete(listener);
  }

  /** Connects at once, if there is no connection and no attempt under way. */
  retryNow(): void {
    if (this.#state.kind !== 'lost' && this.#state.kind !== 'refused') return;
    clearTimeout(this.#timer);
    void this.#connect();
  }

  /** Closes the link for good; its calls fail. */
  close(): void {
    clearTimeout(this.#timer);
    this.#set({ kind: 'closed' });
    this.#attempt?.abort();
    this.#channel?.close('the link was closed');
  }

  /** Closes a connection that looks open but must not be used any more, and reconnects. */
  presumeLost(reason: string): void {
    if (this.#state.kind === 'open') this.#channel?.close(reason);
  }

  async *call(spec: CallSpec): AsyncGenerator<Uint8Array> {
    if (this.#state.kind !== 'open' || this.#channel === undefined) throw this.#notConnected();
    yield* this.#channel.call(spec);
  }

  async #connect(): Promise<void> {
    this.#set({ kind: 'connecting' });
    const attempt = new AbortController();
    this.#attempt = attempt;
    try {
      const pipe = await this.#connector.connect(attempt.signal);
      if (attempt.signal.aborted) {
        pipe.close('the link was closed');
        return;
      }
      this.#channel = new PipeChannel(pipe, (reason) => this.#lost(reason));
      this.#openedAt = performance.now();
      this.#set({ kind: 'open' });
    } catch (thrown) {
      if (attempt.signal.aborted) return;
      const reason = thrown instanceof Error ? thrown.message : String(thrown);
      if (thrown instanceof ConnectError && thrown.isRefusal) this.#set({ kind: 'refused', reason });
      else this.#tryLater(reason);
    }
  }

  #lost(reason: string): void {
    this.#channel = undefined;
    if (this.#state.kind === 'closed') return;
    if (performance.now() - this.#openedAt >= STEADY_MS) this.#failures = 0;
    this.#tryLater(reason);
  }

  #tryLater(reason: string): void {
    const delayMs = Math.min(MAX_DELAY_MS, FIRST_DELAY_MS * 2 ** this.#failures) * (1 - JITTER * this.#random());
    this.#failures += 1;
    this.#timer = setTimeout(() => void this.#connect(), delayMs);
    this.#set({ kind: 'lost', reason, nextTryAt: Date.now() + delayMs });
  }

  #set(state: LinkState): void {
    if (this.#state.kind === 'closed') return;
    this.#state = state;
    for (const listener of [...this.#listeners]) listener(state);
  }

  #notConnected(): RpcError {
    const reason = 'reason' in this.#state ? `: ${this.#state.reason}` : '';
    return new RpcError(StatusCode.UNAVAILABLE, `not connected to the machine${reason}`);
  }
}
