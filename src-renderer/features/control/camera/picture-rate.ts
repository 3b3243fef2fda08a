const windowMs = 3_000;

/** Measures how many pictures arrive per second, over the last three seconds. */
export class PictureRate {
  #arrivals: number[] = [];

  /**
   * Counts a picture.
   * @param at when it arrived, ms; never less than before
   */
  add(at: number): void {
    this.#arrivals = [...this.#arrivals.filter((each) => each > at - windowMs), at];
  }

  /** Pictures per second; undefined while there are fewer than two. */
  at(now: number): number | undefined {
    const recent = this.#arrivals.filter((each) => each > now - windowMs);
    const [first, last] = [recent.at(0), recent.at(-1)];
    if (first === undefined || last === undefined || last === first) return undefined;
    return ((recent.length - 1) * 1_000) / (last - first);
  }
}
