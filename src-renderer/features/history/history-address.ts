import type { LocationQuery } from 'vue-router';
import type { VersionCriteria } from '../../shared/machine/history-view.ts';

/** What the open version is compared with: the number of another one, what is applied now, or the draft. */
export type ComparedWith = number | 'now' | 'draft';

export interface HistoryPlace {
  /** The text of the search field: words and `resource:left`. */
  readonly search: string;
  readonly isTagged: boolean;
  /** Number of the open version; undefined if none was chosen. */
  readonly version: number | undefined;
  readonly with: ComparedWith | undefined;
  readonly isText: boolean;
}

/** Reads the place from an address; ignores values that are not valid. */
export function readAddress(query: LocationQuery): HistoryPlace {
  const text = (key: string): string => {
    const value = query[key];
    return (Array.isArray(value) ? value[0] : value) ?? '';
  };
  const compared = text('with');
  return {
    search: text('search'),
    isTagged: text('tagged') !== '',
    version: numberIn(text('version')),
    with: compared === 'now' || compared === 'draft' ? compared : numberIn(compared),
    isText: text('view') === 'text',
  };
}

/** The address of a place; it has only what differs from the default. */
export function addressOf({ search, isTagged, version, with: compared, isText }: HistoryPlace): Record<string, string> {
  return {
    ...(search === '' ? {} : { search }),
    ...(isTagged ? { tagged: '1' } : {}),
    ...(version === undefined ? {} : { version: String(version) }),
    ...(compared === undefined ? {} : { with: String(compared) }),
    ...(isText ? { view: 'text' } : {}),
  };
}

/** Splits `resource:left gearbox` into the changed resource and words. Of several resources, the last counts. */
export function criteriaOf({ search, isTagged }: Pick<HistoryPlace, 'search' | 'isTagged'>): VersionCriteria {
  let resource = '';
  const words = search.split(/\s+/).filter((word) => {
    const found = /^resource:(.*)$/i.exec(word)?.[1];
    if (found === undefined) return true;
    resource = found;
    return false;
  });
  return { text: words.join(' ').trim(), resource, isTagged };
}

function numberIn(text: string): number | undefined {
  return /^[1-9]\d{0,9}$/.test(text) ? Number(text) : undefined;
}
