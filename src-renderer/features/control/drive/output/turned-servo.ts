import type { AngleRange } from '../../servo/angle-range.ts';
import { PACE_MS } from './paced-motor.ts';

/** No step is longer than this, ms: after a page stood still, an angle does not jump. */
const MAX_STEP_MS = 100;
/** A position that the machine reports may be this old, ms: until then the angle that was sent is the better one. */
const REPORTED_WITHIN_MS = 500;

/** Turns a rate into angles of a servo, in whole degrees within its limits, at a bounded rate. */
export class TurnedServo {
  readonly #moveTo: (angleDeg: number) => void;
  /** Undefined while it does not turn. */
  #angleDeg: number | undefined;
  /** The angle that was sent last. */
  #sentDeg: number | undefined;
  #sentAt = Number.NEGATIVE_INFINITY;
  #lastAt = 0;

  constructor(moveTo: (angleDeg: number) => void) {
    this.#moveTo = moveTo;
  }

  /**
   * Turns on from where it is.
   * @param rateDegPerS with its direction as sign; at 0 it stays where it is
   * @param reportedDeg where the machine says that it is; undefined where that is not known: then nothing is turned
   * @param now by a clock that never goes back, ms
   */
  turn(rateDegPerS: number, range: AngleRange, reportedDeg: number | undefined, now: number): void {
    const passedMs = Math.min(now - this.#lastAt, MAX_STEP_MS);
    this.#lastAt = now;
    if (rateDegPerS === 0) {
      this.stop();
      return;
    }
    if (this.#angleDeg === undefined) {
      if (now - this.#sentAt >= REPORTED_WITHIN_MS) {
        this.#sentDeg = reportedDeg === undefined ? undefined : Math.round(reportedDeg);
      }
      // The first step only begins to count the time.
      this.#angleDeg = this.#sentDeg;
      return;
    }
    const wanted = this.#angleDeg + (rateDegPerS * passedMs) / 1_000;
    this.#angleDeg = Math.min(range.max, Math.max(range.min, wanted));
    const whole = Math.round(this.#angleDeg);
    if (whole === this.#sentDeg || now - this.#sentAt < PACE_MS) return;
    this.#sentAt = now;
    this.#sentDeg = whole;
    this.#moveTo(whole);
  }

  /** Sends nothing more: it stays at the angle that was sent last. */
  stop(): void {
    this.#angleDeg = undefined;
  }
}
