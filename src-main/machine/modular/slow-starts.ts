import type { Clock, Timer } from '../../base/clock.ts';

/** How long a change that waits for a module to start counts as in progress. */
const SLOW_START_MS = 10_000;

/**
 * Tracks which modules are slow to start. A module may take minutes: after ten seconds the machine reports how far a
 * change got, and continues when the module is ready.
 */
export class SlowStarts {
  readonly #clock: Clock;
  readonly #onSlow: () => void;
  /** By name; undefined if the module is known to be slow. */
  readonly #starts = new Map<string, Timer | undefined>();

  /** @param onSlow called when a module has become slow */
  constructor(clock: Clock, onSlow: () => void) {
    this.#clock = clock;
    this.#onSlow = onSlow;
  }

  /** Whether a module that is starting is slow. The first call for a module starts its timer. */
  isSlow(name: string): boolean {
    if (!this.#starts.has(name)) {
      const timer = this.#clock.after(SLOW_START_MS, () => {
        this.#starts.set(name, undefined);
        this.#onSlow();
      });
      this.#starts.set(name, timer);
    }
    return this.#starts.get(name) === undefined;
  }

  /** The start is over: the module is ready, has failed or will not be started any more. */
  ended(name: string): void {
    this.#starts.get(name)?.cancel();
    this.#starts.delete(name);
  }

  close(): void {
    for (const timer of this.#starts.values()) timer?.cancel();
  }
}
