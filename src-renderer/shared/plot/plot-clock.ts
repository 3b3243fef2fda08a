/** How fast the estimate follows a machine whose clock runs slower than the page's, ms per second. */
const driftPerSecond = 1;
/** A larger difference means that the clock was set. */
const stepMs = 1_000;

/**
 * Estimates the machine's current time from the values that arrived with the least
 * delay. The time advances evenly while values arrive in bursts.
 */
export class PlotClock {
  /** Machine time minus page time; undefined before the first value. */
  #offset: number | undefined;
  #notedAt = 0;

  /** Notes that a value of machine time `machineAt` arrived at page time `pageAt`; both in ms of their own clock. */
  note(machineAt: number, pageAt: number): void {
    const offset = machineAt - pageAt;
    if (this.#offset === undefined || Math.abs(offset - this.#offset) > stepMs) {
      // A value that is just old (the last one of a slow poll) does not mean that the clock was set back.
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
