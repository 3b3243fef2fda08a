import type { LocationQuery } from 'vue-router';
import type { SourceName } from '../../shared/machine/data/data-calls.ts';
import { fieldPath, fieldPointer } from '../../shared/readings/fields.ts';

/** Fields that are drawn at the same time. */
export const MAX_PLOTS = 4;

/** A source, and whether its data is binary: one method may capture both readings and pictures. */
export interface SourceKey extends SourceName {
  readonly isBinary: boolean;
}

/** What the Data screen shows. */
export interface DataPlace {
  /** Search text of the list of sources. */
  readonly search: string;
  /** Text of the query box, which is shown in place of a source; undefined where it is not open. */
  readonly sql?: string | undefined;
  readonly source: SourceKey | undefined;
  /** Wall-clock ms, `from` inclusive, `to` exclusive; undefined for no limit. */
  readonly from: number | undefined;
  readonly to: number | undefined;
  /** Items with any of these tags are shown; all where it is empty. */
  readonly tags: readonly string[];
  /** Paths of the drawn fields; empty where the person chose none. */
  readonly fields: readonly (readonly string[])[];
  /** Id of the picture that is open; '' for none. */
  readonly picture: string;
}

/** An invalid parameter of an address, and its text. */
export interface AddressProblem {
  readonly key: 'from' | 'to';
  readonly found: string;
}

export interface ReadAddress {
  readonly place: DataPlace;
  readonly problems: readonly AddressProblem[];
}

/** Reads an address. An invalid time is left out and reported. */
export function readAddress(query: LocationQuery): ReadAddress {
  const problems: AddressProblem[] = [];
  const texts = (key: string): string[] => {
    const value = query[key];
    return (Array.isArray(value) ? value : [value]).filter((text): text is string => typeof text === 'string');
  };
  const text = (key: string): string => texts(key)[0] ?? '';
  const time = (key: 'from' | 'to'): number | undefined => {
    const found = text(key);
    if (found === '') return undefined;
    const at = Date.parse(found);
    if (!Number.isNaN(at)) return at;
    problems.push({ key, found });
    return undefined;
  };
  const source: SourceKey = {
    partId: text('source'),
    componentType: text('type'),
    componentName: text('name'),
    methodName: text('method'),
    isBinary: text('kind') === 'pictures',
  };
  const [sql] = texts('sql');
  return {
    place: {
      search: text('search'),
      ...(sql === undefined ? {} : { sql }),
      source: source.partId === '' || sql !== undefined ? undefined : source,
      from: time('from'),
      to: time('to'),
      tags: [...new Set(texts('tag'))].filter((tag) => tag !== ''),
      fields: [...new Set(texts('field'))]
        .map(fieldPath)
        .filter((path) => path !== undefined)
        .slice(0, MAX_PLOTS),
      picture: text('picture'),
    },
    problems,
  };
}

/** The address of a place, with only what was chosen; times are in UTC. */
export function addressOf(place: DataPlace): Record<string, string | string[]> {
  const { search, sql, source, from, to, tags, fields, picture } = place;
  const query: Record<string, string | string[]> = {};
  if (search !== '') query['search'] = search;
  if (sql !== undefined) return { ...query, sql };
  if (source === undefined) return query;
  query['source'] = source.partId;
  if (source.componentType !== '') query['type'] = source.componentType;
  if (source.componentName !== '') query['name'] = source.componentName;
  if (source.methodName !== '') query['method'] = source.methodName;
  if (source.isBinary) query['kind'] = 'pictures';
  if (from !== undefined) query['from'] = new Date(from).toISOString();
  if (to !== undefined) query['to'] = new Date(to).toISOString();
  if (tags.length > 0) query['tag'] = [...tags];
  if (fields.length > 0) query['field'] = fields.map(fieldPointer);
  if (picture !== '') query['picture'] = picture;
  return query;
}

/** The place of the query box with this text. */
export function placeOfQuery(search: string, sql: string): DataPlace {
  return { search, sql, source: undefined, from: undefined, to: undefined, tags: [], fields: [], picture: '' };
}

/** Whether time or tags restrict what is shown of a source. */
export function isNarrowed({ from, to, tags }: Pick<DataPlace, 'from' | 'to' | 'tags'>): boolean {
  return from !== undefined || to !== undefined || tags.length > 0;
}

/** The place of another source, without the filters of the previous one. */
export function placeOfSource(search: string, source: SourceKey): DataPlace {
  return { search, source, from: undefined, to: undefined, tags: [], fields: [], picture: '' };
}
