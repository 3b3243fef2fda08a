import type { RouteLocationRaw } from 'vue-router';
import { type Module, type Resource, Resource_State } from '../../../../proto/gen/core/status/v1/status.ts';
import { authorWords } from '../../../shared/machine/author-words.ts';
import type { ChangeView } from '../../../shared/machine/fleet-view.ts';
import { shortName, timeOf, type LogLine } from '../../../shared/machine/machine-view.ts';
import { momentWords } from '../../../shared/machine/part-words.ts';
import { summaryWords } from '../../../shared/machine/summary-words.ts';
import type { Text } from '../../../shared/text.ts';

export const dayMs = 24 * 60 * 60_000;
/** How much time around a moment of the log is shown, so that it is in the middle. */
const aroundMs = 30_000;

/** One thing that changed, in words, with where to look. */
export interface ChangeLine {
  readonly key: string;
  /** Wall-clock time, ms. */
  readonly at: number;
  readonly tone: 'bad' | 'ok' | 'off';
  readonly words: string;
  /** By whom, or why; '' for nothing to add. */
  readonly detail: string;
  readonly to: RouteLocationRaw;
}

export interface ChangeSources {
  /** Versions of the configuration. */
  readonly versions: readonly ChangeView[];
  readonly resources: readonly Resource[];
  readonly modules: readonly Module[];
  /** When the program was started, ms; undefined if unknown. */
  readonly startedAt: number | undefined;
  /** Lines of the log about resources, at least those of the last day. */
  readonly lines: readonly LogLine[];
}

/** What changed in the last 24 hours, the newest first. */
export function sinceYesterday(sources: ChangeSources, now: number, t: Text): readonly ChangeLine[] {
  const all = [
    ...versionLines(sources.versions, t),
    ...resourceLines(sources, now, t),
    ...moduleLines(sources.modules, t),
    ...startLines(sources.startedAt, t),
  ];
  return all.filter(({ at }) => at > now - dayMs).sort((one, other) => other.at - one.at);
}

function versionLines(versions: readonly ChangeView[], t: Text): ChangeLine[] {
  return versions.map(({ number, at = 0, author, summary, subjects, tag }) => ({
    key: `version ${number}`,
    at,
    tone: 'off',
    words: t('overview.since.version', { number, summary: changeWords(summary, subjects, t) }),
    detail: [author === '' ? '' : t('overview.by', { author: authorWords(author, t) }), tag === '' ? '' : `“${tag}”`]
      .filter((words) => words !== '')
      .join(' · '),
    to: { name: 'history', query: { version: String(number) } },
  }));
}

function changeWords(summary: string, subjects: readonly string[], t: Text): string {
  const { what, names } = summaryWords({ summary, subjects }, t);
  return names === '' ? what : `${what}: ${names}`;
}

/** Resources that are failed since yesterday, and those that failed and are ready again. */
function resourceLines({ resources, lines }: ChangeSources, now: number, t: Text): ChangeLine[] {
  const failures = lastFailures(lines);
  return resources.flatMap((resource): ChangeLine[] => {
    const { name, state, reason } = resource;
    const since = timeOf(resource.since);
    const failedAt = failures.get(name);
    if (state === Resource_State.FAILED) {
      return [
        {
          key: name,
          // The log knows the first failure; the state begins anew with each attempt.
          at: failedAt ?? since,
          tone: 'bad',
          words: t('overview.since.failed', { name: shortName(name) }),
          detail: reason,
          to: { name: 'configure-resource', params: { name: shortName(name) } },
        },
      ];
    }
    if (state !== Resource_State.READY || failedAt === undefined || failedAt > since) return [];
    return [
      {
        key: name,
        at: since,
        tone: 'ok',
        words: t('overview.since.recovered', { name: shortName(name), time: momentWords(failedAt, now) }),
        detail: '',
        to: { name: 'logs', query: { resource: name, ...around(failedAt, since) } },
      },
    ];
  });
}

/**
 * When each resource last began to fail, by full name. A line about a failed attempt has the number of attempts in a
 * row; only the first of them is an error.
 */
export function lastFailures(lines: readonly LogLine[]): ReadonlyMap<string, number> {
  const failures = new Map<string, number>();
  for (const { resource, level, fields, at } of lines) {
    if (resource === '' || level !== 'error' || attemptsIn(fields) === undefined) continue;
    failures.set(resource, Math.max(at, failures.get(resource) ?? 0));
  }
  return failures;
}

function attemptsIn(fields: string): number | undefined {
  try {
    const read: unknown = JSON.parse(fields === '' ? '{}' : fields);
    const attempts =
      typeof read === 'object' && read !== null ? (read as Record<string, unknown>)['attempts'] : undefined;
    return typeof attempts === 'number' ? attempts : undefined;
  } catch {
    // Fields that were cut are no JSON.
    return undefined;
  }
}

function moduleLines(modules: readonly Module[], t: Text): ChangeLine[] {
  return modules
    .filter(({ restarts }) => restarts > 0)
    .map(({ name, restarts, lastExit, since }) => ({
      key: `module ${name}`,
      at: timeOf(since),
      tone: 'bad',
      words: t('overview.since.module', { name, count: restarts }),
      detail: lastExit,
      to: { name: 'logs', query: { logger: name } },
    }));
}

function startLines(startedAt: number | undefined, t: Text): ChangeLine[] {
  if (startedAt === undefined) return [];
  const words = t('overview.since.started');
  const to = { name: 'logs', query: around(startedAt, startedAt) };
  return [{ key: 'program', at: startedAt, tone: 'off', words, detail: '', to }];
}

function around(from: number, to: number): Record<string, string> {
  return { from: new Date(from - aroundMs).toISOString(), to: new Date(to + aroundMs).toISOString() };
}
