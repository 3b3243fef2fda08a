import type { LocationQuery, LocationQueryRaw, RouteLocationRaw, RouteParams } from 'vue-router';

/** Groups of jobs by status. */
export const jobGroups = ['all', 'unfinished', 'completed', 'failed', 'canceled'] as const;
export type JobGroup = (typeof jobGroups)[number];

/** The most runs that can be compared: more lines could not be told apart. */
export const MAX_COMPARED = 8;

/** What this screen shows, as its address says it. */
export interface TrainPlace {
  /** Id of the open job; '' if none is. */
  readonly jobId: string;
  readonly group: JobGroup;
  readonly text: string;
  /** Ids of the compared runs, in the order in which they were chosen. */
  readonly compared: readonly string[];
}

/** Reads the place from an address; ignores values that are not valid. */
export function readAddress(params: RouteParams, query: LocationQuery): TrainPlace {
  const text = (key: string): string => {
    const value = query[key];
    return (Array.isArray(value) ? value[0] : value) ?? '';
  };
  const { job = '' } = params;
  const compared = new Set(
    text('compare')
      .split(',')
      .filter((id) => id !== ''),
  );
  return {
    jobId: (Array.isArray(job) ? job[0] : job) ?? '',
    group: jobGroups.find((name) => name === text('status')) ?? 'all',
    text: text('text'),
    compared: [...compared].slice(0, MAX_COMPARED),
  };
}

/** The script of the registry that an address asks to train with; undefined if it names none. */
export function scriptOf(query: LocationQuery): { readonly itemId: string; readonly version: string } | undefined {
  const { script, version } = query;
  return typeof script === 'string'
    ? { itemId: script, version: typeof version === 'string' ? version : '' }
    : undefined;
}

/** The address of a place; it has only what differs from the default. */
export function addressOf({ jobId, group, text, compared }: TrainPlace): RouteLocationRaw {
  const query: LocationQueryRaw = {
    ...(group === 'all' ? {} : { status: group }),
    ...(text === '' ? {} : { text }),
    ...(compared.length === 0 ? {} : { compare: compared.join(',') }),
  };
  return { name: 'train', params: jobId === '' ? {} : { job: jobId }, query };
}
