import { describe, expect, it } from 'vitest';
import { AsyncQueue } from './async-queue.ts';

async function drain<T>(queue: AsyncQueue<T>): Promise<T[]> {
  const items: T[] = [];
  for await (const item of queue) items.push(item);
  return items;
}

describe('AsyncQueue', () => {
  it('delivers what was pushed before and during reading, then ends', async () => {
    const queue = new AsyncQueue<number>();
    queue.push(1);
    const reading = drain(queue);
    queue.push(2);
    queue.end();
    expect(await reading).toEqual([1, 2]);
  });

  it('delivers what is queued before it fails', async () => {
    const queue = new AsyncQueue<number>();
    queue.push(1);
    queue.fail(new Error('lost'));
    const iterator = queue[Symbol.asyncIterator]();
    expect(await iterator.next()).toEqual({ value: 1, done: false });
    await expect(iterator.next()).rejects.toThrow('lost');
    expect(await iterator.next()).toEqual({ value: undefined, done: true });
  });

  it('refuses items once its reader has left', async () => {
    const queue = new AsyncQueue<number>();
    await queue[Symbol.asyncIterator]().return?.();
    expect(queue.push(1)).toBe(false);
  });

  it('tells of each item taken, for flow control', async () => {
    let taken = 0;
    const queue = new AsyncQueue<number>(() => taken++);
    queue.push(1);
    queue.push(2);
    expect(taken).toBe(0);
    queue.end();
    await drain(queue);
    expect(taken).toBe(2);
  });
});
