/** Counts bytes that are held, against a limit and those of whoever it is a part of. */
export class ByteBudget {
  readonly limit: number;
  readonly #whole: ByteBudget | undefined;
  #held = 0;

  /** @param whole what is taken here is taken there too */
  constructor(limit: number, whole?: ByteBudget) {
    this.limit = limit;
    this.#whole = whole;
  }

  get held(): number {
    return this.#held;
  }

  /** Takes bytes; false, and nothing is taken, where there are not so many. */
  take(bytes: number): boolean {
    if (this.#held + bytes > this.limit || this.#whole?.take(bytes) === false) return false;
    this.#held += bytes;
    return true;
  }

  give(bytes: number): void {
    this.#held -= bytes;
    this.#whole?.give(bytes);
  }
}
