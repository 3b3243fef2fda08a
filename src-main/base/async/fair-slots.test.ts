import { describe, expect, it } from 'vitest';
import { FairSlots } from './fair-slots.ts';

const { signal } = new AbortController();
const limits = { atOnce: 2, atOnceByCaller: 1, waiting: 3, waitingByCaller: 2 };

/** Work that is under way until it is told to end. */
class Work {
  readonly #end = Promise.withResolvers<undefined>();
  isUnderWay = false;
  readonly run = async (): Promise<void> => {
    this.isUnderWay = true;
    await this.#end.promise;
    this.isUnderWay = false;
  };
  end(): void {
    this.#end.resolve(undefined);
  }
}

describe('slots that callers share', () => {
  it('run few at once, and one of each caller: others pass who waits for an own one', async () => {
    const slots = new FairSlots(limits, 'queries');
    const [first, second, other, third] = [new Work(), new Work(), new Work(), new Work()];
    const ends = [
      slots.run('a', signal, first.run),
      slots.run('a', signal, second.run),
      slots.run('b', signal, other.run),
      slots.run('c', signal, third.run),
    ];
    const underWay = (): boolean[] => [first, second, other, third].map(({ isUnderWay }) => isUnderWay);
    await Promise.resolve();
    expect(underWay()).toEqual([true, false, true, false]);
    other.end();
    await ends[2];
    expect(underWay()).toEqual([true, false, false, true]);
    first.end();
    await ends[0];
    expect(underWay()).toEqual([false, true, false, true]);
    second.end();
    third.end();
    await Promise.all(ends);
  });

  it('turn away whom there is no room for, and let go of who does not want to wait', async () => {
    const slots = new FairSlots(limits, 'queries');
    const work = new Work();
    const running = slots.run('a', signal, work.run);
    const controller = new AbortController();
    const waiting = slots.run('a', controller.signal, work.run);
    const next = slots.run('a', signal, work.run);
    await expect(slots.run('a', signal, work.run)).rejects.toMatchObject({ code: 'call.overloaded' });
    controller.abort();
    await expect(waiting).rejects.toMatchObject({ code: 'call.cancelled' });
    work.end();
    await Promise.all([running, next]);
    await slots.run('a', signal, () => Promise.resolve());
  });

  it('are free again after work that fails', async () => {
    const slots = new FairSlots(limits, 'queries');
    await expect(slots.run('a', signal, () => Promise.reject(new Error('no')))).rejects.toThrow('no');
    expect(await slots.run('a', signal, () => Promise.resolve(1))).toBe(1);
  });
});
