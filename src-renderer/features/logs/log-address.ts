import type { LocationQuery } from 'vue-router';
import { everyLine, type LogCriteria } from '../../shared/machine/machine-view.ts';

/** The default filter. */
export const defaultCriteria: LogCriteria = { ...everyLine, level: 'info' };

export const levelNames = ['debug', 'info', 'warn', 'error'] as const;

/** A part of an address that is not valid, and its text. */
export interface AddressProblem {
  readonly key: 'level' | 'from' | 'to';
  readonly found: string;
}

export interface ReadAddress {
  readonly criteria: LogCriteria;
  readonly problems: readonly AddressProblem[];
}

/** Reads the filter from an address; leaves out values that are not valid and reports them. */
export function readAddress(query: LocationQuery): ReadAddress {
  const problems: AddressProblem[] = [];
  const text = (key: string): string => {
    const value = query[key];
    return (Array.isArray(value) ? value[0] : value) ?? '';
  };
  const time = (key: 'from' | 'to'): number | undefined => {
    const found = text(key);
    if (found === '') return undefined;
    const at = Date.parse(found);
    if (!Number.isNaN(at)) return at;
    problems.push({ key, found });
    return undefined;
  };
  const asked = text('level');
  const level = levelNames.find((name) => name === asked);
  if (asked !== '' && level === undefined) problems.push({ key: 'level', found: asked });
  return {
    criteria: {
      level: level ?? defaultCriteria.level,
      resource: text('resource'),
      logger: text('logger'),
      text: text('text'),
      from: time('from'),
      to: time('to'),
    },
    problems,
  };
}

/** The address of a filter: only what differs from the default; times in UTC. */
export function addressOf(criteria: LogCriteria): Record<string, string> {
  const { level, resource, logger, text, from, to } = criteria;
  const query: Record<string, string> = {};
  if (level !== defaultCriteria.level) query['level'] = level;
  if (resource !== '') query['resource'] = resource;
  if (logger !== '') query['logger'] = logger;
  if (text !== '') query['text'] = text;
  if (from !== undefined) query['from'] = new Date(from).toISOString();
  if (to !== undefined) query['to'] = new Date(to).toISOString();
  return query;
}

/** Whether anything besides the level restricts what is shown. */
export function isNarrowed({ resource, logger, text, from, to }: LogCriteria): boolean {
  return resource !== '' || logger !== '' || text !== '' || from !== undefined || to !== undefined;
}

export function sameCriteria(one: LogCriteria, other: LogCriteria): boolean {
  return JSON.stringify(addressOf(one)) === JSON.stringify(addressOf(other));
}
