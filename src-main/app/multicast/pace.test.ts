import { describe, expect, it } from 'vitest';
import { ManualClock } from '../../base/clock.ts';
import { Pace } from './pace.ts';

describe('what has its pace', () => {
  it('is done at once, then once a second however often it is asked for, each thing by itself', () => {
    const clock = new ManualClock();
    const pace = new Pace(clock, 1_000);
    const done: string[] = [];
    const run = (key: string): void => pace.run(key, () => done.push(`${key} ${clock.monotonic() - start}`));
    const start = clock.monotonic();
    run('a');
    clock.advance(400);
    for (let asked = 0; asked < 100; asked++) run('a');
    run('b');
    clock.advance(600);
    expect(done).toEqual(['a 0', 'b 400', 'a 1000']);
    clock.advance(1_000);
    run('a');
    expect(done.slice(3)).toEqual(['a 2000']);
  });

  it('is not done any more after the end', () => {
    const clock = new ManualClock();
    const pace = new Pace(clock, 1_000);
    let count = 0;
    pace.run('a', () => count++);
    pace.run('a', () => count++);
    pace.stop();
    clock.advance(5_000);
    expect([count, clock.pending]).toEqual([1, 0]);
  });
});
