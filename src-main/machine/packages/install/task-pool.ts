/** Runs tasks in parallel, so many at a time, and keeps the first failure. */
export class TaskPool {
  readonly #limit: number;
  readonly #running = new Set<Promise<void>>();
  #failure: { readonly thrown: unknown } | undefined;

  constructor(limit: number) {
    this.#limit = limit;
  }

  /** Begins a task; settles when there is room for it. @throws what an earlier one failed with */
  async run(task: () => Promise<void>): Promise<void> {
    const running = task()
      .catch((thrown: unknown) => void (this.#failure ??= { thrown }))
      .finally(() => this.#running.delete(running));
    this.#running.add(running);
    while (this.#running.size >= this.#limit) await Promise.race(this.#running);
    this.#throwFailure();
  }

  /** Settles when nothing runs. @throws what a task failed with */
  async drained(): Promise<void> {
    await Promise.all(this.#running);
    this.#throwFailure();
  }

  #throwFailure(): void {
    if (this.#failure !== undefined) throw this.#failure.thrown;
  }
}
