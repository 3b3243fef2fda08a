import { messageOf } from '../../../shared/machine/rpc/follow-stream.ts';

/** What a card does to a servo. Angles are whole degrees. */
export interface MovedServo {
  move(angleDeg: number): Promise<void>;
  stop(): Promise<void>;
}

/** The last thing a servo was asked, and what became of it. */
export interface ServoCommand {
  readonly kind: 'move' | 'stop';
  /** Of a move. */
  readonly angleDeg: number | undefined;
  readonly phase: 'sent' | 'done' | 'failed';
  /** Of this page, ms. */
  readonly sentAt: number;
  readonly endedAt?: number;
  /** Why it failed. */
  readonly reason?: string;
}

/**
 * Sends a servo to angles, one at a time: those that come faster than answers
 * are skipped, the last one is sent. A stop waits for nothing; a move that is
 * answered only after it is followed by one more stop, so that no order of
 * arrival leaves the servo driven.
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

  /** Whether nothing was asked for since the last stop. */
  get isStopLast(): boolean {
    return this.#isStopLast;
  }

  moveTo(angleDeg: number): void {
    this.#isStopLast = false;
    this.#wanted = angleDeg;
    if (!this.#isSending) void this.#send();
  }

  /** Forgets an angle that waits to be sent. */
  dropWaiting(): void {
    this.#wanted = undefined;
  }

  /** Rejects where no stop was confirmed: the servo may still be driven. */
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
    await this.stop().catch(() => undefined /* it was reported */);
  }
}
