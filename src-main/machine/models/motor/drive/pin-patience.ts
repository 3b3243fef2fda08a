import type { GpioPin } from '../../../../apis/board/types.ts';
import type { Clock } from '../../../../base/clock.ts';
import { ArmatureError } from '../../../../base/errors.ts';
import { withTimeout } from '../../../../base/async/timeout.ts';

/** What a drive does to a pin. */
export type OutputPin = Pick<GpioPin, 'set' | 'setPwm' | 'setPwmFrequency'>;

/** Time a pin has to answer. */
const PIN_ANSWER_MS = 1_000;
/** Time it has while another is not answering: one that hangs must not keep the others on, nor a Stop waiting. */
const HURRIED_ANSWER_MS = 100;

interface PinPatienceOptions {
  readonly clock: Clock;
  /** Whether what is being written may make a motor turn; read at each write. */
  readonly isDriving: () => boolean;
  /** All writes were answered after all, and one that was given up on may have made the motor turn. */
  readonly onLateDrive: () => void;
}

/**
 * Waits for the pins of one motor, but not for ever: a board that hangs makes
 * writes fail instead of blocking every later command, Stop among them. A
 * write that was given up on may still be carried out, so it is followed.
 */
export class PinPatience {
  readonly #options: PinPatienceOptions;
  #unanswered = 0;
  #wasDriving = false;

  constructor(options: PinPatienceOptions) {
    this.#options = options;
  }

  /** Writes that were given up on and may still be carried out. */
  get unanswered(): number {
    return this.#unanswered;
  }

  /**
   * The pin, with every write failing with `resource.timeout` where it is not answered in time.
   * @param name of the pin in the motor's attributes, for errors
   */
  pin(name: string, pin: GpioPin): OutputPin {
    return {
      set: (isHigh) => this.#answer(name, () => pin.set(isHigh)),
      setPwm: (duty) => this.#answer(name, () => pin.setPwm(duty)),
      setPwmFrequency: (freqHz) => this.#answer(name, () => pin.setPwmFrequency(freqHz)),
    };
  }

  async #answer(name: string, write: () => Promise<void>): Promise<void> {
    const { clock, isDriving, onLateDrive } = this.#options;
    const mayTurn = isDriving();
    const waitMs = this.#unanswered === 0 ? PIN_ANSWER_MS : HURRIED_ANSWER_MS;
    const answer = write();
    const answered = (): void => {
      this.#unanswered--;
      if (this.#unanswered > 0 || !this.#wasDriving) return;
      this.#wasDriving = false;
      onLateDrive();
    };
    const onTimeout = (): never => {
      this.#unanswered++;
      this.#wasDriving ||= mayTurn;
      answer.then(answered, answered);
      throw new ArmatureError('resource.timeout', `pin "${name}" did not answer within ${waitMs} ms`);
    };
    await withTimeout(() => answer, { clock, ms: waitMs, onTimeout });
  }
}
