import type { LogLine } from '../../../shared/machine/machine-view.ts';

/** Lines that are missing here and that the machine may still have. */
export interface LogGap {
  /** A number between those of the lines beside it: its position and its key. */
  readonly seq: number;
  /** The missing lines are between these two numbers, which are not missing. */
  readonly afterSeq: number;
  readonly beforeSeq: number;
  /** Number of missing lines; undefined if it is not known. */
  readonly count: number | undefined;
}

export type LogItem = LogLine | LogGap;

export function isGap(item: LogItem): item is LogGap {
  return 'afterSeq' in item;
}

/** Index of a line or gap by its number; -1 if it is not there. A binary search: the items are in order. */
export function indexOfSeq(items: readonly LogItem[], seq: number): number {
  let low = 0;
  let high = items.length - 1;
  while (low <= high) {
    const middle = (low + high) >> 1;
    const found = items[middle]?.seq ?? Infinity;
    if (found === seq) return middle;
    if (found < seq) low = middle + 1;
    else high = middle - 1;
  }
  return -1;
}

/** The most lines kept while the end is followed, and how many more may come while somebody reads further up. */
export const MAX_LINES = 100_000;
export const MAX_EXTRA_LINES = 20_000;
/** The most lines held back while paused; beyond that, the oldest are discarded and counted. */
export const MAX_HELD_LINES = 10_000;

/**
 * The lines of the page in the order of their numbers, each once; a gap stands for lines that are missing between two
 * others. Their number is limited: while the end is followed, the oldest are dropped (the machine's log has them), and
 * while somebody reads further up, none is dropped, and lines that do not fit at the end are only counted.
 */
export class LogLines {
  #items: LogItem[] = [];
  #held: LogItem[] = [];
  #heldLines = 0;
  #discardedLines = 0;
  #newestSeq = 0;
  #isPaused = false;
  #isDetached = false;

  /** In order. The array changes in place. */
  get items(): readonly LogItem[] {
    return this.#items;
  }

  get isPaused(): boolean {
    return this.#isPaused;
  }

  /** Lines held back while paused. */
  get heldLines(): number {
    return this.#heldLines;
  }

  /** Lines that came during the pause and were discarded to make room for newer ones. */
  get discardedLines(): number {
    return this.#discardedLines;
  }

  /** Whether the newest lines did not fit, so that the end must be read again. */
  get isDetached(): boolean {
    return this.#isDetached;
  }

  /** Number of the newest line, shown or not. */
  get newestSeq(): number {
    return this.#newestSeq;
  }

  /** Marks every line up to this number as known or about to be read. */
  reachesTo(seq: number): void {
    this.#newestSeq = Math.max(this.#newestSeq, seq);
  }

  clear(): void {
    this.#items = [];
    this.#held = [];
    this.#heldLines = 0;
    this.#discardedLines = 0;
    this.#newestSeq = 0;
    this.#isDetached = false;
  }

  /**
   * Adds lines at the end, or to those held back by a pause; ignores lines that are here already.
   * @returns how many were new, and whether the oldest were dropped
   */
  append(lines: readonly LogLine[], isFollowing: boolean): { readonly added: number; readonly isCut: boolean } {
    const fresh = lines.filter(({ seq }) => seq > this.#newestSeq);
    const last = fresh.at(-1);
    if (last === undefined) return { added: 0, isCut: false };
    this.#newestSeq = last.seq;
    if (this.#isPaused) {
      this.#hold(fresh);
      return { added: fresh.length, isCut: false };
    }
    if (!isFollowing && (this.#isDetached || this.#items.length + fresh.length > MAX_LINES + MAX_EXTRA_LINES)) {
      this.#isDetached = true;
      return { added: fresh.length, isCut: false };
    }
    for (const line of fresh) this.#items.push(line);
    return { added: fresh.length, isCut: isFollowing && this.cut() };
  }

  /** Drops the oldest lines beyond the limit. @returns whether there were any */
  cut(): boolean {
    if (this.#items.length <= MAX_LINES) return false;
    this.#items = this.#items.slice(-MAX_LINES);
    return true;
  }

  /** Adds a gap at the end, up to `beforeSeq`. */
  addGap(beforeSeq: number, count: number | undefined): LogGap {
    const gap: LogGap = { seq: this.#newestSeq + 0.5, afterSeq: this.#newestSeq, beforeSeq, count };
    (this.#isPaused ? this.#held : this.#items).push(gap);
    this.#newestSeq = Math.max(this.#newestSeq, beforeSeq - 1);
    return gap;
  }

  /**
   * Puts missing lines into their gap, the latest of them first.
   * @returns what is left of the gap; undefined if nothing is
   */
  fill(gap: LogGap, lines: readonly LogLine[], isComplete: boolean): LogGap | undefined {
    const list = [this.#items, this.#held].find((items) => items.includes(gap));
    if (list === undefined) return undefined;
    const first = lines[0];
    const count = gap.count === undefined ? undefined : Math.max(gap.count - lines.length, 1);
    const rest: LogGap = { ...gap, beforeSeq: first?.seq ?? gap.beforeSeq, count };
    list.splice(list.indexOf(gap), 1, ...(isComplete ? [] : [rest]), ...lines);
    if (list === this.#held) this.#heldLines += lines.length;
    return isComplete ? undefined : rest;
  }

  /**
   * Adds older lines at the beginning, as many as there is room for.
   * @returns whether there was room for all
   */
  prepend(lines: readonly LogLine[]): boolean {
    const first = this.#items[0]?.seq ?? Infinity;
    const older = lines.filter(({ seq }) => seq < first);
    const room = Math.max(0, MAX_LINES - this.#items.length);
    this.#items = [...(older.length > room ? older.slice(older.length - room) : older), ...this.#items];
    this.reachesTo(older.at(-1)?.seq ?? 0);
    return older.length <= room;
  }

  pause(): void {
    this.#isPaused = true;
    this.#discardedLines = 0;
  }

  /** Shows the lines held back, after a gap for the discarded ones. @returns whether the oldest were dropped */
  resume(isFollowing: boolean): boolean {
    this.#isPaused = false;
    const first = this.#held.find((item) => !isGap(item));
    if (this.#discardedLines > 0 && first !== undefined) {
      const afterSeq = this.#items.findLast((item) => !isGap(item))?.seq ?? 0;
      this.#items.push({ seq: afterSeq + 0.5, afterSeq, beforeSeq: first.seq, count: this.#discardedLines });
    }
    for (const item of this.#held) this.#items.push(item);
    this.#held = [];
    this.#heldLines = 0;
    this.#discardedLines = 0;
    return isFollowing && this.cut();
  }

  #hold(lines: readonly LogLine[]): void {
    for (const line of lines) this.#held.push(line);
    this.#heldLines += lines.length;
    if (this.#heldLines <= MAX_HELD_LINES) return;
    const gone = this.#held.splice(0, this.#held.length - MAX_HELD_LINES);
    const lost = gone.filter((item) => !isGap(item)).length;
    this.#heldLines -= lost;
    this.#discardedLines += lost;
  }
}
