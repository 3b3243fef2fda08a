import { messageOf } from '../../../shared/machine/rpc/follow-stream.ts';

/** The calls that move a servo. Angles are whole degrees. */
export interface MovedServo {
  move(angleDeg: number): Promise<void>;
  stop(): Promise<void>;
}

/** The last command to a servo, and its outcome. */
export interface ServoCommand {
  readonly kind: 'move' | 'stop';
  /** Angle of a move; undefined for a stop. */
  readonly angleDeg: number | undefined;
  readonly phase: 'sent' | 'done' | 'failed';
  /** By the clock of this page, ms. */
  readonly sentAt: number;
  readonly endedAt?: number;
  /** Why it failed. */
  readonly reason?: string;
}

/**
 * Moves a servo, one command at a time. While a move waits for its response, only the latest new angle is kept, and
 * sent next. A stop is sent at once. A move that is answered only after a stop is followed by another stop, so that the
 * servo is not left driven, in whatever order the commands arrive.
 */
export class ServoMover {
  readonly #servo: MovedServo;
  readonly #onCommand: (command: ServoCommand) => void;
  #wanted: number | undefined;
  #isSending = false;
  #isStopLast = false;

  constructor(servo: MovedServo, onCommand: (command: ServoCommand) => void) {
    this.#servo = servo;
    this.#onCommand = onCommand;
  }

  /** Whether no move was requested since the last stop. */
  get isStopLast(): boolean {
    return this.#isStopLast;
  }

  moveTo(angleDeg: number): void {
    this.#isStopLast = false;
    this.#wanted = angleDeg;
    if (!this.#isSending) void this.#send();
  }

  /** Drops an angle that is not sent yet. */
  dropWaiting(): void {
    this.#wanted = undefined;
  }

  /** Rejects where the stop failed: the servo may still be driven. */
  async stop(): Promise<void> {
    this.#wanted = undefined;
    this.#isStopLast = true;
    const command = { kind: 'stop', angleDeg: undefined, sentAt: Date.now() } as const;
    this.#onCommand({ ...command, phase: 'sent' });
    try {
      await this.#servo.stop();
      if (this.#isStopLast) this.#onCommand({ ...command, phase: 'done', endedAt: Date.now() });
    } catch (thrown) {
      this.#onCommand({ ...command, phase: 'failed', endedAt: Date.now(), reason: messageOf(thrown) });
      throw thrown;
    }
  }

  async #send(): Promise<void> {
    this.#isSending = true;
    while (this.#wanted !== undefined) {
      const angleDeg = this.#wanted;
      this.#wanted = undefined;
      await this.#sendOne(angleDeg);
    }
    this.#isSending = false;
  }

  async #sendOne(angleDeg: number): Promise<void> {
    const command = { kind: 'move', angleDeg, sentAt: Date.now() } as const;
    this.#onCommand({ ...command, phase: 'sent' });
    let outcome: Pick<ServoCommand, 'phase' | 'reason'> = { phase: 'done' };
    try {
      await this.#servo.move(angleDeg);
    } catch (thrown) {
      outcome = { phase: 'failed', reason: messageOf(thrown) };
      this.#wanted = undefined;
    }
    if (!this.#isStopLast) {
      this.#onCommand({ ...command, ...outcome, endedAt: Date.now() });
      return;
    }
    await this.stop().catch(() => undefined /* stop() has reported it */);
  }
}
