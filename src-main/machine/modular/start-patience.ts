import type { Clock, Timer } from '../../base/clock.ts';

/** How long a change that waits for a module to start counts as being carried out. */
const PATIENCE_MS = 10_000;

/**
 * Which modules take long to start. A module may take minutes; the machine says
 * after ten seconds how far a change got, and goes on when the module is there.
 */
export class StartPatience {
  readonly #clock: Clock;
  readonly #onLong: () => void;
  /** By name; undefined where its patience is over. */
  readonly #starts = new Map<string, Timer | undefined>();

  /** @param onLong one of the modules has become one that takes long */
  constructor(clock: Clock, onLong: () => void) {
    this.#clock = clock;
    this.#onLong = onLong;
  }

  /** Whether a module that is starting takes long; asked for the first time, it has just begun. */
  isLong(name: string): boolean {
    if (!this.#starts.has(name)) {
      const timer = this.#clock.after(PATIENCE_MS, () => {
        this.#starts.set(name, undefined);
        this.#onLong();
      });
      this.#starts.set(name, timer);
    }
    return this.#starts.get(name) === undefined;
  }

  /** It is ready, has failed or is not to start any more: its next start is another one. */
  ended(name: string): void {
    this.#starts.get(name)?.cancel();
    this.#starts.delete(name);
  }

  close(): void {
    for (const timer of this.#starts.values()) timer?.cancel();
  }
}
