import type { Clock, Timer } from '../../base/clock.ts';

/** The last result of a poll. */
export type PollResult =
  | { readonly kind: 'value'; readonly bytes: Uint8Array; readonly at: number }
  | { readonly kind: 'error'; readonly error: unknown; readonly at: number };

export interface Viewer {
  /** How often this viewer wants a value, milliseconds. */
  readonly intervalMs: number;
  /** Called with each new result; `viewers` includes this one. */
  readonly onResult: (result: PollResult, viewers: number) => void;
}

type Poll = () => Promise<Uint8Array>;

/** One call repeated for all its viewers, at the shortest of their periods. */
class Poller {
  readonly #poll: Poll;
  readonly #clock: Clock;
  readonly #onIdle: () => void;
  readonly #viewers = new Set<Viewer>();
  #timer: Timer | undefined;
  #isPolling = false;
  #last: PollResult | undefined;

  /** @param onIdle called when no viewers are left and no call is running */
  constructor(poll: Poll, clock: Clock, onIdle: () => void) {
    this.#poll = poll;
    this.#clock = clock;
    this.#onIdle = onIdle;
  }

  add(viewer: Viewer): void {
    this.#viewers.add(viewer);
    if (this.#last !== undefined) viewer.onResult(this.#last, this.#viewers.size);
    this.#schedule();
  }

  remove(viewer: Viewer): void {
    this.#viewers.delete(viewer);
    this.#schedule();
  }

  /** Resets the timer: the next poll is one period after the last, or now if there was none. */
  #schedule(): void {
    if (this.#isPolling) return;
    this.#timer?.cancel();
    if (this.#viewers.size === 0) {
      this.#onIdle();
      return;
    }
    const periodMs = Math.min(...Array.from(this.#viewers, (viewer) => viewer.intervalMs));
    const waitMs = this.#last === undefined ? 0 : this.#last.at + periodMs - this.#clock.monotonic();
    this.#timer = this.#clock.after(Math.max(0, waitMs), () => void this.#run());
  }

  async #run(): Promise<void> {
    this.#isPolling = true;
    let result: PollResult;
    try {
      const bytes = await this.#poll();
      result = { kind: 'value', bytes, at: this.#clock.monotonic() };
    } catch (error) {
      result = { kind: 'error', error, at: this.#clock.monotonic() };
    }
    this.#last = result;
    this.#isPolling = false;
    for (const viewer of this.#viewers) viewer.onResult(result, this.#viewers.size);
    this.#schedule();
  }
}

/**
 * Pollers by key: one call at a time for each key, however many viewers it has (core.watch.v1). A poll that takes
 * longer than its period delays the next; polls never pile up on a slow resource.
 */
export class SharedPollers {
  readonly #clock: Clock;
  readonly #pollers = new Map<string, Poller>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Number of distinct calls that are being repeated. */
  get size(): number {
    return this.#pollers.size;
  }

  /**
   * Adds a viewer of `key`. The last known result, if any, is delivered at once.
   * @param poll makes the call; used only where `key` has no poller yet
   * @returns ends this viewer
   */
  watch(key: string, poll: Poll, viewer: Viewer): () => void {
    const poller = this.#pollers.get(key) ?? this.#start(key, poll);
    poller.add(viewer);
    return () => poller.remove(viewer);
  }

  #start(key: string, poll: Poll): Poller {
    const poller = new Poller(poll, this.#clock, () => {
      // Ending it twice must not remove the next poller with the same key.
      if (this.#pollers.get(key) === poller) this.#pollers.delete(key);
    });
    this.#pollers.set(key, poller);
    return poller;
  }
}
