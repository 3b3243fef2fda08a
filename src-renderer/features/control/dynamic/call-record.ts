import type { CallFailure } from '../../../shared/machine/rpc/call-failure.ts';

/** The last answers of a stream that are kept. */
export const MAX_KEPT_ANSWERS = 100;
/** Time span over which the rate is measured. */
const RATE_WINDOW_MS = 2_000;

export interface Answer {
  /** Counted from 1. */
  readonly number: number;
  readonly value: unknown;
}

/** One call and its state so far. */
export interface CallRecord {
  readonly state: 'running' | 'done' | 'failed' | 'cancelled';
  /** Wall-clock time, ms. */
  readonly startedAt: number;
  /** Time from sending to the end, or until now, ms. */
  readonly tookMs: number;
  readonly isStream: boolean;
  /** The request as JSON text, for Copy details. */
  readonly request: string;
  readonly method: string;
  /** The last answers, oldest first. */
  readonly answers: readonly Answer[];
  /** Answers received in total. */
  readonly count: number;
  /** Answers per second over the last two seconds; undefined before it can be measured. */
  readonly rate: number | undefined;
  readonly failure: CallFailure | undefined;
}

/** Counts the answers of a stream and keeps the last ones. Adding is cheap; {@link snapshot} computes the rest. */
export class AnswerLog {
  readonly #kept: Answer[] = [];
  #marks: { readonly at: number; readonly count: number }[] = [];
  #count = 0;

  add(value: unknown): void {
    this.#count += 1;
    this.#kept.push({ number: this.#count, value });
    if (this.#kept.length > MAX_KEPT_ANSWERS) this.#kept.shift();
  }

  /** @param at a monotonic time, ms */
  snapshot(at: number): Pick<CallRecord, 'answers' | 'count' | 'rate'> {
    this.#marks.push({ at, count: this.#count });
    // The newest mark that is old enough begins the window.
    const start = this.#marks.findLastIndex((mark) => at - mark.at >= RATE_WINDOW_MS);
    if (start > 0) this.#marks = this.#marks.slice(start);
    const [first] = this.#marks;
    const elapsedMs = at - (first?.at ?? at);
    const rate = elapsedMs > 0 ? ((this.#count - (first?.count ?? 0)) * 1_000) / elapsedMs : undefined;
    return { answers: [...this.#kept], count: this.#count, rate };
  }
}
