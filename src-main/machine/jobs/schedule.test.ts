import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { formatDuration, parseDuration } from '../../../proto/config/duration.ts';
import { cronTimes, readSchedule } from './schedule.ts';

const local = (...parts: [number, number, number, number, number, number?]): number => new Date(...parts).getTime();
const DAY_MS = 86_400_000;

describe('a schedule', () => {
  it.each([
    ['5s', 5_000],
    ['1h30m', 5_400_000],
    ['.5s', 500],
    ['+2m', 120_000],
    ['1us', 0.001],
  ])('%s is a time', (text, ms) => {
    expect(readSchedule(text)).toEqual({ kind: 'valid', schedule: { kind: 'interval', ms } });
  });

  it.each(['continuous', 'Continuous', 'CONTINUOUS'])('%s has no pause', (text) => {
    expect(readSchedule(text)).toEqual({ kind: 'valid', schedule: { kind: 'continuous' } });
  });

  it.each(['* * * * *', '*/5 * * * * *', '5/15 8-18 * * mon-fri', '0 0 1 JAN *', '? * * * ?', '@daily', ' 0 0 * * 7 '])(
    '"%s" is cron',
    (pattern) => {
      expect(readSchedule(pattern)).toEqual({ kind: 'valid', schedule: { kind: 'cron', pattern: pattern.trim() } });
    },
  );

  it.each([
    ['', 'it is no time, and cron has 5 fields, or 6 with seconds first'],
    ['soon', 'it is no time, and cron has 5 fields, or 6 with seconds first'],
    ['5', 'it is no time, and cron has 5 fields, or 6 with seconds first'],
    ['2026-03-29T00:00:00', 'it is no time, and cron has 5 fields, or 6 with seconds first'],
    ['* * * * * * *', 'it is no time, and cron has 5 fields, or 6 with seconds first'],
    ['0', 'a time is more than 0'],
    ['0s', 'a time is more than 0'],
    ['-5s', 'a time is more than 0'],
    ['9999999h', 'a time is 292 years at most'],
    ['60 * * * *', 'Invalid value for minute: 60'],
    ['*/0 * * * *', 'Syntax error, illegal stepping: 0'],
    ['0 0 30 2 *', 'no date is ever so'],
    ['@every 5s', 'write "5s" alone, without @every'],
  ])('"%s" is none: %s', (text, reason) => expect(readSchedule(text)).toEqual({ kind: 'invalid', reason }));

  it('is read from any text without throwing, and a time as it is written', () => {
    const field = fc.stringMatching(/^[0-9*,\-/?LW#A-Z]{1,6}$/);
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string(),
          fc.array(field, { minLength: 4, maxLength: 7 }).map((f) => f.join(' ')),
        ),
        (text) => {
          const read = readSchedule(text);
          if (read.kind === 'invalid') expect(read.reason).not.toBe('');
          else if (read.schedule.kind === 'interval') expect(read.schedule.ms).toBe(parseDuration(text));
          else if (read.schedule.kind === 'cron') expect(cronTimes(read.schedule.pattern).next(0)).toBeGreaterThan(0);
        },
      ),
    );
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 10 ** 9 }), (ms) => {
        expect(readSchedule(formatDuration(ms))).toEqual({ kind: 'valid', schedule: { kind: 'interval', ms } });
      }),
    );
  });
});

describe('the moments of a cron pattern', () => {
  it('are of the local time, with seconds where it has six fields', () => {
    const start = local(2026, 0, 5, 7, 59, 30); // a Monday
    expect(cronTimes('0 8 * * 1').next(start)).toBe(local(2026, 0, 5, 8, 0));
    expect(cronTimes('*/20 * * * * *').next(start)).toBe(local(2026, 0, 5, 7, 59, 40));
    expect(cronTimes('0 8 * * 1').next(local(2026, 0, 5, 8, 0))).toBe(local(2026, 0, 12, 8, 0));
  });

  it('are of either where both a day of the month and a day of the week are named', () => {
    const { next } = cronTimes('0 0 13 * FRI');
    expect(next(local(2026, 0, 1, 12, 0))).toBe(local(2026, 0, 2, 0, 0)); // a Friday
    expect(next(local(2026, 0, 9, 12, 0))).toBe(local(2026, 0, 13, 0, 0)); // a Tuesday
  });

  it('come every so many minutes or seconds, whatever the hour is called, and are always later', () => {
    const from = fc.integer({ min: local(2026, 0, 1, 0, 0), max: local(2028, 0, 1, 0, 0) });
    fc.assert(
      fc.property(from, fc.constantFrom(1, 2, 5, 10, 15, 30), fc.boolean(), (after, step, hasSeconds) => {
        const { next } = cronTimes(hasSeconds ? `*/${step} * * * * *` : `*/${step} * * * *`);
        const unitMs = hasSeconds ? 1_000 : 60_000;
        const first = next(after) ?? 0;
        expect(first).toBeGreaterThan(after);
        expect(first - after).toBeLessThanOrEqual(step * unitMs);
        expect(first % (step * unitMs)).toBe(0);
      }),
    );
    fc.assert(
      fc.property(from, fc.integer({ min: 0, max: 23 }), fc.integer({ min: 0, max: 59 }), (after, hour, minute) => {
        const next = cronTimes(`${minute} ${hour} * * *`).next(after) ?? 0;
        expect(next - after).toBeGreaterThan(0);
        expect(next - after).toBeLessThanOrEqual(DAY_MS + 7_200_000);
      }),
    );
  });
});
