import { describe, expect, it } from 'vitest';
import { Level, QueryResponse, TailResponse } from '../../../../proto/gen/core/log/v1/log.ts';
import { batchFrom, logFilterFrom, logPageFrom } from './log-from-proto.ts';

const anything = { level: 'debug', resource: '', logger: '', text: '', from: undefined, to: undefined } as const;

describe('the log as types of the page', () => {
  it('is lines with their fields, counts and times', () => {
    const at = new Date(9_000);
    const message = TailResponse.fromPartial({
      entries: [
        { level: Level.WARN, message: 'hot', fields: { celsius: 90 }, repeatCount: 0, time: at },
        { repeatCount: 4, time: at, firstTime: new Date(4_000) },
      ],
      dropped: 3n,
      lastSeq: 7n,
    });
    const { lines, dropped, lastSeq } = batchFrom(message);
    expect([dropped, lastSeq, lines[0]?.level, lines[0]?.fields]).toEqual([3, 7, 'warn', '{"celsius":90}']);
    expect(lines.map(({ repeats, firstAt }) => [repeats, firstAt])).toEqual([
      [1, 9_000],
      [4, 4_000],
    ]);
  });

  it('is pages that say how far back they looked', () => {
    const page = logPageFrom(
      QueryResponse.fromPartial({ nextPageToken: '12', searchedTo: new Date(5), unreadable: ['x'] }),
    );
    expect(page).toEqual({ lines: [], olderToken: '12', unreadable: ['x'], searchedTo: 5 });
  });

  it('is filtered by a minimum level, times and numbers', () => {
    expect(logFilterFrom({ ...anything, level: 'warn', from: 5 }, 2, 9)).toMatchObject({
      levels: [Level.WARN, Level.ERROR],
      start: new Date(5),
      end: undefined,
      afterSeq: 2n,
      beforeSeq: 9n,
    });
    expect(logFilterFrom(anything, 0, 0).levels).toHaveLength(4);
  });
});
