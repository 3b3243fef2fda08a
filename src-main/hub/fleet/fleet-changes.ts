/** Tells of changes to what the fleet consists of: organizations, locations, machines, parts, and their names. */
export class FleetChanges {
  readonly #listeners = new Set<() => void>();

  /** Calls back after each change. Returns its undoing. */
  onChange(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  changed(): void {
    for (const listener of this.#listeners) listener();
  }
}
