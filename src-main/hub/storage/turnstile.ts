/** Lets one through at a time, in the order they came. */
export class Turnstile {
  #last: Promise<void> = Promise.resolve();

  /** Settles when it is the caller's turn, with what ends it. */
  async enter(): Promise<() => void> {
    const before = this.#last;
    let leave: () => void = () => undefined;
    this.#last = new Promise((resolve) => (leave = resolve));
    await before;
    return leave;
  }
}
