import type { Author } from '../access/author.ts';

/** Who applied a text. */
export interface TextAuthor {
  readonly author: Author;
  /** Name for display. */
  readonly name: string;
}

/**
 * Authors of texts that connected parts are about to store. The hub forwards a text to the part, the part stores it at
 * the hub, and the history then names the author who applied it.
 */
export class PendingAuthors {
  readonly #authors = new Map<string, TextAuthor>();

  /** Remembers an author. Returns a function that removes it. */
  add(partId: string, revision: string, author: TextAuthor): () => void {
    const key = `${partId} ${revision}`;
    this.#authors.set(key, author);
    return () => {
      if (this.#authors.get(key) === author) this.#authors.delete(key);
    };
  }

  get(partId: string, revision: string): TextAuthor | undefined {
    return this.#authors.get(`${partId} ${revision}`);
  }
}
