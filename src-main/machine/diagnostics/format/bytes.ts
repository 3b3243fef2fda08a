/** The data ended too early, or no writer writes such data. */
export class Malformed extends Error {}

const utf8 = new TextEncoder();
const fromUtf8 = new TextDecoder();
const SEVEN_BITS = 0x80;
/** Longest varint in bytes: 8 times 7 bits are more than a number can hold exactly. */
const LONGEST_VARINT = 8;
const FIRST_BYTES = 4_096;

/** A growing buffer of bytes. */
export class ByteWriter {
  #bytes = new Uint8Array(FIRST_BYTES);
  #length = 0;

  get length(): number {
    return this.#length;
  }

  /** What was written from this position on. A view: valid until the next write. */
  since(offset: number): Uint8Array {
    return this.#bytes.subarray(offset, this.#length);
  }

  /** @param value a whole number from 0 to 2^53 - 1 */
  varint(value: number): void {
    this.#reserve(LONGEST_VARINT);
    let rest = value;
    while (rest >= SEVEN_BITS) {
      this.#bytes[this.#length++] = (rest % SEVEN_BITS) + SEVEN_BITS;
      rest = Math.floor(rest / SEVEN_BITS);
    }
    this.#bytes[this.#length++] = rest;
  }

  text(text: string): void {
    const bytes = utf8.encode(text);
    this.varint(bytes.length);
    this.#reserve(bytes.length);
    this.#bytes.set(bytes, this.#length);
    this.#length += bytes.length;
  }

  #reserve(count: number): void {
    if (this.#length + count <= this.#bytes.length) return;
    const larger = new Uint8Array(Math.max(this.#bytes.length * 2, this.#length + count));
    larger.set(this.#bytes);
    this.#bytes = larger;
  }
}

/** Reads what {@link ByteWriter} wrote. Throws {@link Malformed}. */
export class ByteReader {
  readonly #bytes: Uint8Array;
  #at = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  get isAtEnd(): boolean {
    return this.#at >= this.#bytes.length;
  }

  varint(): number {
    let value = 0;
    let factor = 1;
    for (let count = 0; count < LONGEST_VARINT; count++) {
      const byte = this.#bytes[this.#at++];
      if (byte === undefined) throw new Malformed('the bytes end in a number');
      value += (byte % SEVEN_BITS) * factor;
      if (byte < SEVEN_BITS) {
        if (value <= Number.MAX_SAFE_INTEGER) return value;
        break;
      }
      factor *= SEVEN_BITS;
    }
    throw new Malformed('a number is larger than any that is written');
  }

  text(longest: number): string {
    const length = this.varint();
    // A character takes at most four bytes.
    if (length > 4 * longest || length > this.#bytes.length - this.#at) throw new Malformed('a text is too long');
    const text = fromUtf8.decode(this.#bytes.subarray(this.#at, this.#at + length));
    this.#at += length;
    return text;
  }
}

/** Encodes signed numbers as unsigned ones, small as small: 0, -1, 1, -2 become 0, 1, 2, 3. */
export function zigzag(value: number): number {
  return value >= 0 ? value * 2 : -value * 2 - 1;
}

/** The inverse. */
export function unzigzag(code: number): number {
  return code % 2 === 0 ? code / 2 : -(code + 1) / 2;
}
