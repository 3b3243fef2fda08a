import type { ConfigResult } from '../../shared/machine/machine-view.ts';
import type { Tone } from '../../shared/machine/rpc/status-merge.ts';
import type { VersionView } from '../../shared/machine/history-view.ts';
import type { Text } from '../../shared/text.ts';
import { formatAge } from '../../shared/timing/age.ts';

const minuteMs = 60_000;
const dayMs = 24 * 60 * minuteMs;

const months = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];

/** A local time in short: `just now`, `10:42`, `yesterday 17:20`, `18 Nov 09:58`, `18 Nov 2025`. */
export function whenWords(at: number, now: number, t: Text): string {
  if (at === 0) return t('versions.when.unknown');
  const date = new Date(at);
  const today = new Date(now);
  const time = `${pad(date.getHours())}:${pad(date.getMinutes())}`;
  if (now - at < minuteMs && at - now < minuteMs) return t('versions.when.now');
  const days = Math.round((midnight(today) - midnight(date)) / dayMs);
  if (days === 0) return time;
  if (days === 1) return t('versions.when.yesterday', { time });
  const day = `${date.getDate()} ${months[date.getMonth()] ?? ''}`;
  return date.getFullYear() === today.getFullYear() ? `${day} ${time}` : `${day} ${date.getFullYear()}`;
}

/** `2026-11-21 10:42:07, 2026-11-21 09:42:07 UTC` */
export function exactTime(at: number): string {
  if (at === 0) return '';
  const date = new Date(at);
  const day = `${date.getFullYear()}-${pad(date.getMonth() + 1)}-${pad(date.getDate())}`;
  const time = `${pad(date.getHours())}:${pad(date.getMinutes())}:${pad(date.getSeconds())}`;
  return `${day} ${time}, ${date.toISOString().slice(0, 19).replace('T', ' ')} UTC`;
}

function midnight(date: Date): number {
  return new Date(date.getFullYear(), date.getMonth(), date.getDate()).getTime();
}

const pad = (value: number): string => String(value).padStart(2, '0');

/** A result in a few words, and the full message. */
export interface ResultWords {
  readonly tone: Tone | 'info';
  readonly words: string;
  readonly details: string;
}

/**
 * The result of applying a version.
 * @param isNow whether it is the version that is stored now
 * @param live the result that the machine reports for the version that is stored now
 */
export function resultWords(
  version: VersionView,
  isNow: boolean,
  live: ConfigResult | undefined,
  t: Text,
): ResultWords {
  const result =
    isNow && live !== undefined && live.outcome !== 'returned' ? freshest(version.result, live) : version.result;
  if (result === undefined) {
    return isNow
      ? { tone: 'off', words: t('versions.result.waiting'), details: t('versions.result.waitingDetails') }
      : { tone: 'off', words: t('versions.result.never'), details: t('versions.result.neverDetails') };
  }
  const { message, unready } = result;
  switch (result.outcome) {
    case 'applying':
      return { tone: 'info', words: t('versions.result.applying'), details: message };
    case 'applied': {
      return { tone: 'ok', words: readyWords(result.tookMs, t), details: t('versions.result.readyDetails') };
    }
    case 'applied-with-failures':
      return {
        tone: 'bad',
        words:
          unready.length === 0
            ? t('versions.result.someFailed')
            : t('versions.result.failed', { count: unready.length }),
        details: message,
      };
    case 'deferred':
      return { tone: 'warn', words: t('versions.result.deferred'), details: message };
    case 'rejected':
      return { tone: 'bad', words: t('versions.result.refused'), details: message };
    case 'replaced':
      return { tone: 'off', words: t('versions.result.replaced'), details: message };
    case 'returned':
      return {
        tone: 'warn',
        words: version.base === 0 ? t('versions.result.left') : t('versions.result.returned', { number: version.base }),
        details: message,
      };
  }
}

/** For shorter times, none is shown. */
const atOnceMs = 50;

function readyWords(tookMs: number | undefined, t: Text): string {
  if (tookMs === undefined) return t('versions.result.ready');
  return tookMs < atOnceMs
    ? t('versions.result.readyAtOnce')
    : t('versions.result.readyIn', { time: formatAge(tookMs) });
}

/** The live result. If the history has the same outcome, adds `tookMs` from there: only the history has it. */
function freshest(kept: ConfigResult | undefined, live: ConfigResult): ConfigResult {
  return kept?.outcome === live.outcome && kept.tookMs !== undefined ? { ...live, tookMs: kept.tookMs } : live;
}
