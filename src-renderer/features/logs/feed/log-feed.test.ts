import { describe, expect, it, vi } from 'vitest';
import type { LogQueryOptions, Machine } from '../../../shared/machine/machine.ts';
import type { ConnectionView, LogBatch, LogPageView } from '../../../shared/machine/machine-view.ts';
import { defaultCriteria } from '../log-address.ts';
import { LogFeed } from './log-feed.ts';
import { isGap } from './log-lines.ts';
import { logLine } from './log-line.fixture.ts';

/** A machine with a log that grows, a connection that is lost and restored, and the smallest possible pages. */
class LogMachine implements Pick<Machine, 'connection' | 'tailLogs' | 'queryLogs'> {
  last = 0;
  first = 1;
  pageSize = 500;
  readonly asked: LogQueryOptions[] = [];
  failure: Error | undefined;
  /** While true, queries get no answer until the connection is lost. */
  isSilent = false;
  #tell: (view: ConnectionView) => void = () => undefined;
  #push: (batch: LogBatch) => void = () => undefined;

  readonly connection = {
    subscribe: (onChange: (view: ConnectionView) => void) => {
      this.#tell = onChange;
      return () => (this.#tell = () => undefined);
    },
    retryNow: () => undefined,
  };

  link(kind: 'connected' | 'waiting'): void {
    this.#tell({ kind, reason: '', nextTryAt: 0 });
  }

  /** Logs lines, and sends them at once to whoever follows the log. */
  log(count: number, dropped = 0): void {
    const from = this.last + 1 + dropped;
    this.last += count + dropped;
    const lines = Array.from({ length: count }, (_, index) => logLine(from + index));
    this.#push({ lines, dropped, lastSeq: 0 });
  }

  async *tailLogs(_options: unknown, signal: AbortSignal): AsyncGenerator<LogBatch> {
    const waiting: LogBatch[] = [{ lines: [], dropped: 0, lastSeq: this.last }];
    let wake = (): void => undefined;
    this.#push = (batch) => {
      waiting.push(batch);
      wake();
    };
    signal.addEventListener('abort', () => wake());
    while (!signal.aborted) {
      const next = waiting.shift();
      if (next === undefined) await new Promise<void>((resolve) => (wake = resolve));
      else yield next;
    }
    this.#push = () => undefined;
  }

  queryLogs(options: LogQueryOptions, signal?: AbortSignal): Promise<LogPageView> {
    this.asked.push(options);
    if (this.isSilent) {
      return new Promise((_resolve, reject) =>
        signal?.addEventListener('abort', () => reject(new Error('the link was lost'))),
      );
    }
    if (this.failure !== undefined) return Promise.reject(this.failure);
    const { afterSeq, beforeSeq, olderToken } = options;
    const end = Math.min(olderToken === '' ? Infinity : Number(olderToken), beforeSeq, this.last + 1);
    const begin = Math.max(this.first, afterSeq + 1, end - this.pageSize);
    const lines = Array.from({ length: Math.max(0, end - begin) }, (_, index) => logLine(begin + index));
    const hasMore = begin > Math.max(this.first, afterSeq + 1);
    return Promise.resolve({
      lines,
      olderToken: hasMore ? String(begin) : '',
      unreadable: [],
      searchedTo: begin * 1000,
    });
  }
}

function feedOf(machine: LogMachine, criteria = defaultCriteria): LogFeed {
  const feed = new LogFeed({ machine, criteria, onChange: () => undefined });
  feed.start();
  return feed;
}

const seqs = (feed: LogFeed): (number | 'gap')[] => feed.lines.items.map((item) => (isGap(item) ? 'gap' : item.seq));
const range = (from: number, to: number): number[] => Array.from({ length: to - from + 1 }, (_, index) => from + index);
const expectSoon = async (expectation: () => void): Promise<void> => vi.waitFor(expectation);

