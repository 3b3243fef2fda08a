import type { BinaryMetadata } from '../../../../proto/gen/core/app/data/v1/data.ts';
import type { DataCalls } from '../../../shared/machine/data/data-calls.ts';
import { pictureType } from './picture-facts.ts';

/** Pictures that are fetched at the same time: with more, the first ones would arrive late. */
const MAX_DOWNLOADS = 4;

/**
 * Fetches the bytes of the pictures of a page, each once, and holds them until {@link keep} or {@link close} drops
 * them. A picture that is dropped before its turn is not fetched.
 */
export class PictureBytes {
  readonly #calls: Pick<DataCalls, 'download'>;
  readonly #held = new Map<string, Promise<Blob>>();
  readonly #controller = new AbortController();
  #running = 0;
  #waiting: (() => void)[] = [];

  constructor(calls: Pick<DataCalls, 'download'>) {
    this.#calls = calls;
  }

  /** Rejects where the picture cannot be fetched; the next call tries again. */
  get(metadata: BinaryMetadata): Promise<Blob> {
    const id = metadata.binaryDataId;
    const known = this.#held.get(id);
    if (known !== undefined) return known;
    const fetched = this.#fetch(id, pictureType(metadata) ?? 'application/octet-stream');
    this.#held.set(id, fetched);
    fetched.catch(() => this.#held.delete(id));
    return fetched;
  }

  /** Drops all pictures but these. */
  keep(ids: ReadonlySet<string>): void {
    for (const id of this.#held.keys()) if (!ids.has(id)) this.#held.delete(id);
  }

  close(): void {
    this.#controller.abort();
    this.#held.clear();
  }

  async #fetch(id: string, type: string): Promise<Blob> {
    let isWanted = true;
    if (this.#running >= MAX_DOWNLOADS) {
      await new Promise<void>((resolve) => this.#waiting.push(resolve));
      isWanted = this.#held.has(id);
    }
    this.#running += 1;
    try {
      if (!isWanted) throw new Error('The page that this picture is on was left.');
      const { signal } = this.#controller;
      signal.throwIfAborted();
      const pieces: Uint8Array<ArrayBuffer>[] = [];
      for await (const bytes of this.#calls.download(id, signal)) pieces.push(bytes as Uint8Array<ArrayBuffer>);
      return new Blob(pieces, { type });
    } finally {
      this.#running -= 1;
      this.#waiting.shift()?.();
    }
  }
}
