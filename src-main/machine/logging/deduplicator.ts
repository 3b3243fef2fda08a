import { createHash } from 'node:crypto';
import type { Clock, Timer } from '../../base/clock.ts';
import type { LogDraft } from './log-entry.ts';

/** Spec, "Limits": a log output 3 times in 10 seconds is noisy. */
export const NOISY_COUNT = 3;
export const NOISY_WINDOW_MS = 10_000;
/** Distinct messages followed at once; beyond it the oldest window ends early. */
export const MAX_KEYS = 2_000;
/** Longer keys are replaced by a digest, so that memory stays bounded. */
const MAX_KEY_LENGTH = 512;

/** Fields that differ between repeats of the same message. */
const volatileFields: ReadonlySet<string> = new Set([
  'grpc.time_ms',
  'grpc.start_time',
  'log_ts',
  'durationMs',
  'elapsedMs',
]);

interface Window {
  readonly endsAt: number;
  readonly firstTime: number;
  count: number;
  latest: LogDraft;
}

/** A folded message, at the end of its window. */
export interface FoldedRepeats {
  readonly latest: LogDraft;
  readonly count: number;
  /** Wall-clock time of the first, milliseconds. */
  readonly firstTime: number;
}

export type Verdict = 'pass' | 'notice' | 'drop';

/**
 * Folds repeats. Each message has its own window that starts with its first occurrence: three pass, the fourth is
 * announced as noisy, the rest are dropped. When the window ends, a summary states their number.
 */
export class Deduplicator {
  readonly #clock: Clock;
  readonly #onSummary: (folded: FoldedRepeats) => void;
  /** In the order of their ends: all windows have the same length. */
  readonly #windows = new Map<string, Window>();
  #timer: Timer | undefined;

  /** @param onSummary called for a folded message at the end of its window */
  constructor(clock: Clock, onSummary: (folded: FoldedRepeats) => void) {
    this.#clock = clock;
    this.#onSummary = onSummary;
  }

  /** Whether one more occurrence passes, is announced or is dropped. */
  offer(draft: LogDraft): Verdict {
    const key = keyOf(draft);
    const now = this.#clock.monotonic();
    let window = this.#windows.get(key);
    // The timer may be late.
    if (window !== undefined && now >= window.endsAt) {
      this.#end(key, window);
      window = undefined;
    }
    if (window === undefined) {
      if (this.#windows.size >= MAX_KEYS) this.#endOldest();
      this.#windows.set(key, { endsAt: now + NOISY_WINDOW_MS, firstTime: draft.time, count: 1, latest: draft });
      this.#timer ??= this.#clock.after(NOISY_WINDOW_MS, () => this.#sweep());
      return 'pass';
    }
    window.count++;
    window.latest = draft;
    if (window.count <= NOISY_COUNT) return 'pass';
    return window.count === NOISY_COUNT + 1 ? 'notice' : 'drop';
  }

  /** Ends all windows now, with their summaries. */
  flush(): void {
    this.#timer?.cancel();
    this.#timer = undefined;
    for (const [key, window] of [...this.#windows]) this.#end(key, window);
  }

  /** Distinct messages currently followed. */
  get size(): number {
    return this.#windows.size;
  }

  #sweep(): void {
    this.#timer = undefined;
    const now = this.#clock.monotonic();
    for (const [key, window] of [...this.#windows]) {
      if (window.endsAt > now) {
        this.#timer = this.#clock.after(window.endsAt - now, () => this.#sweep());
        return;
      }
      this.#end(key, window);
    }
  }

  #endOldest(): void {
    for (const [key, window] of this.#windows) {
      this.#end(key, window);
      return;
    }
  }

  #end(key: string, window: Window): void {
    this.#windows.delete(key);
    const { latest, count, firstTime } = window;
    if (count > NOISY_COUNT) this.#onSummary({ latest, count, firstTime });
  }
}

function keyOf(draft: LogDraft): string {
  let key = `${draft.logger}\n${draft.level}\n${draft.message}`;
  for (const name of Object.keys(draft.fields)) {
    if (!volatileFields.has(name)) key += `\n${name}=${JSON.stringify(draft.fields[name])}`;
  }
  return key.length <= MAX_KEY_LENGTH ? key : createHash('sha1').update(key).digest('base64');
}
