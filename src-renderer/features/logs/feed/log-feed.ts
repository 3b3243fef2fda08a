import { followStream, messageOf } from '../../../shared/machine/rpc/follow-stream.ts';
import type { Machine } from '../../../shared/machine/machine.ts';
import type { LogBatch, LogCriteria } from '../../../shared/machine/machine-view.ts';
import { LogLines, type LogGap } from './log-lines.ts';

/** The most lines that the machine gives in one answer. */
const pageLines = 1_000;
/** How many older lines are loaded at a time: many screens, read in less time than a person looks at one. */
const lookBackLines = 2_000;
/** How many lines of a gap are loaded at a time; the rest stays a gap. */
const gapLines = 5_000;

/** How far back the loaded lines reach. */
export type PastState =
  /** There may be older lines; none are being read. */
  | 'more'
  /** Older lines are being read. */
  | 'reading'
  /** The first line is the first of the machine's log. */
  | 'start'
  /** The page keeps no more lines. */
  | 'full';

/** Where the next older page ends: before a number, and after the first page also at the machine's token. */
interface Cursor {
  readonly beforeSeq: number;
  readonly olderToken: string;
}

export interface LogFeedOptions {
  readonly machine: Pick<Machine, 'connection' | 'tailLogs' | 'queryLogs'>;
  readonly criteria: LogCriteria;
  /** Called often: draw at most once per frame. */
  readonly onChange: () => void;
}

/**
 * Loads the lines that match one filter: past ones page by page, new ones from a stream. After a lost connection it
 * asks for the missed lines by number, so that none is missing or there twice.
 */
export class LogFeed {
  readonly lines = new LogLines();
  readonly #options: LogFeedOptions;
  #past: PastState = 'more';
  #cursor: Cursor | undefined;
  #searchedTo: number | undefined;
  #problem = '';
  #readProblem = '';
  readonly #unreadable = new Set<string>();
  readonly #filling = new Set<number>();
  #hasBegun = false;
  #newLines = 0;
  #isFollowing = true;
  /** Signal of the current stream: it aborts the reads that depend on the stream. */
  #signal: AbortSignal | undefined;
  #stop = (): void => undefined;

  constructor(options: LogFeedOptions) {
    this.#options = options;
  }

  get past(): PastState {
    return this.#past;
  }

  /** Older lines have been looked for back to this time, ms. */
  get searchedTo(): number | undefined {
    return this.#searchedTo;
  }

  /** Why no new or no older lines come; '' if all is well. */
  get problem(): string {
    return this.#problem === '' ? this.#readProblem : this.#problem;
  }

