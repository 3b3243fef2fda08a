import type { Clock } from '../../base/clock.ts';

/** Time over which edges are averaged, approximately. */
const HALF_WINDOW_MS = 50;
/** Without an edge for this long, a shaft counts as stopped. */
const STILL_MS = 1_000;
const NS_PER_MS = 1_000_000;

interface Mark {
  readonly ms: number;
  readonly count: number;
}

/**
 * The rate of counts, from the kernel's timestamps of the edges, so that edges which arrive late and in bursts still
 * give the true speed. Only the absence of edges is measured with our own clock.
 */
export class EdgeRate {
  readonly #clock: Clock;
  #firstNs: bigint | undefined;
  #start: Mark | undefined;
  #middle: Mark | undefined;
  #last: Mark | undefined;
  #arrivedMs = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** @param count the count, including this edge */
  edge(timeNs: bigint, count: number): void {
    this.#firstNs ??= timeNs;
    const mark = { ms: Number(timeNs - this.#firstNs) / NS_PER_MS, count };
    this.#arrivedMs = this.#clock.monotonic();
    if (this.#last !== undefined && (mark.ms < this.#last.ms || mark.ms - this.#last.ms > STILL_MS)) {
      this.#start = undefined;
      this.#middle = undefined;
    }
    this.#last = mark;
    this.#middle ??= mark;
    if (mark.ms - this.#middle.ms < HALF_WINDOW_MS) return;
    this.#start = this.#middle;
    this.#middle = mark;
  }

  /** Counts per second, signed. 0 if there were fewer than two edges, or the shaft has stopped. */
  perSec(): number {
    const first = this.#start ?? this.#middle;
    const last = this.#last;
    if (first === undefined || last === undefined || last.ms <= first.ms) return 0;
    const silentMs = this.#clock.monotonic() - this.#arrivedMs;
    if (silentMs > STILL_MS) return 0;
    const rate = ((last.count - first.count) / (last.ms - first.ms)) * 1_000;
    // The rate is less than one count in the time since the last edge; otherwise there would have been another.
    const atMost = silentMs > 0 ? 1_000 / silentMs : Number.POSITIVE_INFINITY;
    return Math.sign(rate) * Math.min(Math.abs(rate), atMost);
  }

  /** The count was reset: later edges are not compared with earlier ones. */
  clear(): void {
    this.#start = undefined;
    this.#middle = undefined;
    this.#last = undefined;
  }
}
