/** A pending timer; `cancel` may be called at any time and more than once. */
export interface Timer {
  cancel(): void;
}

/** Time as a dependency, so that tests of time-dependent code need not wait. */
export interface Clock {
  /** Wall-clock time, milliseconds since the Unix epoch. */
  now(): number;
  /** Monotonic time in milliseconds; only differences mean anything. */
  monotonic(): number;
  /** Runs `callback` once after `ms`. The timer does not keep the process alive. */
  after(ms: number, callback: () => void): Timer;
  /** Runs `callback` every `ms` until cancelled. The timer does not keep the process alive. */
  every(ms: number, callback: () => void): Timer;
}

/** Node fires a timer with a longer time at once. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  after(ms, callback) {
    if (ms > LONGEST_TIMER_MS) return afterLong(ms, callback);
    return new SystemTimer(setTimeout(callback, ms));
  },
  every(ms, callback) {
    return new SystemTimer(setInterval(callback, ms));
  },
};

class SystemTimer implements Timer {
  readonly #handle: NodeJS.Timeout;

  constructor(handle: NodeJS.Timeout) {
    this.#handle = handle.unref();
  }

  cancel(): void {
    // Ends an interval as well.
    clearTimeout(this.#handle);
  }
}

function afterLong(ms: number, callback: () => void): Timer {
  let timer = systemClock.after(LONGEST_TIMER_MS, () => {
    timer = systemClock.after(ms - LONGEST_TIMER_MS, callback);
  });
  return { cancel: () => timer.cancel() };
}

/** Settles after `ms`, or as soon as `signal` aborts: the caller checks the signal. Never rejects. */
export function sleep(clock: Clock, ms: number, signal?: AbortSignal): Promise<void> {
  if (signal?.aborted === true) return Promise.resolve();
  return new Promise((resolve) => {
    const end = (): void => {
      timer.cancel();
      signal?.removeEventListener('abort', end);
      resolve();
    };
    const timer = clock.after(ms, end);
    signal?.addEventListener('abort', end, { once: true });
  });
}

/** {@link sleep} for a loop: listens to its signal once, and not again for each step. Sleeps once at a time. */
export class Sleeper {
  readonly #clock: Clock;
  readonly #signal: AbortSignal;
  #timer: Timer | undefined;
  #resolve: (() => void) | undefined;

  constructor(clock: Clock, signal: AbortSignal) {
    this.#clock = clock;
    this.#signal = signal;
    signal.addEventListener('abort', this.#wake);
  }

  /** Settles after `ms`, or as soon as the signal aborts: the caller checks the signal. Never rejects. */
  sleep(ms: number): Promise<void> {
    if (this.#signal.aborted) return Promise.resolve();
    return new Promise((resolve) => {
      this.#resolve = resolve;
      this.#timer = this.#clock.after(ms, this.#wake);
    });
  }

  close(): void {
    this.#signal.removeEventListener('abort', this.#wake);
  }

  readonly #wake = (): void => {
    this.#timer?.cancel();
    this.#resolve?.();
  };
}

interface Scheduled {
  at: number;
  readonly order: number;
  readonly everyMs: number | undefined;
  readonly callback: () => void;
}

const MAX_TIMERS_AT_ONCE = 100_000;

/** A clock that moves only when told to. Timers fire in order of time, then of creation. */
export class ManualClock implements Clock {
  #time: number;
  /** How far the wall clock was set ahead. */
  #setAhead = 0;
  #order = 0;
  readonly #scheduled = new Set<Scheduled>();

  constructor(startMs = 1_700_000_000_000) {
    this.#time = startMs;
  }

  now(): number {
    return this.#time + this.#setAhead;
  }

  /** Sets the wall clock; no time passes. */
  set(nowMs: number): void {
    this.#setAhead = nowMs - this.#time;
  }

  monotonic(): number {
    return this.#time;
  }

  after(ms: number, callback: () => void): Timer {
    return this.#schedule(ms, undefined, callback);
  }

  every(ms: number, callback: () => void): Timer {
    return this.#schedule(ms, ms, callback);
  }

  /** Number of timers that are waiting. */
  get pending(): number {
    return this.#scheduled.size;
  }

  /**
   * Moves time forward and fires timers that are due. Throws if timers keep setting timers for the same moment, because
   * time would never pass.
   */
  advance(ms: number): void {
    const end = this.#time + ms;
    let firedNow = 0;
    for (;;) {
      const next = this.#next();
      if (next === undefined || next.at > end) break;
      firedNow = next.at > this.#time ? 0 : firedNow + 1;
      if (firedNow > MAX_TIMERS_AT_ONCE) throw new Error(`timers keep falling due at ${this.#time} ms without end`);
      this.#time = Math.max(this.#time, next.at);
      if (next.everyMs === undefined) this.#scheduled.delete(next);
      else next.at += Math.max(next.everyMs, 1);
      next.callback();
    }
    this.#time = end;
  }

  #next(): Scheduled | undefined {
    let best: Scheduled | undefined;
    for (const timer of this.#scheduled) {
      if (best === undefined || timer.at < best.at || (timer.at === best.at && timer.order < best.order)) best = timer;
    }
    return best;
  }

  #schedule(ms: number, everyMs: number | undefined, callback: () => void): Timer {
    const entry: Scheduled = { at: this.#time + ms, order: this.#order++, everyMs, callback };
    this.#scheduled.add(entry);
    return { cancel: () => void this.#scheduled.delete(entry) };
  }
}
