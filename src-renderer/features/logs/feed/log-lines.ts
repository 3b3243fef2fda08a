import type { LogLine } from '../../../shared/machine/machine-view.ts';

/** A place where lines are missing here that the machine may still have. */
export interface LogGap {
  /** Between the numbers of the lines beside it: its place and its key. */
  readonly seq: number;
  /** The lines that are missing are after and before these. */
  readonly afterSeq: number;
  readonly beforeSeq: number;
  /** How many; undefined where nobody knows. */
  readonly count: number | undefined;
}

export type LogItem = LogLine | LogGap;

export function isGap(item: LogItem): item is LogGap {
  return 'afterSeq' in item;
}

/** Place of a line or gap by its number, -1 where it is not there. By halving: they are in order. */
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

/** Lines that are kept on the page, and on top of them as many as may come while somebody reads further up. */
export const keptLines = 100_000;
export const readingSlack = 20_000;
/** Lines that wait while paused; of more, the oldest are let go and counted. */
export const heldLimit = 10_000;

/**
 * The lines of the page in the order of their numbers. Bounded: while the end
 * is followed the oldest go, they are in the machine's log; while somebody
 * reads further up nothing is taken from under their eyes, and what no longer
 * fits at the end is only counted. Nothing is in it twice, and what is missing
 * between two lines is a gap that says so.
 */
export class LogLines {
  #items: LogItem[] = [];
  #held: LogItem[] = [];
  #heldLines = 0;
  #letGo = 0;
  #newestSeq = 0;
  #isPaused = false;
  #isDetached = false;

  /** In order; changes in place. */
  get items(): readonly LogItem[] {
    return this.#items;
  }

  get isPaused(): boolean {
    return this.#isPaused;
  }

  /** Lines that wait behind a pause. */
  get heldLines(): number {
    return this.#heldLines;
  }

  /** Lines that came during the pause and were let go for newer ones. */
  get letGo(): number {
    return this.#letGo;
  }

  /** Whether the newest lines did not fit any more: the end has to be read again. */
  get isDetached(): boolean {
    return this.#isDetached;
  }

  /** Number of the newest line there is, shown or not. */
  get newestSeq(): number {
    return this.#newestSeq;
  }

  /** Says that everything up to this number is known or will be asked for. */
  reachesTo(seq: number): void {
    this.#newestSeq = Math.max(this.#newestSeq, seq);
  }

  clear(): void {
    this.#items = [];
    this.#held = [];
    this.#heldLines = 0;
    this.#letGo = 0;
    this.#newestSeq = 0;
    this.#isDetached = false;
  }

  /**
   * Adds lines at the end, or behind the pause; those that are here already are left out.
   * @returns how many were new, and whether the oldest had to go
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
    if (!isFollowing && (this.#isDetached || this.#items.length + fresh.length > keptLines + readingSlack)) {
      this.#isDetached = true;
      return { added: fresh.length, isCut: false };
    }
    for (const line of fresh) this.#items.push(line);
    return { added: fresh.length, isCut: isFollowing && this.cut() };
  }

  /** Lets the oldest go that are too many. @returns whether there were any */
  cut(): boolean {
    if (this.#items.length <= keptLines) return false;
    this.#items = this.#items.slice(-keptLines);
    return true;
  }

  /** Marks that lines are missing at the end, up to `beforeSeq`. */
  addGap(beforeSeq: number, count: number | undefined): LogGap {
    const gap: LogGap = { seq: this.#newestSeq + 0.5, afterSeq: this.#newestSeq, beforeSeq, count };
    (this.#isPaused ? this.#held : this.#items).push(gap);
    this.#newestSeq = Math.max(this.#newestSeq, beforeSeq - 1);
    return gap;
  }

  /**
   * Puts lines that were missing into their gap, the latest of them first.
   * @returns what is left of the gap, or undefined where nothing is
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
   * @returns whether all had room
   */
  prepend(lines: readonly LogLine[]): boolean {
    const first = this.#items[0]?.seq ?? Infinity;
    const older = lines.filter(({ seq }) => seq < first);
    const room = Math.max(0, keptLines - this.#items.length);
    this.#items = [...(older.length > room ? older.slice(older.length - room) : older), ...this.#items];
    this.reachesTo(older.at(-1)?.seq ?? 0);
    return older.length <= room;
  }

  pause(): void {
    this.#isPaused = true;
    this.#letGo = 0;
  }

  /** Shows what waited, after a gap for what was let go. @returns whether the oldest had to go */
  resume(isFollowing: boolean): boolean {
    this.#isPaused = false;
    const first = this.#held.find((item) => !isGap(item));
    if (this.#letGo > 0 && first !== undefined) {
      const afterSeq = this.#items.findLast((item) => !isGap(item))?.seq ?? 0;
      this.#items.push({ seq: afterSeq + 0.5, afterSeq, beforeSeq: first.seq, count: this.#letGo });
    }
    for (const item of this.#held) this.#items.push(item);
    this.#held = [];
    this.#heldLines = 0;
    this.#letGo = 0;
    return isFollowing && this.cut();
  }

  #hold(lines: readonly LogLine[]): void {
    for (const line of lines) this.#held.push(line);
    this.#heldLines += lines.length;
    if (this.#heldLines <= heldLimit) return;
    const gone = this.#held.splice(0, this.#held.length - heldLimit);
    const lost = gone.filter((item) => !isGap(item)).length;
    this.#heldLines -= lost;
    this.#letGo += lost;
  }
}
