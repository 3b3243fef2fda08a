import type { Tick } from './types.ts';

/** Most ticks that wait for one slow reader; beyond that the oldest are dropped. */
const DEFAULT_CAPACITY = 4_096;

/**
 * Ticks on their way to one reader. Bounded: a slow reader loses the oldest ticks, which are counted, and does not slow
 * other readers.
 */
export class TickQueue implements AsyncIterable<Tick> {
  readonly #ring: (Tick | undefined)[];
  #first = 0;
  #size = 0;
  #dropped = 0;
  #isEnded = false;
  #wake: (() => void) | undefined;

  constructor(capacity: number = DEFAULT_CAPACITY) {
    this.#ring = new Array<Tick | undefined>(capacity);
  }

  /** Ticks lost so far. */
  get dropped(): number {
    return this.#dropped;
  }

  push(tick: Tick): void {
    if (this.#isEnded) return;
    const capacity = this.#ring.length;
    if (this.#size === capacity) {
      this.#first = (this.#first + 1) % capacity;
      this.#size--;
      this.#dropped++;
    }
    this.#ring[(this.#first + this.#size) % capacity] = tick;
    this.#size++;
    this.#wakeReader();
  }

  /** Ends the reader after the queued ticks. */
  end(): void {
    this.#isEnded = true;
    this.#wakeReader();
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Tick, void, undefined> {
    for (;;) {
      const tick = this.#take();
      if (tick !== undefined) yield tick;
      else if (this.#isEnded) return;
      else await new Promise<void>((resolve) => (this.#wake = resolve));
    }
  }

  #take(): Tick | undefined {
    if (this.#size === 0) return undefined;
    const tick = this.#ring[this.#first];
    this.#ring[this.#first] = undefined;
    this.#first = (this.#first + 1) % this.#ring.length;
    this.#size--;
    return tick;
  }

  #wakeReader(): void {
    const wake = this.#wake;
    this.#wake = undefined;
    wake?.();
  }
}
