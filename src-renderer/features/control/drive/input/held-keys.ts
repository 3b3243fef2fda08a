import { keyPairs, type KeyPair } from './key-pairs.ts';

/** Which keys are down, and which of them count. */
export class HeldKeys {
  /** By `KeyboardEvent.code`; false for a key that does not count until it is pressed again. */
  readonly #down = new Map<string, boolean>();

  /** A key that is down already, as one that repeats, stays as it is. */
  press(code: string): void {
    if (!this.#down.has(code)) this.#down.set(code, true);
  }

  release(code: string): void {
    this.#down.delete(code);
  }

  releaseAll(): void {
    this.#down.clear();
  }

  /** Lets the keys that are down now count only after they were released. */
  disregard(): void {
    for (const code of this.#down.keys()) this.#down.set(code, false);
  }

  isDown(code: string): boolean {
    return this.#down.has(code);
  }

  /** 1 forward, -1 back, 0 for none or both. */
  valueOf(pair: KeyPair): number {
    const { forward, back } = keyPairs[pair];
    return Number(this.#down.get(forward) === true) - Number(this.#down.get(back) === true);
  }
}
