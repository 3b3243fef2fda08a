/**
 * When an expiring record is asked for again, as parts of its lifetime; each a little later at random (RFC 6762, 5.2).
 */
const ASK_AT = [0.8, 0.85, 0.9, 0.95];
const CHANCE = 0.02;
/** A missing record is asked for again after this time, then after twice that, up to the longest. */
const FIRST_MS = 1_000;
const LONGEST_MS = 60_000;

/** When a record is asked for repeatedly. Times are monotonic, ms. */
export interface QuerySchedule {
  /** Time of the next question; Infinity if there is none. */
  readonly askAt: number;
  /** To be called when it was asked for. */
  asked(now: number): void;
}

/** How long a received record is valid, and when it is asked for again before it expires. */
export class RecordLifetime implements QuerySchedule {
  /** When it was last received. */
  #since = 0;
  #lastsMs = 0;
  #endsAt = 0;
  #chance = 0;
  #asks = 0;

  /** @param chance a number in [0, 1) */
  constructor(ttlS: number, now: number, chance: number) {
    this.renew(ttlS, now, chance);
  }

  get since(): number {
    return this.#since;
  }

  /** Its time to live. */
  get lastsMs(): number {
    return this.#lastsMs;
  }

  get endsAt(): number {
    return this.#endsAt;
  }

  get askAt(): number {
    const share = ASK_AT[this.#asks];
    return share === undefined ? Infinity : this.#since + this.#lastsMs * (share + CHANCE * this.#chance);
  }

  asked(): void {
    this.#asks++;
  }

  /** To be called when it was received again. */
  renew(ttlS: number, now: number, chance: number): void {
    this.#since = now;
    this.#lastsMs = ttlS * 1_000;
    this.#endsAt = now + this.#lastsMs;
    this.#chance = chance;
    this.#asks = 0;
  }

  /** Makes it expire at this time at the latest, without questions. */
  endBy(time: number): void {
    this.#endsAt = Math.min(this.#endsAt, time);
    this.#asks = ASK_AT.length;
  }
}

/** The schedule of a missing record: it is asked for at once, then more and more rarely. */
export class QueryRetry implements QuerySchedule {
  #askAt: number;
  #restMs = FIRST_MS;

  constructor(now: number) {
    this.#askAt = now;
  }

  get askAt(): number {
    return this.#askAt;
  }

  asked(now: number): void {
    this.#askAt = now + this.#restMs;
    this.#restMs = Math.min(LONGEST_MS, 2 * this.#restMs);
  }
}
