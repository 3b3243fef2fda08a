import { createHash, randomUUID } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { Clock } from '../../base/clock.ts';
import { toArmatureError } from '../../base/errors.ts';
import { ForwardReader } from './forward-reader.ts';
import { lockFolder } from './folder-lock.ts';
import type { LogEntry, LogSink } from './log-entry.ts';
import type { LogFileLimits } from './log-file.ts';
import { matcherOf, type LogFilter, type LogPage } from './log-filter.ts';
import { LogSegments, type Segment } from './log-segments.ts';
import { LineWriter } from './line-writer.ts';
import { readBack, type LineBlock } from './segment-reader.ts';
import { fromStoredLine, mayMatch, placeOf, toStoredLine } from './stored-line.ts';

/** Longest time that one page is searched for, milliseconds; it is then answered with what was found. */
const PAGE_MS = 150;
/** Text of the entries of one page at most, characters. */
const PAGE_CHARS = 4 * 1024 * 1024;

/**
 * Folder of a machine's stored log: below the home, one for each configuration file, so that machines that share a
 * home keep apart.
 */
export function logFolder(home: string, configPath: string): string {
  const full = path.resolve(configPath);
  const name = path.basename(full, path.extname(full)).replace(/[^\w.-]/g, '_');
  const hash = createHash('sha256').update(full).digest('hex').slice(0, 8);
  return path.join(home, 'logs', `${name}-${hash}`);
}

/**
 * Opens the stored log, and makes its folder where there is none.
 * @returns the store, or why there can be none: a sentence for people
 */
export function openLogStore(
  folder: string,
  limits: LogFileLimits,
  clock: Clock,
  onTrouble: (message: string) => void,
): LogStore | { readonly reason: string } {
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    const lock = lockFolder(folder);
    if (typeof lock === 'object') {
      return { reason: `${folder} is in use by process ${lock.heldBy}, which serves the same configuration.` };
    }
    try {
      return new LogStore(folder, new LogSegments(folder, limits), lock, clock, onTrouble);
    } catch (thrown) {
      lock();
      throw thrown;
    }
  } catch (thrown) {
    return { reason: `${folder} cannot be used (${toArmatureError(thrown).message}).` };
  }
}

/** The name of a log, made with it. Throws as the file system does. */
function idOf(file: string): string {
  try {
    const known = readFileSync(file, 'utf8').trim();
    if (known !== '') return known;
  } catch (thrown) {
    if ((thrown as NodeJS.ErrnoException).code !== 'ENOENT') throw thrown;
  }
  const id = randomUUID();
  writeFileSync(file, `${id}\n`, { mode: 0o600 });
  return id;
}

interface TimeRange {
  readonly from: number;
  readonly to: number;
}

/** The log on disk: written as a sink, read in pages from the latest back. */
export class LogStore implements LogSink {
  readonly name: string;
  /** The number that the entries of this run begin with. */
  readonly nextSeq: number;
  /** Names this log: another one may have the same numbers. */
  readonly id: string;
  /** From the oldest entry on. */
  readonly forward: ForwardReader;
  readonly #segments: LogSegments;
  readonly #writer: LineWriter;
  readonly #release: () => void;
  readonly #clock: Clock;
  #lastSeq: number;
  /** Of full files that were read from end to end, by path: those that a time does not concern are not read again. */
  readonly #ranges = new Map<string, TimeRange>();

  constructor(
    folder: string,
    segments: LogSegments,
    release: () => void,
    clock: Clock,
    onTrouble: (message: string) => void,
  ) {
    this.name = `the stored log ${folder}`;
    this.#segments = segments;
    this.#release = release;
    this.#clock = clock;
    this.id = idOf(path.join(folder, 'id'));
    this.forward = new ForwardReader(() => segments.list);
    this.nextSeq = segments.nextSeq();
    this.#lastSeq = this.nextSeq - 1;
    this.#writer = new LineWriter(this.name, segments, onTrouble, toStoredLine);
  }

  write(entry: LogEntry): void {
    this.#lastSeq = entry.seq;
    this.#writer.write(entry);
  }

  flushSync(): void {
    this.#writer.flushSync();
  }

  /** Settles when what was logged before is on its medium, or could not be. */
  drained(): Promise<void> {
    return this.#writer.drained();
  }

  async close(): Promise<void> {
    await this.#writer.drained();
    this.#segments.end(this.#lastSeq);
    await this.#writer.close();
    this.#release();
  }

