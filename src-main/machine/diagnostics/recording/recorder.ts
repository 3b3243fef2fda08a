import type { Clock, Timer } from '../../../base/clock.ts';
import { Emitter } from '../../../base/async/emitter.ts';
import { ArmatureError } from '../../../base/errors.ts';
import { BlockEncoder, inSteps, type SourceRow } from '../format/block-encoder.ts';
import { limits } from '../format/limits.ts';
import type { DiagnosticSource, Reading } from '../source.ts';

/** Time from one sample to the next. */
export const SAMPLE_MS = 1_000;
/** A source that has not answered by then misses its row. */
export const DEADLINE_MS = 500;
/** Samples in a block. */
export const BLOCK_SAMPLES = 60;
/** Samples that a kill may lose: the open block is stored that often. */
export const KEEP_SAMPLES = 5;
/** Bytes after which a block ends early: one more sample still fits. */
const BLOCK_ROOM = limits.block / 2;

/** Values of one source at one moment, in steps. */
export interface SampledRow {
  readonly source: DiagnosticSource;
  readonly values: Float64Array;
}

/** A moment. */
export interface Sample {
  /** Wall clock, whole milliseconds. */
  readonly timeMs: number;
  readonly rows: readonly SampledRow[];
}

/** A block that is full, or the open one so far. */
export interface EncodedBlock {
  readonly firstMs: number;
  readonly lastMs: number;
  readonly records: Uint8Array;
}

/** Receives what was recorded; both methods are called within the second, and return at once. */
export interface BlockSink {
  /** Complete records of the open block since the last call. */
  keep(records: Uint8Array): void;
  /** The open block is full: all of its records, including those passed to `keep`. */
  complete(block: EncodedBlock): void;
}

interface Registration {
  readonly source: DiagnosticSource;
  /** Its number in the open block. */
  id: number | undefined;
  isBusy: boolean;
}

/**
 * Samples every source once a second and writes the samples as blocks. No source is sampled twice at once, and none
 * delays another: late samples are left out.
 */
export class Recorder {
  readonly #clock: Clock;
  readonly #sink: BlockSink;
  readonly #registrations = new Map<string, Registration>();
  readonly #sampled = new Emitter<Sample>();
  #block = new BlockEncoder();
  /** Bytes of the open block that the sink received. */
  #kept = 0;
  #timer: Timer | undefined;
  #isSampling = false;

  constructor(clock: Clock, sink: BlockSink) {
    this.#clock = clock;
    this.#sink = sink;
  }

  get sources(): readonly DiagnosticSource[] {
    return [...this.#registrations.values()].map(({ source }) => source);
  }

  /** The open block so far; a copy. */
  get openBlock(): EncodedBlock {
    const { first: firstMs, last: lastMs } = this.#block.range;
    return { firstMs, lastMs, records: this.#block.since(0).slice() };
  }

  /** Samples a source from the next second on. Returns a function that removes it. */
  add(source: DiagnosticSource): () => void {
    if (source.metrics.length > limits.metrics) {
      throw new ArmatureError('internal.bug', `${source.name} has more metrics than ${limits.metrics}.`);
    }
    if (this.#registrations.has(source.name)) {
      throw new ArmatureError('internal.bug', `There is a diagnostic source ${source.name} already.`);
    }
    const registration: Registration = { source, id: undefined, isBusy: false };
    this.#registrations.set(source.name, registration);
    return () => {
      if (this.#registrations.get(source.name) === registration) this.#registrations.delete(source.name);
    };
  }

  /** Calls `listener` with each new sample. Returns an unsubscribe function. */
  onSample(listener: (sample: Sample) => void): () => void {
    return this.#sampled.on(listener);
  }

  start(): void {
    this.#timer ??= this.#clock.every(SAMPLE_MS, () => this.#tick());
  }

  /** Stops sampling, and passes the rest to the sink. */
  stop(): void {
    this.#timer?.cancel();
    this.#timer = undefined;
    if (this.#block.samples > 0) this.#complete();
  }

  #tick(): void {
    if (this.#isSampling) return;
    this.#isSampling = true;
    const timeMs = Math.round(this.#clock.now());
    const rows = new Map<Registration, Reading>();
    const waiting: Promise<void>[] = [];
    for (const registration of this.#registrations.values()) {
      if (registration.isBusy) continue;
      try {
        const said = registration.source.read();
        if (said instanceof Promise) waiting.push(this.#answerOf(registration, said, rows));
        else if (said !== undefined) rows.set(registration, said);
      } catch {
        // A value that a source does not know is missing in its row, and nowhere else.
      }
    }
    if (waiting.length === 0) {
      this.#take(timeMs, rows);
      return;
    }
    let isTaken = false;
    const take = (): void => {
      timer.cancel();
      if (isTaken) return;
      isTaken = true;
      this.#take(timeMs, rows);
    };
    const timer = this.#clock.after(DEADLINE_MS, take);
    void Promise.all(waiting).then(take);
  }

  /** Never rejects. */
  async #answerOf(
    registration: Registration,
    said: Promise<Reading | undefined>,
    rows: Map<Registration, Reading>,
  ): Promise<void> {
    registration.isBusy = true;
    try {
      const reading = await said;
      if (reading !== undefined) rows.set(registration, reading);
    } catch {
      // As above.
    } finally {
      registration.isBusy = false;
    }
  }

  #take(timeMs: number, readings: ReadonlyMap<Registration, Reading>): void {
    this.#isSampling = false;
    if (this.#timer === undefined) return;
    const sampled: SampledRow[] = [];
    const rows: SourceRow[] = [];
    for (const [registration, reading] of readings) {
      const { source } = registration;
      if (registration.id === undefined) {
        if (this.#block.isFull) continue;
        registration.id = this.#block.define(source.name, source.metrics);
      }
      const values = Float64Array.from(source.metrics, ({ steps }, index) => inSteps(reading[index], steps));
      sampled.push({ source, values });
      rows.push({ id: registration.id, values });
    }
    rows.sort((a, b) => a.id - b.id);
    this.#block.sample(timeMs, rows);
    if (this.#sampled.size > 0) this.#sampled.emit({ timeMs, rows: sampled });
    if (this.#block.samples >= BLOCK_SAMPLES || this.#block.length > BLOCK_ROOM) this.#complete();
    else if (this.#block.samples % KEEP_SAMPLES === 0) {
      this.#sink.keep(this.#block.since(this.#kept).slice());
      this.#kept = this.#block.length;
    }
  }

  #complete(): void {
    const block = this.openBlock;
    this.#block = new BlockEncoder();
    this.#kept = 0;
    for (const registration of this.#registrations.values()) registration.id = undefined;
    this.#sink.complete(block);
  }
}
