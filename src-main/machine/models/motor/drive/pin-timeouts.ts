import type { GpioPin } from '../../../../apis/board/types.ts';
import type { Clock } from '../../../../base/clock.ts';
import { ArmatureError } from '../../../../base/errors.ts';
import { withTimeout } from '../../../../base/async/timeout.ts';

/** The operations of a drive on a pin. */
export type OutputPin = Pick<GpioPin, 'set' | 'setPwm' | 'setPwmFrequency'>;

/** Timeout of a write to a pin. */
const PIN_TIMEOUT_MS = 1_000;
/** The timeout while another write is unanswered: a pin that hangs must not keep the others on, or delay a Stop. */
const SHORT_PIN_TIMEOUT_MS = 100;

interface PinTimeoutsOptions {
  readonly clock: Clock;
  /** Whether the current write may make a motor turn; read at each write. */
  readonly isDriving: () => boolean;
  /** All late writes have been answered, and one that had timed out may have made the motor turn. */
  readonly onLateDrive: () => void;
}

/**
 * Sets a timeout on writes to the pins of one motor: if a board hangs, writes fail and do not block later commands,
 * including Stop. A write that timed out may still be carried out, so it is tracked.
 */
export class PinTimeouts {
  readonly #options: PinTimeoutsOptions;
  #pendingWrites = 0;
  #wasDriving = false;

  constructor(options: PinTimeoutsOptions) {
    this.#options = options;
  }

  /** Number of writes that timed out and may still be carried out. */
  get pendingWrites(): number {
    return this.#pendingWrites;
  }

  /**
   * The pin; its writes fail with `resource.timeout` if they are not answered in time.
   * @param name of the pin in the motor's attributes, for errors
   */
  pin(name: string, pin: GpioPin): OutputPin {
    return {
      set: (isHigh) => this.#answer(name, () => pin.set(isHigh)),
      setPwm: (duty) => this.#answer(name, () => pin.setPwm(duty)),
      setPwmFrequency: (freqHz) => this.#answer(name, () => pin.setPwmFrequency(freqHz)),
    };
  }

  #answer(name: string, write: () => Promise<void>): Promise<void> {
    const mayTurn = this.#options.isDriving();
    const ms = this.#pendingWrites === 0 ? PIN_TIMEOUT_MS : SHORT_PIN_TIMEOUT_MS;
    let answer: Promise<void>;
    return withTimeout(() => (answer = write()), {
      clock: this.#options.clock,
      ms,
      onTimeout: () => {
        this.#track(answer, mayTurn);
        throw new ArmatureError('resource.timeout', `pin "${name}" did not answer within ${ms} ms`);
      },
    });
  }

  /** Waits for the answer to a write that timed out. */
  #track(answer: Promise<void>, mayTurn: boolean): void {
    this.#pendingWrites++;
    this.#wasDriving ||= mayTurn;
    const answered = (): void => {
      this.#pendingWrites--;
      if (this.#pendingWrites > 0 || !this.#wasDriving) return;
      this.#wasDriving = false;
      this.#options.onLateDrive();
    };
    answer.then(answered, answered);
  }
}