  /**
   * The latest stored entries that match, at most `limit`, all before
   * `beforeSeq`. Reads in pieces and gives up after a while: a page may be
   * short, or empty, and still have one before it.
   */
  async query(filter: LogFilter, limit: number, beforeSeq: number, signal: AbortSignal): Promise<LogPage> {
    const search = new Search(filter, limit, beforeSeq);
    const endsAt = this.#clock.monotonic() + PAGE_MS;
    // A page that got nowhere would be asked for again and again.
    const isOver = (): boolean => signal.aborted || (search.beforeSeq < beforeSeq && this.#clock.monotonic() >= endsAt);
    const unreadable: string[] = [];
    for (const segment of [...this.#segments.list].reverse()) {
      if (segment.firstSeq >= search.beforeSeq) continue;
      if (!this.#mayHold(segment, filter)) continue;
      if (search.isFull || isOver()) return search.page(true, unreadable);
      try {
        if (!(await this.#searchSegment(segment, search, isOver))) return search.page(true, unreadable);
      } catch (thrown) {
        // Rotated away since the list was made: the log begins after it now.
        if ((thrown as NodeJS.ErrnoException).code === 'ENOENT') break;
        unreadable.push(`${segment.path}: ${toArmatureError(thrown).message}`);
        search.passOver(segment);
      }
      if (search.isBeyond) break;
    }
    return search.page(false, unreadable);
  }

  /** @returns false where there was no time or room for all of it */
  async #searchSegment(segment: Segment, search: Search, isOver: () => boolean): Promise<boolean> {
    let from = Infinity;
    let to = -Infinity;
    const isWhole = search.seesTimes && search.beforeSeq >= this.#endOf(segment);
    for await (const block of readBack(segment.path, search.beforeSeq)) {
      const range = search.take(block);
      from = Math.min(from, range.from);
      to = Math.max(to, range.to);
      if (search.isBeyond) return true;
      if (block.isFirst) break;
      if (search.isFull || isOver()) return false;
    }
    if (isWhole && segment !== this.#segments.list.at(-1)) this.#ranges.set(segment.path, { from, to });
    return !search.isFull;
  }

  /** Number of the first entry after a segment. */
  #endOf(segment: Segment): number {
    return this.#segments.list.find(({ firstSeq }) => firstSeq > segment.firstSeq)?.firstSeq ?? Infinity;
  }

  #mayHold(segment: Segment, { startMs, endMs }: LogFilter): boolean {
    const range = this.#ranges.get(segment.path);
    if (range === undefined) return true;
    return (startMs === undefined || range.to >= startMs) && (endMs === undefined || range.from < endMs);
  }
}

/** One page in the making. */
class Search {
  readonly #filter: LogFilter;
  readonly #limit: number;
  readonly #matches: (entry: LogEntry) => boolean;
  readonly #mayMatch: (text: string) => boolean;
  readonly #found: LogEntry[] = [];
  #foundChars = 0;
  #beforeSeq: number;
  #searchedTo: number | undefined;
  #hasMore = false;

  constructor(filter: LogFilter, limit: number, beforeSeq: number) {
    this.#filter = filter;
    this.#limit = limit;
    this.#matches = matcherOf(filter);
    this.#mayMatch = mayMatch(filter);
    this.#beforeSeq = beforeSeq;
  }

  /** What is not before it was looked at. */
  get beforeSeq(): number {
    return this.#beforeSeq;
  }

  get isFull(): boolean {
    return this.#hasMore || this.#found.length >= this.#limit || this.#foundChars >= PAGE_CHARS;
  }

  /** Whether what is older than this is not asked for. */
  get isBeyond(): boolean {
    return this.#filter.afterSeq !== undefined && this.#beforeSeq <= this.#filter.afterSeq + 1;
  }

  /** Whether the times of all lines are looked at: otherwise a block that cannot hold anything is only passed over. */
  get seesTimes(): boolean {
    return this.#filter.startMs !== undefined || this.#filter.endMs !== undefined;
  }

  passOver(segment: Segment): void {
    this.#beforeSeq = Math.min(this.#beforeSeq, segment.firstSeq);
  }

  /** Looks through a block, latest line first. @returns the times of its lines */
  take(block: LineBlock): TimeRange {
    const mayHold = this.#mayMatch(block.text);
    if (!mayHold && !this.seesTimes && this.#skip(block.text)) return { from: Infinity, to: -Infinity };
    let from = Infinity;
    let to = -Infinity;
    for (let end = block.text.length; end > 0;) {
      // A place before the text would count as its beginning, where a newline may stand: this would not end.
      const start = end === 1 ? 0 : block.text.lastIndexOf('\n', end - 2) + 1;
      const place = placeOf(block.text.slice(start, Math.min(end, start + 64)));
      // A line that was torn, or written twice by a program that was dying, is passed over.
      if (place !== undefined && place.seq < this.#beforeSeq) {
        if (this.isFull) {
          this.#hasMore = true;
          break;
        }
        this.#beforeSeq = place.seq;
        this.#searchedTo = place.time;
        from = Math.min(from, place.time);
        to = Math.max(to, place.time);
        if (mayHold) this.#offer(block.text.slice(start, end), place.time);
      }
      end = start;
    }
    return { from, to };
  }

  /** @param hasMore whether there may be more to look through */
  page(hasMore: boolean, unreadable: readonly string[]): LogPage {
    return {
      entries: this.#found.reverse(),
      olderBeforeSeq: hasMore || this.#hasMore ? this.#beforeSeq : undefined,
      unreadable,
      searchedTo: this.#searchedTo,
    };
  }

  /** Goes to the beginning of a text that holds nothing. @returns false where it does not begin with a whole line */
  #skip(text: string): boolean {
    const first = placeOf(text.slice(0, 64));
    if (first === undefined) return false;
    if (first.seq < this.#beforeSeq) {
      this.#beforeSeq = first.seq;
      this.#searchedTo = first.time;
    }
    return true;
  }

  #offer(line: string, time: number): void {
    const { startMs, endMs } = this.#filter;
    if ((startMs !== undefined && time < startMs) || (endMs !== undefined && time >= endMs)) return;
    if (!this.#mayMatch(line)) return;
    const entry = fromStoredLine(line.trimEnd());
    if (entry === undefined || !this.#matches(entry)) return;
    this.#found.push(entry);
    this.#foundChars += line.length;
  }
}
