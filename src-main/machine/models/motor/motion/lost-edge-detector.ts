import { uncertaintyOf } from '../../uncertain-encoder.ts';
import type { Encoder } from '../../../../apis/encoder.ts';
import { ArmatureError } from '../../../../base/errors.ts';
import type { Logger } from '../../../../base/logger.ts';

interface MotionInfo {
  readonly motor: string;
  readonly operation: string;
  /** Whether the motion has a target position, which is meaningless if the position is uncertain. */
  readonly hasGoal: boolean;
}

/** Detects when an encoder loses edges during a motion that it cannot repair. Earlier uncertainty does not count. */
export class LostEdgeDetector {
  readonly #encoder: Encoder;
  readonly #motion: MotionInfo;
  #before: number;
  #isReported = false;

  constructor(encoder: Encoder, motion: MotionInfo) {
    this.#encoder = encoder;
    this.#motion = motion;
    this.#before = uncertaintyOf(encoder).ticks;
  }

  /**
   * Warns once for a motion without a goal.
   * @throws {ArmatureError} `hardware.failed` if a motion with a goal must be stopped
   */
  check(logger: Logger): void {
    const { ticks, edges } = uncertaintyOf(this.#encoder);
    const hasGrown = ticks > this.#before;
    // A reset meanwhile made the position certain.
    this.#before = Math.min(this.#before, ticks);
    if (!hasGrown || this.#isReported) return;
    this.#isReported = true;
    const { motor, operation, hasGoal } = this.#motion;
    const encoder = this.#encoder.name;
    const off = Number.isFinite(ticks) ? `up to ${ticks} tick${ticks === 1 ? '' : 's'}` : 'any number of ticks';
    const what = `encoder "${encoder}" lost ${edges} edge${edges === 1 ? '' : 's'} that it could not make good, and its position may be off by ${off}. Lower the speed, use an interface that is read faster or an encoder with fewer ticks a turn. ResetZeroPosition makes the position certain again.`;
    if (!hasGoal) {
      logger.warn(`Motor "${motor}" turns on, but ${what}`);
      return;
    }
    throw new ArmatureError('hardware.failed', `Motor "${motor}" was stopped: ${what}`, {
      details: { motor, operation, finding: 'lost_edges', encoder, edges, ticks },
    });
  }
}
