interface Point {
  readonly at: number;
  readonly value: number;
}

/** Two values further apart than this say nothing about the current speed. */
const MAX_GAP_MS = 5_000;

/**
 * Measures how fast a value changes, by the machine's clock: the slope of the line that fits the last values best, so
 * that a coarse encoder does not make it jump. Where values are rare, it is the slope between the last two.
 */
export class SlopeMeter {
  readonly #windowMs: number;
  readonly #points: Point[] = [];

  /** @param windowMs how far back values count */
  constructor(windowMs: number) {
    this.#windowMs = windowMs;
  }

  /**
   * @param at when the value was measured, ms
   * @returns the change per second; undefined where it is not known yet
   */
  add(at: number, value: number): number | undefined {
    const last = this.#points.at(-1);
    if (last !== undefined && (at < last.at || at - last.at > MAX_GAP_MS)) this.clear();
    // Two values of the same millisecond have no slope: the later one counts.
    else if (last?.at === at) this.#points.pop();
    this.#points.push({ at, value });
    while (this.#points.length > 2 && at - (this.#points[1]?.at ?? at) >= this.#windowMs) this.#points.shift();
    return this.#slope();
  }

  clear(): void {
    this.#points.length = 0;
  }

  #slope(): number | undefined {
    const count = this.#points.length;
    if (count < 2) return undefined;
    const middleAt = this.#points.reduce((sum, { at }) => sum + at, 0) / count;
    const middle = this.#points.reduce((sum, { value }) => sum + value, 0) / count;
    let across = 0;
    let along = 0;
    for (const { at, value } of this.#points) {
      across += (at - middleAt) * (value - middle);
      along += (at - middleAt) ** 2;
    }
    return (across / along) * 1_000;
  }
}
