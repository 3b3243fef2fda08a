/** Older ones are forgotten. A failed resource still names the revision it last ran with. */
const MAX_ENTRIES = 100;

/** The `revision` field of texts, by the hash of the text. */
export class DeclaredRevisions {
  readonly #names = new Map<string, string>();

  add(revision: string, name: string): void {
    if (name === revision) return;
    this.#names.delete(revision);
    this.#names.set(revision, name);
    const [oldest] = this.#names.keys();
    if (this.#names.size > MAX_ENTRIES && oldest !== undefined) this.#names.delete(oldest);
  }

  /** The hash itself if the text has no such field. */
  of(revision: string): string {
    return this.#names.get(revision) ?? revision;
  }
}
