import type { Clock } from '../../../base/clock.ts';
import { StatusCode } from '../../../base/status.ts';
import type { Interceptor, ServerCall } from '../../../rpc/call.ts';
import type { Method } from '../../../rpc/method.ts';
import { counter, gauge, type AddSource, type Reading } from '../source.ts';

interface Counts {
  requests: number;
  errors: number;
  /** Of calls that ended, from arrival to end, milliseconds; without streams that have no end of their own. */
  durationMs: number;
  inFlight: number;
}

const metrics = [counter('requests'), counter('errors'), counter('duration', 's', 1_000), gauge('in_flight')];
const none = (): Counts => ({ requests: 0, errors: 0, durationMs: 0, inFlight: 0 });
const readingOf = ({ requests, errors, durationMs, inFlight }: Counts): Reading => [
  requests,
  errors,
  durationMs / 1_000,
  inFlight,
];

/**
 * Counts every call: all together, and per method. It counts methods that this program serves or forwards. Each is
 * identified by its object, so a call costs two additions to an array and no text. Names that callers invent are
 * counted together.
 */
export class CallCounter {
  readonly #clock: Clock;
  readonly #all = none();
  readonly #unknown = none();
  #openStreams = 0;
  /** A restarted module has other objects for the same methods. */
  readonly #byMethod = new WeakMap<Method, Counts>();
  readonly #byPath = new Map<string, Counts>();
  /** Undefined while nobody reads the counts. */
  #add: AddSource | undefined;
  readonly #added: (() => void)[] = [];

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Open streams without an end of their own. */
  get streams(): number {
    return this.#openStreams;
  }

  get interceptor(): Interceptor {
    return {
      name: 'call-counter',
      start: (call) => {
        const counts = this.#countsOf(call);
        counts.requests++;
        counts.inFlight++;
        this.#all.requests++;
        this.#all.inFlight++;
        if (call.method.traits.duration === 'lasting') this.#openStreams++;
      },
      end: (call, status) => {
        const isLasting = call.method.traits.duration === 'lasting';
        // A stream that was open for a day is not a day of work.
        const durationMs = isLasting ? 0 : this.#clock.monotonic() - call.startedAt;
        const isError = status.code !== StatusCode.OK && status.code !== StatusCode.CANCELLED;
        for (const counts of [this.#countsOf(call), this.#all]) {
          counts.inFlight--;
          counts.durationMs += durationMs;
          if (isError) counts.errors++;
        }
        if (isLasting) this.#openStreams--;
      },
    };
  }

  /**
   * Registers a source for all calls together, and one per method from its first call on. Returns a function that
   * removes them.
   */
  addTo(add: AddSource): () => void {
    this.#add = add;
    this.#added.push(
      add({ name: 'calls', metrics, read: () => readingOf(this.#all) }),
      add({ name: 'calls.unknown', metrics, read: () => readingOf(this.#unknown) }),
    );
    for (const [path, counts] of this.#byPath) this.#addMethod(add, path, counts);
    return () => {
      this.#add = undefined;
      for (const remove of this.#added.splice(0)) remove();
    };
  }

  #addMethod(add: AddSource, path: string, counts: Counts): void {
    this.#added.push(add({ name: `calls.${path.slice(1)}`, metrics, read: () => readingOf(counts) }));
  }

  #countsOf({ method }: ServerCall): Counts {
    const known = this.#byMethod.get(method);
    if (known !== undefined) return known;
    // Unknown methods are created for each call.
    if (method.requestType === undefined && !method.hasResource) return this.#unknown;
    let counts = this.#byPath.get(method.path);
    if (counts === undefined) {
      counts = none();
      this.#byPath.set(method.path, counts);
      if (this.#add !== undefined) this.#addMethod(this.#add, method.path, counts);
    }
    this.#byMethod.set(method, counts);
    return counts;
  }
}
