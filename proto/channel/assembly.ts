/** Joins the packets of one message. A message that came in one packet is not copied. */
export class Assembly {
  #parts: Uint8Array[] = [];
  #bytes = 0;

  get bytes(): number {
    return this.#bytes;
  }

  get isEmpty(): boolean {
    return this.#parts.length === 0;
  }

  add(data: Uint8Array): void {
    if (data.length === 0) return;
    this.#parts.push(data);
    this.#bytes += data.length;
  }

  /** The whole message; the assembly is empty again. */
  take(): Uint8Array {
    const parts = this.#parts;
    const total = this.#bytes;
    this.clear();
    const [first] = parts;
    if (parts.length === 1 && first !== undefined) return first;
    const whole = new Uint8Array(total);
    let offset = 0;
    for (const part of parts) {
      whole.set(part, offset);
      offset += part.length;
    }
    return whole;
  }

  clear(): void {
    this.#parts = [];
    this.#bytes = 0;
  }
}
