import { describe, expect, it } from 'vitest';
import { ManualClock } from '../../base/clock.ts';
import { Throttle } from './throttle.ts';

describe('a throttle', () => {
  it('runs an action at once, then once a second however often it is asked to, each key by itself', () => {
    const clock = new ManualClock();
    const throttle = new Throttle(clock, 1_000);
    const done: string[] = [];
    const run = (key: string): void => throttle.run(key, () => done.push(`${key} ${clock.monotonic() - start}`));
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

  it('runs nothing any more once it is stopped', () => {
    const clock = new ManualClock();
    const throttle = new Throttle(clock, 1_000);
    let count = 0;
    throttle.run('a', () => count++);
    throttle.run('a', () => count++);
    throttle.stop();
    clock.advance(5_000);
    expect([count, clock.pending]).toEqual([1, 0]);
  });
});
