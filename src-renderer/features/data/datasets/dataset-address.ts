import type { LocationQuery } from 'vue-router';
import type { DatasetFilter } from '../../../shared/machine/data/dataset-calls.ts';

export const everyPicture: DatasetFilter = { labelled: '', tag: '', boxLabel: '' };

/** Reads a filter from an address. */
export function filterOfAddress(query: LocationQuery): DatasetFilter {
  const text = (key: string): string => {
    const value = query[key];
    return (Array.isArray(value) ? value[0] : value) ?? '';
  };
  const labelled = text('labelled');
  return {
    labelled: labelled === 'yes' || labelled === 'no' ? labelled : '',
    tag: text('tag'),
    boxLabel: text('box'),
  };
}

/** The address of a filter, with only the parts that are set. */
export function addressOfFilter({ labelled, tag, boxLabel }: DatasetFilter): Record<string, string> {
  return Object.fromEntries(Object.entries({ labelled, tag, box: boxLabel }).filter(([, value]) => value !== ''));
}

export function isEveryPicture({ labelled, tag, boxLabel }: DatasetFilter): boolean {
  return labelled === '' && tag === '' && boxLabel === '';
}
