import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { HoldToRun, type HeldMotor } from './hold-to-run.ts';

/** A motor that records what was sent; the test decides when its calls are answered. */
class SlowMotor implements HeldMotor {
  readonly sent: string[] = [];
  readonly #waiting: (() => void)[] = [];
  failStops = 0;

  setPower(power: number): Promise<void> {
    this.sent.push(`power ${power}`);
    return new Promise((resolve) => this.#waiting.push(resolve));
  }

  stop(): Promise<void> {
    this.sent.push('stop');
    if (this.failStops > 0) {
      this.failStops -= 1;
      return Promise.reject(new Error('link lost'));
    }
    return Promise.resolve();
  }

  async answerAll(): Promise<void> {
    for (const answer of this.#waiting.splice(0)) answer();
    await settled();
  }
}

const settled = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 0));

function held() {
  const motor = new SlowMotor();
  const powers: number[] = [];
  const errors: string[] = [];
  const failedStops: string[] = [];
  const hold = new HoldToRun(motor, {
    onPower: (power) => powers.push(power),
    onError: (error) => errors.push(error),
    onStopFailed: (reason) => failedStops.push(reason),
  });
  return { motor, hold, powers, errors, failedStops };
}

describe('hold to run', () => {
  it('starts on press and stops on release', async () => {
    const { motor, hold, powers } = held();
    hold.press('pointer', 0.4);
    await motor.answerAll();
    expect(motor.sent).toEqual(['power 0.4']);
    hold.release('pointer');
    await settled();
    expect(motor.sent).toEqual(['power 0.4', 'stop']);
    expect(powers).toEqual([0.4, 0]);
  });

  it('sends the stop at once though the start is not answered yet, and again after that answer', async () => {
    const { motor, hold } = held();
    hold.press('pointer', 0.4);
    hold.release('pointer');
    await settled();
    expect(motor.sent).toEqual(['power 0.4', 'stop']);
    await motor.answerAll();
    expect(motor.sent).toEqual(['power 0.4', 'stop', 'stop']);
  });

  it('keeps running when another key is released, and ignores a second press', async () => {
    const { motor, hold } = held();
    hold.press('pointer', 0.4);
    hold.press('Space', -1);
    hold.release('Space');
    await motor.answerAll();
    expect(motor.sent).toEqual(['power 0.4']);
    expect(hold.isHeld).toBe(true);
    hold.releaseAll();
    await settled();
    expect(motor.sent.at(-1)).toBe('stop');
  });

  it('sends only the last of the powers that were set while another was being sent', async () => {
    const { motor, hold } = held();
    hold.press('pointer', 0.1);
    hold.change(0.2);
    hold.change(0.3);
    await motor.answerAll();
    await motor.answerAll();
    expect(motor.sent).toEqual(['power 0.1', 'power 0.3']);
  });

  it('runs again when it is pressed again before the first start was answered', async () => {
    const { motor, hold } = held();
    hold.press('pointer', 0.4);
    hold.release('pointer');
    hold.press('pointer', 0.4);
    await motor.answerAll();
    expect(motor.sent).toEqual(['power 0.4', 'stop', 'power 0.4']);
  });

  it('retries a failed stop, and reports when it gives up', async () => {
    const { motor, hold, errors, failedStops } = held();
    motor.failStops = 3;
    hold.press('pointer', 0.4);
    await motor.answerAll();
    hold.release('pointer');
    await settled();
    expect(motor.sent).toEqual(['power 0.4', 'stop', 'stop', 'stop']);
    expect([errors, failedStops]).toEqual([[], ['link lost']]);
  });

  it('ends the hold, stops and reports the reason when the start is refused', async () => {
    const errors: string[] = [];
    const sent: string[] = [];
    const hold = new HoldToRun(
      {
        setPower: () => Promise.reject(new Error('left is not ready')),
        stop: async () => void sent.push('stop'),
      },
      { onPower: () => undefined, onError: (message) => errors.push(message), onStopFailed: () => undefined },
    );
    hold.press('pointer', 1);
    await settled();
    expect([hold.isHeld, errors, sent]).toEqual([false, ['left is not ready'], ['stop']]);
  });

  it('does nothing at power 0', () => {
    const { motor, hold } = held();
    hold.press('pointer', 0);
    expect([motor.sent, hold.isHeld]).toEqual([[], false]);
  });

  it('ends every sequence of presses, releases and answers with a stop after the last power', async () => {
    const step = fc.constantFrom('press a', 'press b', 'release a', 'release b', 'change', 'answer');
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 14 }), async (steps) => {
        const { motor, hold } = held();
        for (const [index, name] of steps.entries()) {
          if (name === 'answer') await motor.answerAll();
          else if (name === 'change') hold.change((index + 1) / 20);
          else if (name.startsWith('press')) hold.press(name.slice(6), 0.5);
          else hold.release(name.slice(8));
        }
        hold.releaseAll();
        await motor.answerAll();
        await motor.answerAll();
        if (motor.sent.length > 0) expect(motor.sent.at(-1)).toBe('stop');
      }),
      { numRuns: 60 },
    );
  });
});
