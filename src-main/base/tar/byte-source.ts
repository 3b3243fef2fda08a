/** Bytes of a stream, read in chunks of any size. */
export class ByteSource {
  readonly #chunks: AsyncIterator<Uint8Array>;
  #rest: Buffer = Buffer.alloc(0);
  #taken = 0;

  constructor(source: AsyncIterable<Uint8Array>) {
    this.#chunks = source[Symbol.asyncIterator]();
  }

  /** Number of bytes read so far. */
  get taken(): number {
    return this.#taken;
  }

  /** The next `count` bytes; fewer only at the end of the stream. */
  async take(count: number): Promise<Buffer> {
    const pieces: Buffer[] = [];
    for (let missing = count; missing > 0;) {
      if (!(await this.#fill())) break;
      const piece = this.#rest.subarray(0, missing);
      this.#rest = this.#rest.subarray(piece.length);
      missing -= piece.length;
      pieces.push(piece);
    }
    const [first] = pieces;
    const taken = pieces.length === 1 && first !== undefined ? first : Buffer.concat(pieces);
    this.#taken += taken.length;
    return taken;
  }

  /**
   * The next `count` bytes if they are buffered, as most are: a promise for each read would cost more than the bytes.
   */
  takeNow(count: number): Buffer | undefined {
    if (this.#rest.length < count) return undefined;
    const taken = this.#rest.subarray(0, count);
    this.#rest = this.#rest.subarray(count);
    this.#taken += count;
    return taken;
  }

  /** Up to `most` buffered bytes, at least one; undefined at the end of the stream. */
  async takeSome(most: number): Promise<Buffer | undefined> {
    return (await this.#fill()) ? this.takeNow(Math.min(most, this.#rest.length)) : undefined;
  }

  async #fill(): Promise<boolean> {
    while (this.#rest.length === 0) {
      const next = await this.#chunks.next();
      if (next.done === true) return false;
      const { buffer, byteOffset, length } = next.value;
      this.#rest = Buffer.from(buffer, byteOffset, length);
    }
    return true;
  }
}
