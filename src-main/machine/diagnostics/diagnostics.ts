import type { Clock } from '../../base/clock.ts';
import { Mutex } from '../../base/async/mutex.ts';
import { codeOf } from '../../base/errors.ts';
import type { Logger } from '../../base/logger.ts';
import { decodeBlock } from './format/block-decoder.ts';
import { SeriesGatherer, type Series } from './reading/series.ts';
import { storedBlocks, type TimeRange } from './reading/stored-blocks.ts';
import { BlockWriter, type UnwrittenBlock, type WritingState } from './recording/block-writer.ts';
import { RecordFiles, type RecordFilesOptions } from './recording/record-files.ts';
import { Recorder, type Sample } from './recording/recorder.ts';
import { fullMetricName, type DiagnosticSource, type MetricDescription } from './source.ts';

/** `off`: by option. */
export type RecordingState = { readonly kind: 'off' } | WritingState;

/** A metric and where it comes from. */
export interface KnownMetric extends MetricDescription {
  readonly fullName: string;
  readonly source: string;
}

export interface DiagnosticsOptions extends RecordFilesOptions {
  /** `-ftdc`: without it nothing is sampled, kept in memory or written, but earlier records can be read. */
  readonly isOn: boolean;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** What was found in a time range. */
export interface Found<T> {
  readonly found: T;
  /** What could not be read and was left out: sentences for people. */
  readonly unreadable: readonly string[];
}

/** Full-time diagnostic data capture of one machine: its sources, its records, and reading the records. */
export class Diagnostics {
  readonly #options: DiagnosticsOptions;
  readonly #writer: BlockWriter | undefined;
  readonly #recorder: Recorder | undefined;
  /** Readers share the processor with motors, so they take turns. */
  readonly #reading = new Mutex();

  constructor(options: DiagnosticsOptions) {
    this.#options = options;
    if (!options.isOn) return;
    const { clock, logger } = options;
    this.#writer = new BlockWriter({ open: () => RecordFiles.open(options), now: () => clock.now(), logger });
    this.#recorder = new Recorder(clock, this.#writer);
  }

  get state(): RecordingState {
    return this.#writer?.state ?? { kind: 'off' };
  }

  /** Where the records are. */
  get folder(): string {
    return this.#options.folder;
  }

  /** Samples a source every second; does nothing if recording is off. Returns a function that removes the source. */
  add(source: DiagnosticSource): () => void {
    return this.#recorder?.add(source) ?? (() => undefined);
  }

  /** Calls `listener` with each new sample. Returns an unsubscribe function. */
  onSample(listener: (sample: Sample) => void): () => void {
    return this.#recorder?.onSample(listener) ?? (() => undefined);
  }

  /** Starts recording. Adds to the records what a killed process left. */
  start(): void {
    this.#recorder?.start();
    void this.#writer?.open();
  }

  /** Stops recording. Afterwards all samples are on the disk, if there is room. */
  async close(): Promise<void> {
    this.#recorder?.stop();
    await this.#writer?.close();
  }

  /** Metrics in a time range by their full names, in `count` intervals. */
  async series(
    names: Iterable<string>,
    range: TimeRange,
    count: number,
    signal: AbortSignal,
  ): Promise<Found<ReadonlyMap<string, Series>>> {
    const wanted = new Set(names);
    const gatherer = new SeriesGatherer((name) => wanted.has(name), range, count);
    const unreadable = await this.#eachBlock(range, (records) => gatherer.add(records), signal);
    return { found: gatherer.series, unreadable };
  }

  /** Current metrics by their full names, and those of a time range where one is given. */
  async metrics(range: TimeRange | undefined, signal: AbortSignal): Promise<Found<ReadonlyMap<string, KnownMetric>>> {
    const found = new Map<string, KnownMetric>();
    const take = ({ name, metrics }: Pick<DiagnosticSource, 'name' | 'metrics'>): void => {
      for (const metric of metrics) {
        const fullName = fullMetricName(name, metric.name);
        found.set(fullName, { ...metric, fullName, source: name });
      }
    };
    const unreadable =
      range === undefined
        ? []
        : await this.#eachBlock(range, (records) => decodeBlock(records, { source: take }), signal);
    this.#recorder?.sources.forEach(take);
    return { found, unreadable };
  }

  async #eachBlock(
    range: TimeRange,
    visit: (records: Uint8Array) => void,
    signal: AbortSignal,
  ): Promise<readonly string[]> {
    const unreadable = new Set<string>();
    await this.#reading.run(async () => {
      try {
        const blocks = storedBlocks(this.folder, range, this.#unwritten(), (what) => unreadable.add(`${what}.`));
        for await (const records of blocks) {
          signal.throwIfAborted();
          visit(records);
        }
      } catch (thrown) {
        // Nothing was recorded so far.
        if (codeOf(thrown) !== 'ENOENT') throw thrown;
      }
    }, signal);
    return [...unreadable];
  }

  /** Undefined if another process may be writing. */
  #unwritten(): readonly UnwrittenBlock[] | undefined {
    if (this.#writer === undefined || this.#recorder === undefined) return undefined;
    return this.#writer.unwritten(this.#recorder.openBlock.records);
  }
}
