import { describe, expect, it, vi } from 'vitest';
import { loadWhenCalled } from './load-when-called.ts';

interface Calls {
  double(of: number): Promise<number>;
  fail(): Promise<never>;
  count(to: number): AsyncIterable<number>;
}

const calls: Calls = {
  double: (of) => Promise.resolve(2 * of),
  fail: () => Promise.reject(new Error('The hub said no.')),
  async *count(to) {
    for (let next = 1; next <= to; next++) yield await Promise.resolve(next);
  },
};

async function all(stream: AsyncIterable<number>): Promise<number[]> {
  const items: number[] = [];
  for await (const item of stream) items.push(item);
  return items;
}

describe('loadWhenCalled', () => {
  it('loads nothing before the first call, and then once', async () => {
    const load = vi.fn(() => Promise.resolve(calls));
    const made = loadWhenCalled(load, { count: true });
    expect(load).not.toHaveBeenCalled();

    expect(await Promise.all([made.double(2), made.double(3), all(made.count(3))])).toEqual([4, 6, [1, 2, 3]]);
    expect(load).toHaveBeenCalledOnce();
  });

  it('passes on the error of a call', async () => {
    const made = loadWhenCalled(() => Promise.resolve(calls), { count: true });
    await expect(made.fail()).rejects.toThrow('The hub said no.');
  });

  it('ends a stream whose loop is left', async () => {
    const ended = vi.fn();
    const endless = {
      async *count(): AsyncGenerator<number> {
        try {
          for (;;) yield await Promise.resolve(1);
        } finally {
          ended();
        }
      },
    };
    for await (const _item of loadWhenCalled(() => Promise.resolve(endless), { count: true }).count()) break;
    expect(ended).toHaveBeenCalledOnce();
  });

  it('says what to do when the code cannot be loaded, and loads again at the next call', async () => {
    const load = vi.fn(() => Promise.resolve(calls)).mockRejectedValueOnce(new TypeError('Failed to fetch'));
    const made = loadWhenCalled(load, { count: true });
    await expect(made.double(1)).rejects.toThrow('did not come from the server. Reload the page.');
    expect(await made.double(1)).toBe(2);
  });
});
