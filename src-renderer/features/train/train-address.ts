import type { LocationQuery, LocationQueryRaw, RouteLocationRaw, RouteParams } from 'vue-router';

/** Which jobs are listed, by how they stand. */
export const jobGroups = ['all', 'unfinished', 'completed', 'failed', 'canceled'] as const;
export type JobGroup = (typeof jobGroups)[number];

/** Runs that are compared at once, at most: more lines are not told apart. */
export const mostCompared = 8;

/** Where somebody is on this screen. */
export interface TrainPlace {
  /** Id of the open job; '' for none. */
  readonly jobId: string;
  readonly group: JobGroup;
  readonly text: string;
  /** Ids of runs that are beside each other, in the order in which they were chosen. */
  readonly compared: readonly string[];
}

/** The place that an address leads to. What it says wrongly is as if it said nothing. */
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
    compared: [...compared].slice(0, mostCompared),
  };
}

/** A script of the registry that an address asks to train with; undefined where it names none. */
export function scriptOf(query: LocationQuery): { readonly itemId: string; readonly version: string } | undefined {
  const { script, version } = query;
  return typeof script === 'string'
    ? { itemId: script, version: typeof version === 'string' ? version : '' }
    : undefined;
}

/** The address of a place: only what was chosen. */
export function addressOf({ jobId, group, text, compared }: TrainPlace): RouteLocationRaw {
  const query: LocationQueryRaw = {
    ...(group === 'all' ? {} : { status: group }),
    ...(text === '' ? {} : { text }),
    ...(compared.length === 0 ? {} : { compare: compared.join(',') }),
  };
  return { name: 'train', params: jobId === '' ? {} : { job: jobId }, query };
}