describe('a feed', () => {
  it('begins with the latest past lines, goes on with new ones, and reads older ones when asked', async () => {
    const machine = new LogMachine();
    machine.last = 5_200;
    const feed = feedOf(machine);
    machine.link('connected');
    await expectSoon(() => expect(seqs(feed)).toEqual(range(3_201, 5_200)));
    machine.log(3);
    await expectSoon(() => expect(seqs(feed)).toEqual(range(3_201, 5_203)));
    await feed.loadOlder();
    expect([feed.lines.items[0]?.seq, feed.past]).toEqual([1_201, 'more']);
    await feed.loadOlder();
    expect([seqs(feed), feed.past]).toEqual([range(1, 5_203), 'start']);
  });

  it('continues after a lost connection without gap or repeat', async () => {
    const machine = new LogMachine();
    machine.last = 20;
    const feed = feedOf(machine);
    machine.link('connected');
    await expectSoon(() => expect(feed.past).toBe('start'));
    machine.link('waiting');
    machine.pageSize = 7;
    machine.log(30);
    machine.link('connected');
    machine.log(2);
    await expectSoon(() => expect(seqs(feed)).toEqual(range(1, 52)));
    expect(machine.asked.at(-1)).toMatchObject({ afterSeq: 20, beforeSeq: 51 });
  });

  it('keeps a gap if more was missed than is read at a time, and fills it when asked', async () => {
    const machine = new LogMachine();
    machine.last = 10;
    const feed = feedOf(machine);
    machine.link('connected');
    await expectSoon(() => expect(feed.past).toBe('start'));
    machine.link('waiting');
    machine.log(6_000);
    machine.link('connected');
    await expectSoon(() => expect(seqs(feed)).toEqual([...range(1, 10), 'gap', ...range(1_011, 6_010)]));
    const gap = feed.lines.items.find(isGap);
    if (gap === undefined) throw new Error('no gap');
    await feed.loadGap(gap);
    expect(seqs(feed)).toEqual(range(1, 6_010));
  });

  it('has a gap where the machine left lines out because the page was slow', async () => {
    const machine = new LogMachine();
    machine.last = 3;
    const feed = feedOf(machine);
    machine.link('connected');
    await expectSoon(() => expect(feed.past).toBe('start'));
    machine.log(2, 40);
    await expectSoon(() => expect(seqs(feed)).toEqual([1, 2, 3, 'gap', 44, 45]));
    const gap = feed.lines.items.find(isGap);
    expect(gap?.count).toBe(40);
    if (gap !== undefined) await feed.loadGap(gap);
    expect(seqs(feed)).toEqual(range(1, 45));
  });

  it('begins again if the numbers of the machine do', async () => {
    const machine = new LogMachine();
    machine.last = 500;
    const feed = feedOf(machine);
    machine.link('connected');
    await expectSoon(() => expect(feed.lines.items).toHaveLength(500));
    machine.link('waiting');
    machine.last = 4;
    machine.link('connected');
    await expectSoon(() => expect(seqs(feed)).toEqual([1, 2, 3, 4]));
  });

  it('counts new lines while the end is not followed', async () => {
    const machine = new LogMachine();
    machine.last = 5;
    const feed = feedOf(machine);
    machine.link('connected');
    await expectSoon(() => expect(feed.past).toBe('start'));
    feed.follow(false);
    machine.log(7);
    await expectSoon(() => expect(feed.newLines).toBe(7));
    feed.follow(true);
    expect(feed.newLines).toBe(0);
  });

  it('reads only stored lines, without a stream, if its time ends in the past', async () => {
    const machine = new LogMachine();
    machine.last = 5;
    const tail = vi.spyOn(machine, 'tailLogs');
    const feed = feedOf(machine, { ...defaultCriteria, to: 9_000 });
    machine.link('connected');
    await expectSoon(() => expect(seqs(feed)).toEqual([1, 2, 3, 4, 5]));
    expect(tail).not.toHaveBeenCalled();
  });

  it('reports why older lines could not be read, and reads them when asked again', async () => {
    const machine = new LogMachine();
    machine.last = 5;
    machine.failure = new Error('the disk is gone');
    const feed = feedOf(machine);
    machine.link('connected');
    await expectSoon(() => expect(feed.problem).toBe('the disk is gone'));
    machine.failure = undefined;
    await feed.loadOlder();
    expect([feed.problem, feed.past, feed.lines.items.length]).toEqual(['', 'start', 5]);
  });

  it('reads past lines after a connection that was lost before any had come', async () => {
    const machine = new LogMachine();
    machine.last = 20;
    machine.isSilent = true;
    const feed = feedOf(machine);
    machine.link('connected');
    await expectSoon(() => expect(machine.asked).toHaveLength(1));
    machine.link('waiting');
    await expectSoon(() => expect(feed.past).toBe('more'));
    machine.isSilent = false;
    machine.link('connected');
    await expectSoon(() => expect(seqs(feed)).toEqual(range(1, 20)));
  });

  it('does not report an empty log if past lines could not be read, and reads them when asked again', async () => {
    const machine = new LogMachine();
    machine.last = 20;
    machine.failure = new Error('the disk is gone');
    const feed = feedOf(machine);
    machine.link('connected');
    await expectSoon(() => expect(feed.problem).toBe('the disk is gone'));
    expect([feed.hasBegun, feed.past]).toEqual([false, 'more']);
    machine.failure = undefined;
    await feed.loadOlder();
    expect([feed.hasBegun, feed.problem]).toEqual([true, '']);
  });

  it('counts lines that came during a pause as new if the end was not followed', async () => {
    const machine = new LogMachine();
    machine.last = 20;
    const feed = feedOf(machine);
    machine.link('connected');
    await expectSoon(() => expect(seqs(feed)).toEqual(range(1, 20)));
    feed.follow(false);
    machine.log(2);
    await expectSoon(() => expect(feed.newLines).toBe(2));
    feed.pause();
    machine.log(3);
    await expectSoon(() => expect(feed.lines.heldLines).toBe(3));
    feed.resume();
    expect(feed.newLines).toBe(5);
  });
});
