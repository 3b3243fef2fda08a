import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { JobLogPage } from '../../../shared/machine/training/training-calls.ts';
import { JobLogFeed } from './job-log-feed.ts';

const line = (message: string) => ({ level: 'info', time: new Date(0), message });

describe('the log of a job', () => {
  /** The lines that the hub has; no more come if `isOver`. */
  let written: string[] = [];
  let isOver = false;
  let failure: Error | undefined;
  let asked: string[] = [];
  let changes = 0;

  const feed = new JobLogFeed({
    jobId: 'j1',
    calls: {
      log(_id, token): Promise<JobLogPage> {
        asked.push(token);
        if (failure !== undefined) return Promise.reject(failure);
        const after = Number(token);
        const lines = written.slice(after, after + 2).map(line);
        const isLast = isOver && after + lines.length === written.length && lines.length < 2;
        return Promise.resolve({ lines, nextToken: isLast ? '' : String(after + lines.length) });
      },
    },
    onChange: () => (changes += 1),
  });
  const messages = (): readonly string[] => feed.lines.map(({ message }) => message);

  beforeEach(() => {
    vi.useFakeTimers();
    [asked, changes] = [[], 0];
  });
  afterEach(() => vi.useRealTimers());

  it('is read from the first line, page by page, and followed', async () => {
    written = ['a', 'b', 'c'];
    feed.start();
    await vi.advanceTimersByTimeAsync(0);
    expect(messages()).toEqual(['a', 'b', 'c']);
    expect(asked).toEqual(['', '2', '3']);
    written.push('d');
    await vi.advanceTimersByTimeAsync(1_000);
    expect(messages()).toEqual(['a', 'b', 'c', 'd']);
    expect(feed.hasBegun && !feed.isOver).toBe(true);
  });

  it('holds lines back while it is paused, counts them, and shows all of them after the pause', async () => {
    feed.pause();
    written.push('e', 'f');
    await vi.advanceTimersByTimeAsync(1_000);
    feed.start();
    await vi.advanceTimersByTimeAsync(0);
    expect([messages().length, feed.heldLines, feed.isPaused]).toEqual([4, 2, true]);
    feed.resume();
    expect(messages()).toEqual(['a', 'b', 'c', 'd', 'e', 'f']);
  });

  it('reports a problem, and continues where it was', async () => {
    failure = new Error('The hub is away.');
    feed.start();
    await vi.advanceTimersByTimeAsync(0);
    expect(feed.problem).toBe('The hub is away.');
    failure = undefined;
    await vi.advanceTimersByTimeAsync(1_000);
    expect([feed.problem, messages().length]).toEqual(['', 6]);
  });

  it('is not asked for again once it is complete', async () => {
    isOver = true;
    written.push('g');
    feed.start();
    await vi.advanceTimersByTimeAsync(0);
    expect([feed.isOver, messages().at(-1)]).toEqual([true, 'g']);
    const count = asked.length;
    feed.start();
    await vi.advanceTimersByTimeAsync(5_000);
    expect(asked).toHaveLength(count);
    expect(changes).toBe(1);
  });
});
