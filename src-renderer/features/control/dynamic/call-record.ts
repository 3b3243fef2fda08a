import type { CallFailure } from '../../../shared/machine/rpc/call-failure.ts';

/** Answers of a stream that are kept to look at. */
export const answersKept = 100;
/** The rate is that of this long, ms. */
const rateWindowMs = 2_000;

export interface Answer {
  /** From 1. */
  readonly number: number;
  readonly value: unknown;
}

/** One call and what has come of it so far. */
export interface CallRecord {
  readonly state: 'running' | 'done' | 'failed' | 'cancelled';
  /** Wall-clock time, ms. */
  readonly startedAt: number;
  /** From sending to the end, or until now. */
  readonly tookMs: number;
  readonly isStream: boolean;
  /** What was sent, as JSON text: for Copy details. */
  readonly request: string;
  readonly method: string;
  /** The last ones, oldest first. */
  readonly answers: readonly Answer[];
  readonly count: number;
  /** Answers a second over the last two; undefined before there is any. */
  readonly rate: number | undefined;
  readonly failure: CallFailure | undefined;
}

/** Counts the answers of a stream and keeps the last ones. Cheap for each: what is shown is made by {@link snapshot}. */
export class AnswerLog {
  readonly #kept: Answer[] = [];
  #marks: { readonly at: number; readonly count: number }[] = [];
  #count = 0;

  add(value: unknown): void {
    this.#count += 1;
    this.#kept.push({ number: this.#count, value });
    if (this.#kept.length > answersKept) this.#kept.shift();
  }

  /** @param at a monotonic time, ms */
  snapshot(at: number): Pick<CallRecord, 'answers' | 'count' | 'rate'> {
    this.#marks.push({ at, count: this.#count });
    // The newest mark that is old enough begins the window.
    const start = this.#marks.findLastIndex((mark) => at - mark.at >= rateWindowMs);
    if (start > 0) this.#marks = this.#marks.slice(start);
    const [first] = this.#marks;
    const elapsedMs = at - (first?.at ?? at);
    const rate = elapsedMs > 0 ? ((this.#count - (first?.count ?? 0)) * 1_000) / elapsedMs : undefined;
    return { answers: [...this.#kept], count: this.#count, rate };
  }
}
