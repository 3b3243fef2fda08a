import { nearest } from '../../../../proto/config/nearest.ts';

/** Names compared at most, over all problems of a document. */
const MAX_COMPARISONS = 200_000;

/** Finds similar names, as long as that does not take too long on a huge document. */
export class NearNames {
  readonly #names: readonly string[];
  #left = MAX_COMPARISONS;

  constructor(names: Iterable<string>) {
    this.#names = [...names];
  }

  /** The most similar name; undefined if none is similar, or after too many searches. */
  near(name: string): string | undefined {
    if (this.#left < this.#names.length) return undefined;
    this.#left -= this.#names.length;
    return nearest(name, this.#names);
  }
}
