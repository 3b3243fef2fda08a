/** Counts held bytes against a limit, and against the limit of its parent budget. */
export class ByteBudget {
  readonly limit: number;
  readonly #whole: ByteBudget | undefined;
  #held = 0;

  /** @param whole the parent budget: bytes taken here count there too */
  constructor(limit: number, whole?: ByteBudget) {
    this.limit = limit;
    this.#whole = whole;
  }

  get held(): number {
    return this.#held;
  }

  /** Takes bytes; returns false and takes none if too few are left. */
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
