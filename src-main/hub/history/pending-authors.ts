import type { Author } from '../access/author.ts';

/** Who asked for a text. */
export interface TextAuthor {
  readonly author: Author;
  /** For people. */
  readonly name: string;
}

/**
 * Whose texts connected parts are about to store: the hub hands a text to the
 * part, which stores it here in turn, and the history names who asked for it.
 */
export class PendingAuthors {
  readonly #authors = new Map<string, TextAuthor>();

  /** Remembers it until what is returned is called. */
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
