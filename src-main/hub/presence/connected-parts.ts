import { Emitter } from '../../base/async/emitter.ts';
import { TokenBucket } from '../../base/async/token-bucket.ts';
import type { Clock } from '../../base/clock.ts';
import { ArmatureError } from '../../base/errors.ts';
import type { Author } from '../access/author.ts';
import type { PartStream } from './part-stream.ts';

/** Ten connections at once, then one every 2 s: more than any faulty machine needs. */
const CONNECTIONS = { capacity: 10, perSecond: 0.5 };

/** The parts that are currently connected, with one stream each. */
export class ConnectedParts {
  readonly #clock: Clock;
  readonly #streams = new Map<string, PartStream>();
  readonly #allowances = new Map<string, TokenBucket>();
  readonly #changed = new Emitter<string>();

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

  /** Calls back when a part has connected or disconnected. Returns an unsubscribe function. */
  onChange(listener: (partId: string) => void): () => void {
    return this.#changed.on(listener);
  }

  /**
   * Counts a connection attempt before any other work for it.
   * @param caller each caller has its own limit, so that attempts by others do not block the part
   * @throws {ArmatureError} `call.overloaded` for a caller that connects a part too often
   */
  admit(partId: string, { type, id }: Author): void {
    const key = `${partId} ${type} ${id}`;
    const allowance = this.#allowances.get(key) ?? new TokenBucket(this.#clock, CONNECTIONS);
    if (!allowance.take()) {
      const retryAfterMs = Math.ceil(allowance.waitMs());
      throw new ArmatureError(
        'call.overloaded',
        `The part "${partId}" connects too often: wait ${retryAfterMs} ms. If it is not restarting, another machine uses its credentials.`,
        { details: { retryAfterMs } },
      );
    }
    this.#allowances.set(key, allowance);
    if (this.#allowances.size > 2 * this.#streams.size + 1_000) this.#forgetQuiet();
  }

  /** Adds the stream of a part, and ends the previous one. */
  add(stream: PartStream): void {
    const before = this.#streams.get(stream.partId);
    this.#streams.set(stream.partId, stream);
    before?.end(
      new ArmatureError(
        'part.replaced',
        `Another connection of part "${stream.partId}", from ${stream.hello.host || 'an unknown host'}, replaced this one.`,
      ),
    );
    this.#changed.emit(stream.partId);
  }

  remove(stream: PartStream): void {
    stream.end();
    if (this.#streams.get(stream.partId) !== stream) return;
    this.#streams.delete(stream.partId);
    this.#changed.emit(stream.partId);
  }

  #forgetQuiet(): void {
    const now = this.#clock.monotonic();
    for (const [key, allowance] of this.#allowances) if (allowance.isFull(now)) this.#allowances.delete(key);
  }
}
