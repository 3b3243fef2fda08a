/** How fast the estimate follows a machine whose clock runs slower than ours, ms a second. */
const driftPerSecond = 1;
/** A clock that is off by more than this was set. */
const stepMs = 1_000;

/**
 * The machine's time now, as far as this page can know: from the values that
 * came with the least delay. It goes on evenly while values come in bursts.
 */
export class PlotClock {
  /** Machine time minus page time; undefined before the first value. */
  #offset: number | undefined;
  #notedAt = 0;

  /** A value that was true at `machineAt` came in at `pageAt`; both ms, each of its own clock. */
  note(machineAt: number, pageAt: number): void {
    const offset = machineAt - pageAt;
    if (this.#offset === undefined || Math.abs(offset - this.#offset) > stepMs) {
      // A value that is merely old (the last one of a slow poll) is no clock that was set back.
      if (this.#offset !== undefined && offset < this.#offset && pageAt - this.#notedAt < 2 * stepMs) return;
      this.#offset = offset;
    } else {
      this.#offset = Math.max(offset, this.#offset - ((pageAt - this.#notedAt) / 1_000) * driftPerSecond);
    }
    this.#notedAt = pageAt;
  }

  /** Machine time at a page time, ms; undefined before the first value. */
  at(pageAt: number): number | undefined {
    return this.#offset === undefined ? undefined : pageAt + this.#offset;
  }

  clear(): void {
    this.#offset = undefined;
  }
}
