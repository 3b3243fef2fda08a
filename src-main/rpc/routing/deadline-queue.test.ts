import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ManualClock } from '../../base/clock.ts';
import { DeadlineQueue, type Expiring } from './deadline-queue.ts';

class Entry implements Expiring {
  deadline: number | undefined;
  deadlineBucket: Set<Expiring> | undefined;
  expiredAt: number | undefined;
  readonly #clock: ManualClock;

  constructor(clock: ManualClock, deadline: number | undefined) {
    this.#clock = clock;
    this.deadline = deadline;
  }

  expire(): void {
    this.expiredAt = this.#clock.monotonic();
  }
}

describe('the deadline queue', () => {
  it('lets every entry expire once, never early and at most 5 ms late', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.nat(700_000), fc.nat(5_000)), { maxLength: 40 }), (entries) => {
        const clock = new ManualClock(1_000_003);
        const queue = new DeadlineQueue(clock);
        const added: Entry[] = [];
        for (const [afterMs, pauseMs] of entries) {
          const entry = new Entry(clock, clock.monotonic() + afterMs);
          queue.add(entry);
          added.push(entry);
          clock.advance(pauseMs);
        }
        clock.advance(701_000);
        for (const entry of added) {
          const lateMs = (entry.expiredAt ?? Infinity) - (entry.deadline ?? 0);
          expect(lateMs).toBeGreaterThanOrEqual(0);
          expect(lateMs).toBeLessThanOrEqual(6);
        }
        expect(queue.size).toBe(0);
      }),
    );
  });

  it('forgets what was removed', () => {
    const clock = new ManualClock();
    const queue = new DeadlineQueue(clock);
    const entry = new Entry(clock, clock.monotonic() + 100);
    queue.add(entry);
    queue.remove(entry);
    clock.advance(1_000);
    expect([entry.expiredAt, queue.size, clock.pending]).toEqual([undefined, 0, 0]);
  });

  it('obeys a deadline that was moved', () => {
    const clock = new ManualClock();
    const queue = new DeadlineQueue(clock);
    const entry = new Entry(clock, clock.monotonic() + 60_000);
    queue.add(entry);
    entry.deadline = clock.monotonic() + 50;
    queue.add(entry);
    clock.advance(60);
    expect(entry.expiredAt).toBeDefined();
    expect(queue.size).toBe(0);
  });

  it('expires any number of calls at once', () => {
    const clock = new ManualClock();
    const queue = new DeadlineQueue(clock);
    const entries = Array.from({ length: 200_000 }, () => new Entry(clock, clock.monotonic() + 100));
    for (const entry of entries) queue.add(entry);
    clock.advance(105);
    expect(entries.filter(({ expiredAt }) => expiredAt === undefined)).toHaveLength(0);
  });

  it('needs one timer for a thousand calls', () => {
    const clock = new ManualClock();
    const queue = new DeadlineQueue(clock);
    for (let index = 0; index < 1_000; index++) queue.add(new Entry(clock, clock.monotonic() + 600_000 - index));
    expect(clock.pending).toBe(1);
  });
});
