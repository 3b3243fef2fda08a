/** Time at power without a tick after which a motor counts as stalled. */
const STALL_MS = 3_000;
/** Time of ever faster turning against its power after which an encoder counts as reversed. */
const REVERSED_MS = 1_000;

export interface MotionSample {
  readonly ms: number;
  /** Ticks since the last sample, signed. */
  readonly ticks: number;
  /** Signed power sent. */
  readonly power: number;
  /** Ticks the motor is behind where it should be, without sign. */
  readonly ticksBehind: number;
}

/** Notices a motor that does not turn, or whose encoder counts the other way. Pure: no clock. */
export class MotionWatch {
  #stalledMs = 0;
  #againstMs = 0;
  #firstAgainstTicks = 0;

  /** What is wrong, once it has been so for long enough. */
  look(sample: MotionSample): 'stalled' | 'reversed' | undefined {
    const { ms, ticks, power, ticksBehind } = sample;
    const isStalled = ticks === 0 && power !== 0 && ticksBehind >= 2;
    this.#stalledMs = isStalled ? this.#stalledMs + ms : 0;
    if (power === 0 || ticks * power > 0) {
      this.#againstMs = 0;
    } else if (ticks !== 0 || this.#againstMs > 0) {
      if (this.#againstMs === 0) this.#firstAgainstTicks = Math.abs(ticks);
      this.#againstMs += ms;
    }
    if (this.#stalledMs >= STALL_MS) return 'stalled';
    if (this.#againstMs >= REVERSED_MS && Math.abs(ticks) >= this.#firstAgainstTicks && ticks !== 0) return 'reversed';
    return undefined;
  }
}
