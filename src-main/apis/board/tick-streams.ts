import type { Tick } from './types.ts';
import { onAbort } from '../../base/async/abort.ts';
import { backoffDelayMs, defaultBackoff } from '../../base/async/backoff.ts';
import { sleep, type Clock } from '../../base/clock.ts';
import { Emitter } from '../../base/async/emitter.ts';
import { toArmatureError, type ArmatureError } from '../../base/errors.ts';

export interface TickStreamsOptions {
  readonly clock: Clock;
  /** Nothing is opened after it aborts. */
  readonly closed: AbortSignal;
  /** The ticks of some interrupts in order; the first item is undefined and shows that ticks follow. */
  readonly open: (names: readonly string[], signal: AbortSignal) => AsyncIterable<Tick | undefined>;
}

/** Listeners added in one turn of the event loop, and their shared stream. */
interface Batch {
  readonly listeners: Map<string, Emitter<Tick>>;
  readonly stop: AbortController;
  readonly opened: Promise<void>;
  readonly setOpened: () => void;
  failure: ArmatureError | undefined;
}

/**
 * Ticks of a board in another process. Interrupts that get listeners within one turn share a stream, because two
 * streams would lose the order of edges on two lines. A stream that ends is reopened while it has listeners.
 */
export class TickStreams {
  readonly #options: TickStreamsOptions;
  readonly #batches = new Set<Batch>();
  readonly #last = new Map<string, Tick>();
  #gathering: Batch | undefined;

  constructor(options: TickStreamsOptions) {
    this.#options = options;
    onAbort(options.closed, () => {
      for (const batch of this.#batches) this.#end(batch);
    });
  }

  /** Calls `listener` on every tick of an interrupt. Returns an unsubscribe function. */
  listen(name: string, listener: (tick: Tick) => void): () => void {
    const batch = (this.#gathering ??= this.#newBatch());
    const ticks = batch.listeners.get(name) ?? new Emitter();
    batch.listeners.set(name, ticks);
    const unsubscribe = ticks.on(listener);
    return () => {
      unsubscribe();
      if ([...batch.listeners.values()].every(({ size }) => size === 0)) this.#end(batch);
    };
  }

  /** Settles when ticks of an interrupt arrive; at once if it has no listeners or its ticks cannot be received. */
  async opened(name: string): Promise<void> {
    await Promise.all([...this.#batchesOf(name)].map(({ opened }) => opened));
  }

  /** Why the listeners of an interrupt see no edges. */
  failureOf(name: string): ArmatureError | undefined {
    for (const { failure } of this.#batchesOf(name)) if (failure !== undefined) return failure;
    return undefined;
  }

  lastOf(name: string): Tick | undefined {
    return this.#last.get(name);
  }

  *#batchesOf(name: string): Iterable<Batch> {
    for (const batch of this.#batches) if (batch.listeners.has(name)) yield batch;
  }

  #newBatch(): Batch {
    let setOpened = (): void => undefined;
    const opened = new Promise<void>((resolve) => (setOpened = resolve));
    const batch: Batch = {
      listeners: new Map(),
      stop: new AbortController(),
      opened,
      setOpened,
      failure: undefined,
    };
    this.#batches.add(batch);
    queueMicrotask(() => {
      this.#gathering = undefined;
      void this.#read(batch);
    });
    return batch;
  }

  #end(batch: Batch): void {
    this.#batches.delete(batch);
    batch.setOpened();
    batch.stop.abort();
  }

  /** Runs until it is stopped. Never rejects. */
  async #read(batch: Batch): Promise<void> {
    const { clock, closed } = this.#options;
    const { signal } = batch.stop;
    for (let failures = 1; !signal.aborted && !closed.aborted; failures++) {
      try {
        for await (const tick of this.#options.open([...batch.listeners.keys()], signal)) {
          batch.failure = undefined;
          failures = 1;
          batch.setOpened();
          if (tick !== undefined) this.#deliver(batch, tick);
        }
      } catch (thrown) {
        batch.failure = toArmatureError(thrown);
      }
      batch.setOpened();
      await sleep(clock, backoffDelayMs(defaultBackoff, failures, 0), signal);
    }
  }

  #deliver(batch: Batch, tick: Tick): void {
    this.#last.set(tick.interrupt, tick);
    batch.listeners.get(tick.interrupt)?.emit(tick);
  }
}
