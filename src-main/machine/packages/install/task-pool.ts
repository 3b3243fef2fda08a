/** Runs a limited number of tasks in parallel, and keeps the first failure. */
export class TaskPool {
  readonly #limit: number;
  readonly #running = new Set<Promise<void>>();
  #failure: { readonly thrown: unknown } | undefined;

  constructor(limit: number) {
    this.#limit = limit;
  }

  /**
   * Starts a task; settles when there is room for it.
   * @throws the failure of an earlier task
   */
  async run(task: () => Promise<void>): Promise<void> {
    const running = task()
      .catch((thrown: unknown) => void (this.#failure ??= { thrown }))
      .finally(() => this.#running.delete(running));
    this.#running.add(running);
    while (this.#running.size >= this.#limit) await Promise.race(this.#running);
    this.#throwFailure();
  }

  /**
   * Settles when no task is running.
   * @throws the failure of a task
   */
  async drained(): Promise<void> {
    await Promise.all(this.#running);
    this.#throwFailure();
  }

  #throwFailure(): void {
    if (this.#failure !== undefined) throw this.#failure.thrown;
  }
}
