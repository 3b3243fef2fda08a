import { describe, expect, it } from 'vitest';
import type { LogFilter } from './log-filter.ts';
import { LogHistory, SUBSCRIBER_LIMIT, type LogEvent } from './log-history.ts';
import type { LogEntry } from './log-entry.ts';

function entry(seq: number, overrides: Partial<LogEntry> = {}): LogEntry {
  return {
    seq,
    time: 1_000 * seq,
    level: 'info',
    logger: 'core.component.motor.left',
    message: `message ${seq}`,
    fields: {},
    resource: undefined,
    caller: undefined,
    repeatCount: 1,
    firstTime: undefined,
    ...overrides,
  };
}

function filled(count: number, capacity = 100): LogHistory {
  const history = new LogHistory(capacity);
  for (let seq = 1; seq <= count; seq++) history.push(entry(seq));
  return history;
}

const seqs = (entries: readonly LogEntry[]): number[] => entries.map(({ seq }) => seq);

describe('the history', () => {
  it('keeps the latest entries and forgets the oldest', () => {
    const history = filled(250);
    const { entries, olderBeforeSeq } = history.query({}, 1_000, undefined);
    expect([entries.length, entries[0]?.seq, entries.at(-1)?.seq, olderBeforeSeq]).toEqual([100, 151, 250, undefined]);
  });

  it('is read page by page from the latest back, without gaps or repeats', () => {
    const history = filled(25);
    const pages: number[][] = [];
    let before: number | undefined;
    do {
      const page = history.query({}, 10, before);
      pages.push(seqs(page.entries));
      before = page.olderBeforeSeq;
      history.push(entry(100 + pages.length));
    } while (before !== undefined);
    expect(pages.map((page) => [page[0], page.at(-1)])).toEqual([
      [16, 25],
      [6, 15],
      [1, 5],
    ]);
  });

  it.each<[string, LogFilter, number[]]>([
    ['levels', { levels: ['warn', 'error'] }, [2, 4]],
    ['no level at all, which restricts nothing', { levels: [] }, [1, 2, 3, 4]],
    ['part of a logger', { logger: 'WEB' }, [3]],
    ['a resource', { resource: 'core:component:motor/left' }, [1]],
    ['text of the message', { text: 'TIMEOUT' }, [2]],
    ['text of the fields', { text: '"rpm":60' }, [4]],
    ['time, the end not included', { startMs: 2_000, endMs: 4_000 }, [2, 3]],
    ['several at once', { levels: ['warn'], text: 'nothing' }, []],
  ])('is filtered by %s', (_title, filter, expected) => {
    const history = new LogHistory(10);
    history.push(entry(1, { resource: 'core:component:motor/left' }));
    history.push(entry(2, { level: 'warn', message: 'a timeout' }));
    history.push(entry(3, { logger: 'core.web' }));
    history.push(entry(4, { level: 'error', fields: { rpm: 60 } }));
    expect(seqs(history.query(filter, 10, undefined).entries)).toEqual(expected);
  });
});

describe('a subscriber', () => {
  it('reads what matches, as it comes', async () => {
    const history = new LogHistory(10);
    const { events, close } = history.subscribe({ levels: ['error'] });
    history.push(entry(1));
    history.push(entry(2, { level: 'error' }));
    close();
    const read: LogEvent[] = [];
    for await (const event of events) read.push(event);
    expect(read).toEqual([{ kind: 'entry', entry: expect.objectContaining({ seq: 2 }) as LogEntry }]);
    expect(history.subscribers).toBe(0);
  });

  it('that is too slow is told how much it missed, in its place, and catches up', async () => {
    const history = new LogHistory(10);
    const iterator = history.subscribe({}).events[Symbol.asyncIterator]();
    for (let seq = 1; seq <= SUBSCRIBER_LIMIT + 7; seq++) history.push(entry(seq));
    for (let seq = 1; seq <= SUBSCRIBER_LIMIT; seq++) {
      expect((await iterator.next()).value).toMatchObject({ kind: 'entry', entry: { seq } });
    }
    expect((await iterator.next()).value).toEqual({ kind: 'gap', dropped: 7 });
    history.push(entry(5_000));
    expect((await iterator.next()).value).toMatchObject({ kind: 'entry', entry: { seq: 5_000 } });
  });

  it('that leaves its loop is forgotten', async () => {
    const history = new LogHistory(10);
    const { events } = history.subscribe({});
    history.push(entry(1));
    for await (const event of events) {
      expect(event.kind).toBe('entry');
      break;
    }
    history.push(entry(2));
    expect(history.subscribers).toBe(0);
  });
});
