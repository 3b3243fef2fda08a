import type { Clock } from '../../base/clock.ts';
import { ArmatureError } from '../../base/errors.ts';
import type { Author } from '../access/author.ts';
import type { PartStream } from './part-stream.ts';

/** So many connections at once, and then one in this time: more than any machine in trouble needs. */
const BURST = 10;
const REFILL_MS = 2_000;

interface Allowance {
  left: number;
  countedAt: number;
}

/** The parts that are connected at this moment, one stream each. */
export class ConnectedParts {
  readonly #clock: Clock;
  readonly #streams = new Map<string, PartStream>();
  readonly #allowances = new Map<string, Allowance>();
  readonly #listeners = new Set<(partId: string) => void>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  get size(): number {
    return this.#streams.size;
  }

  get(partId: string): PartStream | undefined {
    return this.#streams.get(partId);
  }

  all(): Iterable<PartStream> {
    return this.#streams.values();
  }

  /** Calls back when a part has connected, or is connected no more. Returns its undoing. */
  onChange(listener: (partId: string) => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  /**
   * Counts a connection before anything is done for it.
   * @param caller who asks: what others try for this part costs it nothing
   * @throws {ArmatureError} `call.overloaded` for a caller that connects a part again and again
   */
  admit(partId: string, { type, id }: Author): void {
    const now = this.#clock.monotonic();
    const allowance = `${partId} ${type} ${id}`;
    const known = this.#allowances.get(allowance) ?? { left: BURST, countedAt: now };
    const refilled = Math.floor((now - known.countedAt) / REFILL_MS);
    const left = Math.min(BURST, known.left + refilled);
    const countedAt = left === BURST ? now : known.countedAt + refilled * REFILL_MS;
    if (left === 0) {
      const retryAfterMs = Math.ceil(countedAt + REFILL_MS - now);
      throw new ArmatureError(
        'call.overloaded',
        `The part "${partId}" connects too often: wait ${retryAfterMs} ms. If it is not restarting, another machine uses its credentials.`,
        { details: { retryAfterMs } },
      );
    }
    this.#allowances.set(allowance, { left: left - 1, countedAt });
    if (this.#allowances.size > 2 * this.#streams.size + 1_000) this.#forgetQuiet(now);
  }

  /** Takes a stream in; one that the part had before is ended. */
  add(stream: PartStream): void {
    const before = this.#streams.get(stream.partId);
    this.#streams.set(stream.partId, stream);
    before?.end(
      new ArmatureError(
        'part.replaced',
        `Another connection of part "${stream.partId}", from ${stream.hello.host || 'somewhere'}, took the place of this one.`,
      ),
    );
    this.#tell(stream.partId);
  }

  remove(stream: PartStream): void {
    stream.end();
    if (this.#streams.get(stream.partId) !== stream) return;
    this.#streams.delete(stream.partId);
    this.#tell(stream.partId);
  }

  #tell(partId: string): void {
    for (const listener of this.#listeners) listener(partId);
  }

  #forgetQuiet(now: number): void {
    for (const [allowance, { countedAt }] of this.#allowances) {
      if (now - countedAt > BURST * REFILL_MS) this.#allowances.delete(allowance);
    }
  }
}
