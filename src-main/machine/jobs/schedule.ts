import { createRequire } from 'node:module';
import type { Cron } from 'croner';
import { formatDuration, parseDuration } from '../../../proto/config/duration.ts';

/** When the runs of a job begin. */
export type Schedule =
  | { readonly kind: 'interval'; readonly ms: number }
  /** @property pattern 5 fields, or 6 with seconds first, or a nickname such as `@daily`; in the computer's local time */
  | { readonly kind: 'cron'; readonly pattern: string }
  | { readonly kind: 'continuous' };

export type ReadSchedule =
  | { readonly kind: 'valid'; readonly schedule: Schedule }
  /** @property reason completes `"5 s" is no schedule: ...` */
  | { readonly kind: 'invalid'; readonly reason: string };

/** The allowed forms, for messages. */
export const scheduleForms = ['a time such as 30s or 1h30m', 'cron with 5 or 6 fields', 'continuous'] as const;

/** The longest duration in Go: 2^63 - 1 ns. */
const LONGEST_MS = 9_223_372_036_854;
/** A pattern without a match in this time never matches. */
const ANY_MOMENT = Date.UTC(2024, 0, 1);
const NICKNAME = /^@(yearly|annually|monthly|weekly|daily|midnight|hourly)$/i;

/**
 * Parses a schedule in the public format: a Go duration (https://pkg.go.dev/time#ParseDuration), cron with 5 fields, or
 * 6 with seconds first, or `continuous`. Never throws.
 */
export function readSchedule(text: string): ReadSchedule {
  if (text.toLowerCase() === 'continuous') return { kind: 'valid', schedule: { kind: 'continuous' } };
  const ms = parseDuration(text);
  if (ms !== undefined) {
    if (ms > 0 && ms <= LONGEST_MS) return { kind: 'valid', schedule: { kind: 'interval', ms } };
    return { kind: 'invalid', reason: ms > 0 ? 'a time is 292 years at most' : 'a time is more than 0' };
  }
  return readCron(text.trim());
}

function readCron(pattern: string): ReadSchedule {
  const fields = pattern.split(/\s+/);
  const [first = '', second] = fields;
  if (first.toLowerCase() === '@every') {
    const time = second === undefined ? 'the time' : `"${second}"`;
    return { kind: 'invalid', reason: `write ${time} alone, without @every` };
  }
  if (fields.length !== 5 && fields.length !== 6 && !NICKNAME.test(pattern)) {
    return { kind: 'invalid', reason: 'it is no time, and cron has 5 fields, or 6 with seconds first' };
  }
  try {
    return cronTimes(pattern).next(ANY_MOMENT) === undefined
      ? { kind: 'invalid', reason: 'no date is ever so' }
      : { kind: 'valid', schedule: { kind: 'cron', pattern } };
  } catch (thrown) {
    return { kind: 'invalid', reason: (thrown as Error).message.replace(/^CronPattern: /, '') };
  }
}

/** Moments of a cron pattern. */
export interface CronTimes {
  /**
   * The first moment after this one, wall-clock milliseconds; undefined if there is none.
   * @param after wall-clock milliseconds
   */
  next(after: number): number | undefined;
}

/** The moments of a pattern in the local time of this computer. Throws if the pattern is invalid. */
export function cronTimes(pattern: string): CronTimes {
  // A start value before a step, `5/15`, is common in the public ecosystem.
  const cron = new (loadCron())(pattern, { sloppyRanges: true });
  return { next: (after) => cron.nextRun(new Date(after))?.getTime() };
}

let loaded: typeof Cron | undefined;

/** Not an import: few configurations have a job, and fewer one with a cron pattern. */
function loadCron(): typeof Cron {
  loaded ??= (createRequire(import.meta.url)('croner') as { Cron: typeof Cron }).Cron;
  return loaded;
}

/** A schedule in words: `every 1m30s`. */
export function describeSchedule(schedule: Schedule): string {
  switch (schedule.kind) {
    case 'interval':
      return `every ${formatDuration(schedule.ms)}`;
    case 'cron':
      return `at "${schedule.pattern}"`;
    case 'continuous':
      return 'without a pause';
  }
}
