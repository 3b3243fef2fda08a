/** What is held to drive: Space, or a button of the gamepad. Only what belongs to it moves anything. */
export type Holder = 'keys' | 'pad';

/** Why driving ended. */
export type DriveEnd = 'released' | 'interrupted' | 'unplugged' | 'blocked' | 'changed' | 'refused' | 'unmoved';

/** `spent`: something is held that does not count any more; it must be released first. */
export type DrivePhase = 'idle' | 'spent' | 'centring' | 'driving';

/** What is known at one moment. */
export interface DriveInput {
  /** By a clock that never goes back, ms. */
  readonly now: number;
  /** Whether something forbids to drive. */
  readonly isBlocked: boolean;
  readonly held: Readonly<Record<Holder, boolean>>;
  /** Differs for each gamepad and each button that holds. */
  readonly padHold: string;
  /** Whether all sticks that move something are in the middle. */
  readonly isCentred: boolean;
  /** Counts what the person did. */
  readonly changes: number;
}

/** Driving ends where nothing was changed for this long: a stick may be stuck, and a key under a weight. */
export const UNMOVED_TIMEOUT_MS = 60_000;

/**
 * Decides whether this page drives. A hold counts from the moment at which it is pressed, and only where nothing forbids
 * to drive at that moment; what is held when anything ends must be released and pressed again. The first of two holds
 * drives, the other is spent.
 */
export class DriveHold {
  /** Whether it was seen released since it last counted. Not so at first: it may be held since before. */
  readonly #isFresh: Record<Holder, boolean> = { keys: false, pad: false };
  #held: Readonly<Record<Holder, boolean>> = { keys: false, pad: false };
  #by: Holder | undefined;
  #isCentred = false;
  #padHold = '';
  #changes = 0;
  #changedAt = 0;
  #end: DriveEnd | undefined;

  get phase(): DrivePhase {
    if (this.#by !== undefined) return this.#isCentred ? 'driving' : 'centring';
    return this.spent === undefined ? 'idle' : 'spent';
  }

  /** What is held without counting. */
  get spent(): Holder | undefined {
    return (['keys', 'pad'] as const).find((holder) => this.#held[holder] && !this.#isFresh[holder]);
  }

  /** Who drives, or will when the sticks are in the middle. */
  get by(): Holder | undefined {
    return this.#by;
  }

  /** Why driving last ended; undefined before, and while it drives. */
  get lastEnd(): DriveEnd | undefined {
    return this.#end;
  }

  step(input: DriveInput): void {
    if (input.changes !== this.#changes) this.#changedAt = input.now;
    this.#changes = input.changes;
    this.#held = input.held;
    this.#takePad(input.padHold);
    if (this.#by !== undefined) this.#goOn(this.#by, input);
    else this.#begin(input);
    for (const holder of ['keys', 'pad'] as const) if (!input.held[holder]) this.#isFresh[holder] = true;
  }

  /** Ends any drive at once. */
  end(why: DriveEnd): void {
    if (this.#by !== undefined) this.#end = why;
    this.#by = undefined;
    this.#isFresh.keys = this.#isFresh.pad = false;
  }

  #takePad(padHold: string): void {
    if (padHold === this.#padHold) return;
    this.#padHold = padHold;
    if (this.#by === 'pad') this.end('unplugged');
    this.#isFresh.pad = false;
  }

  #goOn(by: Holder, { now, isBlocked, held, isCentred }: DriveInput): void {
    const other = by === 'keys' ? 'pad' : 'keys';
    if (held[other]) this.#isFresh[other] = false;
    if (isBlocked) this.end('blocked');
    else if (!held[by]) this.end('released');
    else if (now - this.#changedAt >= UNMOVED_TIMEOUT_MS) this.end('unmoved');
    else this.#isCentred ||= isCentred;
  }

  #begin({ now, isBlocked, held, isCentred }: DriveInput): void {
    for (const holder of ['keys', 'pad'] as const) {
      if (!held[holder] || !this.#isFresh[holder]) continue;
      this.#isFresh[holder] = false;
      if (isBlocked || this.#by !== undefined) continue;
      this.#by = holder;
      this.#end = undefined;
      this.#changedAt = now;
      // The sticks move nothing while the keys drive.
      this.#isCentred = holder === 'keys' || isCentred;
    }
  }
}
