const windowMs = 3_000;

/** How many pictures come in a second, by those of the last three. */
export class PictureRate {
  #arrivals: number[] = [];

  /** A picture came. @param at ms, never less than before */
  add(at: number): void {
    this.#arrivals = [...this.#arrivals.filter((each) => each > at - windowMs), at];
  }

  /** Pictures per second; undefined while there are too few to tell. */
  at(now: number): number | undefined {
    const recent = this.#arrivals.filter((each) => each > now - windowMs);
    const [first, last] = [recent.at(0), recent.at(-1)];
    if (first === undefined || last === undefined || last === first) return undefined;
    return ((recent.length - 1) * 1_000) / (last - first);
  }
}
