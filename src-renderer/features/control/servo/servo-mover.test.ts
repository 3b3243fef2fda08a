import { describe, expect, it } from 'vitest';
import { ServoMover, type ServoCommand } from './servo-mover.ts';

/** A servo that records what was sent; the test decides when its moves are answered. */
function slowServo() {
  const sent: string[] = [];
  const waiting: { resolve: () => void; reject: (reason: unknown) => void }[] = [];
  const commands: ServoCommand[] = [];
  let stopFailure: Error | undefined;
  const mover = new ServoMover(
    {
      move: (angleDeg) => {
        sent.push(`move ${angleDeg}`);
        return new Promise((resolve, reject) => waiting.push({ resolve, reject }));
      },
      stop: () => {
        sent.push('stop');
        return stopFailure === undefined ? Promise.resolve() : Promise.reject(stopFailure);
      },
    },
    (command) => commands.push(command),
  );
  const settled = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 0));
  return {
    mover,
    sent,
    last: () => commands.at(-1),
    failStops: (error: Error) => (stopFailure = error),
    answer: async () => {
      waiting.shift()?.resolve();
      await settled();
    },
    refuse: async (message: string) => {
      waiting.shift()?.reject(new Error(message));
      await settled();
    },
  };
}

describe('moving a servo', () => {
  it('sends one angle at a time, and of those set meanwhile only the last', async () => {
    const { mover, sent, answer, last } = slowServo();
    for (const angle of [10, 20, 30]) mover.moveTo(angle);
    expect(sent).toEqual(['move 10']);
    await answer();
    expect(sent).toEqual(['move 10', 'move 30']);
    await answer();
    expect(sent).toEqual(['move 10', 'move 30']);
    expect(last()).toMatchObject({ kind: 'move', angleDeg: 30, phase: 'done' });
  });

  it('sends a stop at once, drops the waiting angle, and stops again after a move that was answered late', async () => {
    const { mover, sent, answer, last } = slowServo();
    mover.moveTo(10);
    mover.moveTo(20);
    await mover.stop();
    expect(sent).toEqual(['move 10', 'stop']);
    await answer();
    expect(sent).toEqual(['move 10', 'stop', 'stop']);
    expect(last()).toMatchObject({ kind: 'stop', phase: 'done' });
  });

  it('does not stop again after a move that was requested after the stop', async () => {
    const { mover, sent, answer } = slowServo();
    mover.moveTo(10);
    await mover.stop();
    mover.moveTo(50);
    await answer();
    await answer();
    expect(sent).toEqual(['move 10', 'stop', 'move 50']);
  });

  it('reports why a move or a stop failed, and sends nothing after it', async () => {
    const { mover, sent, refuse, last, failStops } = slowServo();
    mover.moveTo(10);
    mover.moveTo(20);
    await refuse('no such pin');
    expect(sent).toEqual(['move 10']);
    expect(last()).toMatchObject({ phase: 'failed', reason: 'no such pin' });
    failStops(new Error('link lost'));
    await expect(mover.stop()).rejects.toThrow('link lost');
    expect(last()).toMatchObject({ kind: 'stop', phase: 'failed', reason: 'link lost' });
  });
});
