/** Short enough for the page to draw and take keys between two turns. */
export const TURN_MS = 10;

/** Divides long work into turns, so that the page stays responsive. */
export class Turns {
  readonly #length: number;
  #startedAt = performance.now();

  /** @param length of a turn, ms */
  constructor(length = TURN_MS) {
    this.#length = length;
  }

  /** Whether it is time to {@link pass}. */
  get isOver(): boolean {
    return performance.now() - this.#startedAt >= this.#length;
  }

  /** Lets the page do what is waiting, and begins the next turn. */
  async pass(): Promise<void> {
    await new Promise((resolve) => setTimeout(resolve));
    this.#startedAt = performance.now();
  }
}
