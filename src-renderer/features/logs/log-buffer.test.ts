import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { LogLine } from '../../shared/machine/machine-view.ts';
import { added, emptyBuffer, keptLines, paused, resumed } from './log-buffer.ts';

let written = 0;
const line = (message: string): LogLine => ({
  seq: ++written,
  at: 0,
  level: 'info',
  logger: 'core',
  message,
  resource: '',
  repeats: 1,
  fields: '',
});
const lines = (count: number): LogLine[] => Array.from({ length: count }, (_, index) => line(String(index)));

describe('the log buffer', () => {
  it('complaint 20: holds lines back while paused and shows them after, in order', () => {
    const before = paused(added(emptyBuffer, [line('a')]));
    const during = added(before, [line('b'), line('c')]);
    expect(during.shown.map((entry) => entry.line.message)).toEqual(['a']);
    expect(during.held).toHaveLength(2);
    expect(resumed(during).shown.map((entry) => [entry.number, entry.line.message])).toEqual([
      [1, 'a'],
      [2, 'b'],
      [3, 'c'],
    ]);
  });

  it('complaint 19: keeps a bounded number of lines and counts what it let go', () => {
    const full = added(emptyBuffer, lines(keptLines + 5));
    expect([full.shown.length, full.dropped, full.shown[0]?.line.message]).toEqual([keptLines, 5, '5']);
    const held = added(paused(full), lines(keptLines + 1));
    expect([held.shown.length, held.held.length, held.dropped]).toEqual([keptLines, keptLines, 6]);
  });

  it('complaint 20: shows no line twice when the stream begins again, and all of a machine that was started again', () => {
    const old = [1, 2, 3].map((seq) => ({ ...line(`old ${seq}`), seq, at: 100 + seq }));
    const again = added(added(paused(emptyBuffer), old), [...old.slice(1), { ...line('next'), seq: 4, at: 104 }]);
    expect(resumed(again).shown.map((entry) => entry.line.message)).toEqual(['old 1', 'old 2', 'old 3', 'next']);
    const restarted = added(again, [{ ...line('new run'), seq: 1, at: 900 }]);
    expect(restarted.held.at(-1)?.line.message).toBe('new run');
  });

  it('accounts for every line: shown, held and dropped are all that ever came', () => {
    const step = fc.oneof(fc.constant('pause'), fc.constant('resume'), fc.integer({ min: 0, max: 1500 }));
    fc.assert(
      fc.property(fc.array(step, { maxLength: 10 }), (steps) => {
        let buffer = emptyBuffer;
        let total = 0;
        for (const entry of steps) {
          if (entry === 'pause') buffer = paused(buffer);
          else if (entry === 'resume') buffer = resumed(buffer);
          else {
            total += Number(entry);
            buffer = added(buffer, lines(Number(entry)));
          }
        }
        expect(buffer.shown.length + buffer.held.length + buffer.dropped).toBe(total);
      }),
      { numRuns: 50 },
    );
  });
});
