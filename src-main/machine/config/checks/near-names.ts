import { nearest } from '../../../../proto/config/nearest.ts';

/** Names compared at most, over all problems of a document. */
const MAX_COMPARISONS = 200_000;

/** Near names, as long as the search does not take too long on a huge document. */
export class NearNames {
  readonly #names: readonly string[];
  #left = MAX_COMPARISONS;

  constructor(names: Iterable<string>) {
    this.#names = [...names];
  }

  /** The name most like this one; undefined where none is near, or where too many were looked for already. */
  near(name: string): string | undefined {
    if (this.#left < this.#names.length) return undefined;
    this.#left -= this.#names.length;
    return nearest(name, this.#names);
  }
}
