/** Tells of modules that were made, changed, published, yanked or deleted, by their id (`namespace:name`). */
export class RegistryChanges {
  readonly #listeners = new Set<(moduleId: string) => void>();

  /** Calls back after each change, once it is stored. Returns its undoing. */
  onChange(listener: (moduleId: string) => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  changed(moduleId: string): void {
    for (const listener of this.#listeners) listener(moduleId);
  }
}
