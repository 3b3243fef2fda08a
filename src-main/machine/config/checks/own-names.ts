/** Texts whose own names are kept: resources that fail keep the revision they last ran with. */
const MOST_NAMES = 100;

/** What texts that have a `revision` of their own call themselves, by the hash of the text. */
export class OwnNames {
  readonly #names = new Map<string, string>();

  add(revision: string, name: string): void {
    if (name === revision) return;
    this.#names.delete(revision);
    this.#names.set(revision, name);
    const [oldest] = this.#names.keys();
    if (this.#names.size > MOST_NAMES && oldest !== undefined) this.#names.delete(oldest);
  }

  /** The hash itself where the text has no name. */
  of(revision: string): string {
    return this.#names.get(revision) ?? revision;
  }
}
