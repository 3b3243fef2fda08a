interface Point {
  readonly at: number;
  readonly value: number;
}

/** Two values that are further apart than this tell nothing of now. */
const longestPauseMs = 5_000;

/**
 * How fast a value changes, from values and the machine's own times: the slope
 * of the straight line that fits the last moments best, so that a coarse
 * encoder does not make it jump. Where values come seldom, that of the last two.
 */
export class SlopeMeter {
  readonly #windowMs: number;
  readonly #points: Point[] = [];

  /** @param windowMs the moments that count */
  constructor(windowMs: number) {
    this.#windowMs = windowMs;
  }

  /**
   * Takes a value and when it was true, ms.
   * @returns the change a second; undefined where one cannot be told yet
   */
  add(at: number, value: number): number | undefined {
    const last = this.#points.at(-1);
    if (last !== undefined && (at < last.at || at - last.at > longestPauseMs)) this.clear();
    // Two in one millisecond have no slope: the later one counts.
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
