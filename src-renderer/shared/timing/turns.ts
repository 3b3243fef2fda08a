/** Short enough for the page to draw and take keys between two turns. */
const TURN_MS = 10;

/** Divides long work into turns, so that the page stays responsive. */
export class Turns {
  #startedAt = performance.now();

  /** Whether it is time to {@link pass}. */
  get isOver(): boolean {
    return performance.now() - this.#startedAt >= TURN_MS;
  }

  /** Lets the page do what is waiting, and begins the next turn. */
  async pass(): Promise<void> {
    await new Promise((resolve) => setTimeout(resolve));
    this.#startedAt = performance.now();
  }
}
