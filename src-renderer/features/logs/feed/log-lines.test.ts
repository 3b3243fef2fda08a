import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { LogLine } from '../../../shared/machine/machine-view.ts';
import { isGap, LogLines, MAX_EXTRA_LINES, MAX_HELD_LINES, MAX_LINES, type LogItem } from './log-lines.ts';
import { logLine } from './log-line.fixture.ts';

const lines = (from: number, to: number): LogLine[] =>
  Array.from({ length: to - from + 1 }, (_, index) => logLine(from + index));
const seqs = (items: readonly LogItem[]): number[] => items.map(({ seq }) => seq);
const range = (from: number, to: number): number[] => seqs(lines(from, to));

describe('the lines of the page', () => {
  it('are held back by a pause and shown after it, in order', () => {
    const log = new LogLines();
    log.append(lines(1, 3), true);
    log.pause();
    log.append(lines(4, 6), true);
    expect([seqs(log.items), log.heldLines]).toEqual([[1, 2, 3], 3]);
    log.resume(true);
    expect([seqs(log.items), log.heldLines, log.isPaused]).toEqual([[1, 2, 3, 4, 5, 6], 0, false]);
  });

  it('are discarded in a long pause, counted, and replaced by a gap that the stored log can fill', () => {
    const log = new LogLines();
    log.append(lines(1, 2), true);
    log.pause();
    log.append(lines(3, MAX_HELD_LINES + 7), true);
    expect([log.heldLines, log.discardedLines]).toEqual([MAX_HELD_LINES, 5]);
    log.resume(true);
    const gap = log.items[2];
    if (gap === undefined || !isGap(gap)) throw new Error('no gap');
    expect(gap).toMatchObject({ afterSeq: 2, beforeSeq: 8, count: 5 });
    const rest = log.fill(gap, lines(6, 7), false);
    expect(rest).toMatchObject({ afterSeq: 2, beforeSeq: 6, count: 3 });
    if (rest !== undefined) log.fill(rest, lines(3, 5), true);
    expect(seqs(log.items)).toEqual(range(1, MAX_HELD_LINES + 7));
  });

  it('are limited: the oldest are dropped while the end is followed', () => {
    const log = new LogLines();
    log.append(lines(1, MAX_LINES), true);
    expect(log.append(lines(MAX_LINES + 1, MAX_LINES + 5), true)).toEqual({ added: 5, isCut: true });
    expect([log.items.length, log.items[0]?.seq]).toEqual([MAX_LINES, 6]);
  });

  it('stay while somebody reads further up; those without room are counted and read again later', () => {
    const log = new LogLines();
    log.append(lines(1, MAX_LINES), true);
    log.append(lines(MAX_LINES + 1, MAX_LINES + MAX_EXTRA_LINES), false);
    expect([log.items[0]?.seq, log.isDetached]).toEqual([1, false]);
    expect(log.append(lines(MAX_LINES + MAX_EXTRA_LINES + 1, MAX_LINES + MAX_EXTRA_LINES + 3), false).added).toBe(3);
    expect([log.items.length, log.isDetached]).toEqual([MAX_LINES + MAX_EXTRA_LINES, true]);
  });

  it('are put before the first if they are older, once, as far as there is room', () => {
    const log = new LogLines();
    log.append(lines(11, 20), true);
    expect(log.prepend(lines(6, 12))).toBe(true);
    expect(seqs(log.items)).toEqual(range(6, 20));
    const full = new LogLines();
    full.append(lines(11, MAX_LINES + 8), true);
    expect(full.prepend(lines(1, 10))).toBe(false);
    expect([full.items.length, full.items[0]?.seq]).toEqual([MAX_LINES, 9]);
  });

  it('are in order, each once, whatever is repeated, held back or missing', () => {
    const step = fc.oneof(
      fc.constant('pause' as const),
      fc.constant('resume' as const),
      fc.record({ back: fc.integer({ min: 0, max: 20 }), count: fc.integer({ min: 0, max: 30 }) }),
      fc.record({ missing: fc.integer({ min: 1, max: 20 }) }),
    );
    fc.assert(
      fc.property(fc.array(step, { maxLength: 20 }), (steps) => {
        const log = new LogLines();
        let last = 100;
        log.reachesTo(last);
        for (const entry of steps) {
          if (entry === 'pause') log.pause();
          else if (entry === 'resume') log.resume(true);
          else if ('missing' in entry) {
            last += entry.missing;
            log.addGap(last + 1, undefined);
          } else {
            // A stream that begins again repeats lines.
            const from = Math.max(1, last - entry.back + 1);
            log.append(lines(from, last + entry.count), true);
            last += entry.count;
          }
        }
        log.resume(true);
        const all = seqs(log.items);
        expect(all).toEqual([...new Set(all)].sort((a, b) => a - b));
        // Every number after the beginning is a line or inside a gap.
        let reached = 100;
        for (const item of log.items) {
          if (isGap(item)) {
            expect(item.afterSeq).toBe(reached);
            reached = item.beforeSeq - 1;
          } else {
            expect(item.seq).toBe(reached + 1);
            reached = item.seq;
          }
        }
        expect(reached).toBe(last);
      }),
      { numRuns: 50 },
    );
  });
});