  /** Sentences that say which parts of the stored log could not be read. */
  get unreadable(): readonly string[] {
    return [...this.#unreadable];
  }

  /** Whether past lines have been read, so that an empty list means that there are none. */
  get hasBegun(): boolean {
    return this.#hasBegun;
  }

  /** Lines added at the end since following stopped. */
  get newLines(): number {
    return this.#newLines;
  }

  get isFollowing(): boolean {
    return this.#isFollowing;
  }

  isFilling(gap: LogGap): boolean {
    return this.#filling.has(gap.afterSeq);
  }

  start(): void {
    const { machine, criteria } = this.#options;
    this.#stop = followStream<LogBatch>({
      connection: machine.connection,
      open: (signal) => {
        this.#signal = signal;
        return criteria.to === undefined
          ? machine.tailLogs({ criteria, afterSeq: 0, backlog: 0 }, signal)
          : storedOnly(signal);
      },
      onItem: (batch) => this.#take(batch),
      onProblem: (message) => {
        this.#problem = message;
        this.#options.onChange();
      },
    });
  }

  stop(): void {
    this.#stop();
  }

  pause(): void {
    this.lines.pause();
    this.#options.onChange();
  }

  resume(): void {
    if (!this.#isFollowing) this.#newLines += this.lines.heldLines + this.lines.discardedLines;
    if (this.lines.resume(this.#isFollowing)) this.#forgetStart();
    this.#options.onChange();
  }

  /** Follows the end, or stays where the reader is. */
  follow(isFollowing: boolean): void {
    if (this.#isFollowing === isFollowing) return;
    this.#isFollowing = isFollowing;
    this.#newLines = 0;
    if (isFollowing && this.lines.isDetached) this.#reload();
    else if (isFollowing && this.lines.cut()) this.#forgetStart();
    this.#options.onChange();
  }

  /** Loads older lines, until there are enough or no more. */
  async loadOlder(): Promise<void> {
    const signal = this.#signal;
    if (this.#past !== 'more' || this.#cursor === undefined || signal === undefined || signal.aborted) return;
    this.#past = 'reading';
    this.#options.onChange();
    try {
      for (let found = 0; found < lookBackLines;) {
        const { lines, olderToken } = await this.#read(this.#cursor, 0, signal);
        found += lines.length;
        this.#hasBegun = true;
        if (!this.lines.prepend(lines)) {
          this.#past = 'full';
          return;
        }
        if (olderToken === '') {
          this.#past = 'start';
          return;
        }
        this.#cursor = { ...this.#cursor, olderToken };
        this.#options.onChange();
      }
      this.#past = 'more';
    } catch (thrown) {
      this.#past = 'more';
      if (!signal.aborted) this.#readProblem = messageOf(thrown);
    } finally {
      this.#options.onChange();
    }
  }

  /** Loads the lines that are missing in a gap. */
  async loadGap(gap: LogGap): Promise<void> {
    const signal = this.#signal;
    if (signal === undefined || signal.aborted || this.isFilling(gap)) return;
    this.#filling.add(gap.afterSeq);
    this.#options.onChange();
    let rest: LogGap | undefined = gap;
    let olderToken = '';
    try {
      for (let found = 0; found < gapLines && rest !== undefined;) {
        const page = await this.#read({ beforeSeq: gap.beforeSeq, olderToken }, gap.afterSeq, signal);
        found += page.lines.length;
        olderToken = page.olderToken;
        rest = this.lines.fill(rest, page.lines, olderToken === '');
        this.#options.onChange();
      }
    } catch (thrown) {
      if (!signal.aborted) this.#readProblem = messageOf(thrown);
    } finally {
      this.#filling.delete(gap.afterSeq);
      this.#options.onChange();
    }
  }

  #take(batch: LogBatch): void {
    if (batch.lastSeq > 0) this.#begin(batch.lastSeq);
    const first = batch.lines[0];
    if (batch.dropped > 0) this.lines.addGap(first?.seq ?? this.lines.newestSeq + batch.dropped + 1, batch.dropped);
    const { added, isCut } = this.lines.append(batch.lines, this.#isFollowing);
    if (!this.#isFollowing && !this.lines.isPaused) this.#newLines += added;
    if (isCut) this.#forgetStart();
    this.#options.onChange();
  }

  /** A stream began after line `lastSeq`: the first one, or one after a lost connection. */
  #begin(lastSeq: number): void {
    // The read of older lines ended with the old connection.
    if (this.#past === 'reading') this.#past = 'more';
    const { newestSeq } = this.lines;
    if (newestSeq > lastSeq) {
      // The machine's numbers started again, so this is another log and the lines here are of the old one.
      this.lines.clear();
      this.#cursor = undefined;
      this.#hasBegun = false;
    }
    if (this.#cursor === undefined) {
      this.lines.reachesTo(lastSeq);
      this.#cursor = { beforeSeq: lastSeq + 1, olderToken: '' };
      this.#past = 'more';
    } else if (newestSeq < lastSeq && this.#options.criteria.to === undefined) {
      void this.loadGap(this.lines.addGap(lastSeq + 1, undefined));
    }
    if (!this.#hasBegun) void this.loadOlder();
  }

  async #read({ beforeSeq, olderToken }: Cursor, afterSeq: number, signal: AbortSignal) {
    const { machine, criteria } = this.#options;
    const page = await machine.queryLogs({ criteria, afterSeq, beforeSeq, limit: pageLines, olderToken }, signal);
    signal.throwIfAborted();
    this.#readProblem = '';
    for (const sentence of page.unreadable) this.#unreadable.add(sentence);
    this.#searchedTo = page.searchedTo ?? this.#searchedTo;
    return page;
  }

  /** The first lines were dropped: older ones must be read from the first that is left. */
  #forgetStart(): void {
    this.#cursor = { beforeSeq: this.lines.items[0]?.seq ?? 0, olderToken: '' };
    if (this.#past !== 'reading') this.#past = 'more';
  }

  /** Loads the end of the log again, after more lines came than are kept. */
  #reload(): void {
    const { newestSeq } = this.lines;
    this.lines.clear();
    this.lines.reachesTo(newestSeq);
    this.#cursor = { beforeSeq: newestSeq + 1, olderToken: '' };
    this.#past = 'more';
    void this.loadOlder();
  }
}

/** Replaces the stream if the shown time ends in the past: it begins and gives no lines. */
async function* storedOnly(signal: AbortSignal): AsyncGenerator<LogBatch> {
  yield { lines: [], dropped: 0, lastSeq: Number.MAX_SAFE_INTEGER - 1 };
  await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
}
