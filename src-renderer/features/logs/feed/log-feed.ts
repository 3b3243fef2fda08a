import { followStream, messageOf } from '../../../shared/machine/rpc/follow-stream.ts';
import type { Machine } from '../../../shared/machine/machine.ts';
import type { LogBatch, LogCriteria } from '../../../shared/machine/machine-view.ts';
import { LogLines, type LogGap } from './log-lines.ts';

/** Lines asked for at once: the most that the machine gives. */
const pageLines = 1_000;
/** Lines that one look back brings, where there are as many: many screens, read in less time than one is looked at. */
const lookBackLines = 2_000;
/** Lines that a gap is filled with at once; the rest of it stays a gap. */
const gapLines = 5_000;

/** How far back the page has got. */
export type PastState =
  /** There may be older lines, and nobody is reading them. */
  | 'more'
  /** Older lines are being read. */
  | 'reading'
  /** The first line is the first that the machine has. */
  | 'start'
  /** The page keeps no more lines. */
  | 'full';

/** Where the next older page is: below a number, and after the first page by the machine's own mark. */
interface Cursor {
  readonly beforeSeq: number;
  readonly olderToken: string;
}

export interface LogFeedOptions {
  readonly machine: Pick<Machine, 'connection' | 'tailLogs' | 'queryLogs'>;
  readonly criteria: LogCriteria;
  /** Called often; whoever draws waits for the next frame. */
  readonly onChange: () => void;
}

/**
 * Keeps the lines of one filter: the past by pages, the present by a stream.
 * After a lost link it asks for what was missed, by number, so that nothing is
 * missing and nothing is there twice.
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
  /** Of the present stream: reads that belong to it end with it. */
  #signal: AbortSignal | undefined;
  #stop = (): void => undefined;

  constructor(options: LogFeedOptions) {
    this.#options = options;
  }

  get past(): PastState {
    return this.#past;
  }

  /** Time down to which older lines were looked for, ms. */
  get searchedTo(): number | undefined {
    return this.#searchedTo;
  }

  /** Why nothing new comes, or no more of the past; '' while all is well. */
  get problem(): string {
    return this.#problem === '' ? this.#readProblem : this.#problem;
  }

  /** What of the stored log could not be read. */
  get unreadable(): readonly string[] {
    return [...this.#unreadable];
  }

  /** Whether the machine has told of the past, so that no lines means that there are none. */
  get hasBegun(): boolean {
    return this.#hasBegun;
  }

  /** Lines that came at the end since it is not followed. */
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
    if (!this.#isFollowing) this.#newLines += this.lines.heldLines + this.lines.letGo;
    if (this.lines.resume(this.#isFollowing)) this.#forgetStart();
    this.#options.onChange();
  }

  /** Follows the end, or stays where the reader is. */
  follow(isFollowing: boolean): void {
    if (this.#isFollowing === isFollowing) return;
    this.#isFollowing = isFollowing;
    this.#newLines = 0;
    if (isFollowing && this.lines.isDetached) this.#beginAgain();
    else if (isFollowing && this.lines.cut()) this.#forgetStart();
    this.#options.onChange();
  }

  /** Reads older lines, until there are some more or there are none. */
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

  /** Reads what is missing in a gap. */
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

  /** A stream has begun, after this line: the first one, or one after a lost link. */
  #begin(lastSeq: number): void {
    // What was being read of the past when the link was lost.
    if (this.#past === 'reading') this.#past = 'more';
    const { newestSeq } = this.lines;
    if (newestSeq > lastSeq) {
      // The machine's numbers began anew: its log was taken away. What is here is of another one.
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

  /** The first line is not the first of the log any more. */
  #forgetStart(): void {
    this.#cursor = { beforeSeq: this.lines.items[0]?.seq ?? 0, olderToken: '' };
    if (this.#past !== 'reading') this.#past = 'more';
  }

  /** Reads the end of the log again, after too much came to keep it all. */
  #beginAgain(): void {
    const { newestSeq } = this.lines;
    this.lines.clear();
    this.lines.reachesTo(newestSeq);
    this.#cursor = { beforeSeq: newestSeq + 1, olderToken: '' };
    this.#past = 'more';
    void this.loadOlder();
  }
}

/** In place of the stream where the end is in the past: begins, and brings nothing. */
async function* storedOnly(signal: AbortSignal): AsyncGenerator<LogBatch> {
  yield { lines: [], dropped: 0, lastSeq: Number.MAX_SAFE_INTEGER - 1 };
  await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
}
