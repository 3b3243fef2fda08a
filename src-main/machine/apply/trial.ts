import type { Clock, Timer } from '../../base/clock.ts';

/** A resource that is not ready, and why. */
export interface Unready {
  /** Full name. */
  readonly name: string;
  readonly reason: string;
}

/** Either all required resources were ready at the same time, or the deadline passed without that. */
export type TrialResult =
  { readonly kind: 'ready' } | { readonly kind: 'timed-out'; readonly unready: readonly [Unready, ...Unready[]] };

export interface TrialOptions {
  /** Full names of the resources that must be ready at the same time. */
  readonly required: readonly string[];
  readonly waitMs: number;
  readonly clock: Clock;
  /** Why a resource is not ready now; undefined where it is. */
  readonly notReadyReason: (fullName: string) => string | undefined;
  /** {@link Trial.awaited} has changed. */
  readonly onAwaitedChange: () => void;
  /** Called once, unless the trial is cancelled before. */
  readonly onResult: (result: TrialResult) => void;
}

/**
 * Waits until resources are ready or a deadline passes. The graph retries resources that fail, so a failure does not
 * end the wait: only readiness of all, the deadline, or {@link cancel} does. Starts with {@link check}.
 */
export class Trial {
  readonly #options: TrialOptions;
  readonly #endsAt: number;
  readonly #timer: Timer;
  /** When it ends by itself: wall-clock time, milliseconds. */
  readonly deadlineAt: number;
  #awaited: readonly string[];
  #isOver = false;

  constructor(options: TrialOptions) {
    const { clock, waitMs, required } = options;
    this.#options = options;
    this.#awaited = required;
    this.deadlineAt = clock.now() + waitMs;
    this.#endsAt = clock.monotonic() + waitMs;
    this.#timer = clock.after(waitMs, () => this.#onDeadline());
  }

  /** Required resources that were not ready at the last {@link check}. */
  get awaited(): readonly string[] {
    return this.#awaited;
  }

  /** Milliseconds until it ends by itself. */
  get leftMs(): number {
    return Math.max(this.#endsAt - this.#options.clock.monotonic(), 0);
  }

  /** Required resources that are not ready now, with their reasons. */
  unready(): readonly Unready[] {
    return unreadyOf(this.#options.required, this.#options.notReadyReason);
  }

  /** Checks the resources again; call it when one of them may have changed. */
  check(): void {
    if (this.#isOver) return;
    const awaited = this.unready().map(({ name }) => name);
    if (awaited.length === 0) {
      this.#end({ kind: 'ready' });
      return;
    }
    const isSame = awaited.length === this.#awaited.length && awaited.every((name, at) => name === this.#awaited[at]);
    this.#awaited = awaited;
    if (!isSame) this.#options.onAwaitedChange();
  }

  /** Ends it without a result. */
  cancel(): void {
    this.#isOver = true;
    this.#timer.cancel();
  }

  #onDeadline(): void {
    if (this.#isOver) return;
    const [first, ...more] = this.unready();
    this.#end(first === undefined ? { kind: 'ready' } : { kind: 'timed-out', unready: [first, ...more] });
  }

  #end(result: TrialResult): void {
    this.cancel();
    this.#options.onResult(result);
  }
}

/** Those of the named resources that are not ready, each with its reason. */
export function unreadyOf(
  names: readonly string[],
  notReadyReason: (fullName: string) => string | undefined,
): readonly Unready[] {
  return names.flatMap((name) => {
    const reason = notReadyReason(name);
    return reason === undefined ? [] : [{ name, reason }];
  });
}
