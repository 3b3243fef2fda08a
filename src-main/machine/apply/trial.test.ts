import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ManualClock } from '../../base/clock.ts';
import { Trial, type TrialResult } from './trial.ts';

const WAIT_MS = 30_000;

function begin(required: readonly string[], ready: readonly string[] = []) {
  const clock = new ManualClock();
  const isReady = new Set(ready);
  const results: TrialResult[] = [];
  const told: (readonly string[])[] = [];
  const trial = new Trial({
    required,
    waitMs: WAIT_MS,
    clock,
    notReadyReason: (name) => (isReady.has(name) ? undefined : `${name} is unplugged`),
    onAwaitedChange: () => told.push(trial.awaited),
    onResult: (result) => results.push(result),
  });
  trial.check();
  return { clock, isReady, trial, results, told };
}

describe('Trial', () => {
  it('ends at once where everything is ready', () => {
    const { results, clock } = begin(['left'], ['left']);
    expect(results).toEqual([{ kind: 'ready' }]);
    expect(clock.pending).toBe(0);
  });

  it('ends as soon as the last one is ready, and tells of each before', () => {
    const { results, told, trial, isReady } = begin(['left', 'right', 'wheel']);
    isReady.add('right');
    trial.check();
    trial.check();
    isReady.add('left').add('wheel');
    trial.check();
    expect(told).toEqual([['left', 'wheel']]);
    expect(results).toEqual([{ kind: 'ready' }]);
  });

  it('is late at the deadline, not a moment before, and says what was not ready and why', () => {
    const { results, clock, isReady, trial } = begin(['left', 'right']);
    isReady.add('right');
    trial.check();
    clock.advance(WAIT_MS - 1);
    expect(results).toEqual([]);
    expect(trial.leftMs).toBe(1);
    clock.advance(1);
    expect(results).toEqual([{ kind: 'timed-out', unready: [{ name: 'left', reason: 'left is unplugged' }] }]);
  });

  it('counts what is ready at the deadline, though nobody said so', () => {
    const { results, clock, isReady } = begin(['left']);
    isReady.add('left');
    clock.advance(WAIT_MS);
    expect(results).toEqual([{ kind: 'ready' }]);
  });

  it('waits for one again that was ready and is not any more', () => {
    const { results, isReady, trial, told } = begin(['left', 'right']);
    isReady.add('left');
    trial.check();
    isReady.delete('left');
    isReady.add('right');
    trial.check();
    expect(told).toEqual([['right'], ['left']]);
    expect(results).toEqual([]);
  });

  it('says nothing after it was cancelled', () => {
    const { results, clock, isReady, trial } = begin(['left']);
    trial.cancel();
    isReady.add('left');
    trial.check();
    clock.advance(WAIT_MS);
    expect(results).toEqual([]);
    expect(clock.pending).toBe(0);
  });

  it('always ends once, late only if there was no moment in time when all were ready', () => {
    const names = ['a', 'b', 'c', 'd'];
    const step = fc.record({
      afterMs: fc.nat(WAIT_MS / 2),
      name: fc.constantFrom(...names),
      becomesReady: fc.boolean(),
    });
    fc.assert(
      fc.property(
        fc.subarray(names, { minLength: 1 }),
        fc.subarray(names),
        fc.array(step, { maxLength: 30 }),
        (required, readyFirst, steps) => {
          const { clock, isReady, trial, results } = begin(required, readyFirst);
          const allReady = (): boolean => required.every((name) => isReady.has(name));
          let passedMs = 0;
          let wereAllReady = allReady();
          for (const { afterMs, name, becomesReady } of steps) {
            clock.advance(afterMs);
            passedMs += afterMs;
            if (becomesReady) isReady.add(name);
            else isReady.delete(name);
            if (passedMs < WAIT_MS) wereAllReady ||= allReady();
            trial.check();
          }
          clock.advance(WAIT_MS);
          expect(results.map(({ kind }) => kind)).toEqual([wereAllReady ? 'ready' : 'timed-out']);
          expect(clock.pending).toBe(0);
        },
      ),
    );
  });
});
