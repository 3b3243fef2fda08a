import {
  DataServiceDefinition,
  Order,
  TagsFilterType,
  type BinaryMetadata,
  type DataRequest,
  type Filter,
  type TabularDataByFilterResponse,
} from '../../../../proto/gen/core/app/data/v1/data.ts';
import { HubDataServiceDefinition } from '../../../../proto/gen/core/hub/v1/data.ts';
import type { Channel } from '../../../link/channel.ts';
import { createClient } from '../../../link/client.ts';
import type { DataCalls, ItemFilter, PageQuery, ReadingItem, SourceName } from '../data/data-calls.ts';
import { quick } from './call-options.ts';

/** A part may have very much data, which the hub deletes in batches. */
const deletion = { timeoutMs: 10 * 60_000 };
/** The hub ends a query after 30 s, but the query may wait for others first. */
const querying = { timeoutMs: 120_000 };
/** The hub ends a page at 16 MiB; a shorter page from this size on may have been cut. */
const largePageBytes = 8n * 1024n * 1024n;
/** Readings in a page of an export: the hub's maximum. */
const exportRows = 1_000;

export function dataCalls(channel: Channel): DataCalls {
  const data = createClient(DataServiceDefinition, channel);
  const hub = createClient(HubDataServiceDefinition, channel);
  return {
    async sources(signal) {
      const everything = { organizationId: '', machineId: '', partId: '' };
      return (await hub.sources(everything, { ...quick, signal })).sources;
    },

    async series({ source: { partId, componentName, methodName }, path, from, to, pixels }, signal) {
      const request = {
        ...{ partId, componentName, methodName, pixels },
        path: [...path],
        start: new Date(from),
        end: new Date(to),
      };
      const { buckets, searchedTo } = await hub.series(request, { ...quick, signal });
      return { buckets, searchedTo: searchedTo?.getTime() };
    },

    async readings(query, signal) {
      const request = { dataRequest: requestOf(query), countOnly: false, includeInternalData: false };
      const page = await data.tabularDataByFilter(request, { ...quick, signal });
      return { items: itemsOf(page), olderToken: tokenAfter(page, query.limit) };
    },

    async countReadings(filter, signal) {
      const request = { dataRequest: countOf(filter), countOnly: true, includeInternalData: false };
      return Number((await data.tabularDataByFilter(request, { ...quick, signal })).count);
    },

    async *exportReadings(filter, signal) {
      let token = '';
      do {
        // Pages instead of the stream ExportTabularData: a stream has no back-pressure, so the answer to a heartbeat
        // would wait behind its data and come too late, and what this page moves would be stopped.
        const dataRequest = { ...requestOf({ ...filter, limit: exportRows, token }), sortOrder: Order.ASCENDING };
        const request = { dataRequest, countOnly: false, includeInternalData: false };
        const page = await data.tabularDataByFilter(request, { ...quick, signal });
        for (const [index, item] of itemsOf(page).entries()) {
          yield { ...item, origin: page.metadata[page.data[index]?.metadataIndex ?? -1] };
        }
        token = tokenAfter(page, exportRows);
      } while (token !== '');
    },

    async deleteReadings(organizationId, source, deleteOlderThanDays) {
      const { partId, componentType, componentName, methodName: method } = named(source);
      const filter = {
        partId,
        componentType,
        componentName,
        method,
        locationIds: [],
        robotId: '',
        tagsFilter: undefined,
      };
      const { deletedCount } = await data.deleteTabularData({ organizationId, deleteOlderThanDays, filter }, deletion);
      return Number(deletedCount);
    },

    async pictures(query, signal) {
      const items: BinaryMetadata[] = [];
      let token = query.token;
      do {
        const request = {
          dataRequest: requestOf({ ...query, limit: query.limit - items.length, token }),
          ...{ includeBinary: false, countOnly: false, includeInternalData: false },
        };
        const page = await data.binaryDataByFilter(request, { ...quick, signal });
        items.push(...page.data.flatMap(({ metadata }) => (isOf(metadata, query.source) ? [metadata] : [])));
        token = page.data.length < Number(request.dataRequest.limit) ? '' : page.last;
      } while (items.length < query.limit && token !== '');
      return { items, olderToken: token };
    },

    async countPictures(filter, signal) {
      const request = {
        dataRequest: countOf(filter),
        ...{ includeBinary: false, countOnly: true, includeInternalData: false },
      };
      return Number((await data.binaryDataByFilter(request, { ...quick, signal })).count);
    },

    async picture(id, signal) {
      const request = { includeBinary: false, binaryIds: [], binaryDataIds: [id] };
      return (await data.binaryDataByIDs(request, { ...quick, signal })).data[0]?.metadata;
    },

    async *download(binaryDataId, signal) {
      for await (const { part } of hub.download({ binaryDataId, offset: 0n }, { signal })) {
        if (part?.$case === 'bytes') yield part.value;
      }
    },

    async deletePictures(ids) {
      const request = { binaryIds: [], binaryDataIds: [...ids] };
      return Number((await data.deleteBinaryDataByIDs(request, deletion)).deletedCount);
    },

    async tags(filter, signal) {
      return (await data.tagsByFilter({ filter: filterOf({ ...filter, tags: [] }) }, { ...quick, signal })).tags;
    },

    async addTags(ids, tags) {
      await data.addTagsToBinaryDataByIDs({ tags: [...tags], binaryIds: [], binaryDataIds: [...ids] }, quick);
    },

    async removeTags(ids, tags) {
      await data.removeTagsFromBinaryDataByIDs({ tags: [...tags], binaryIds: [], binaryDataIds: [...ids] }, quick);
    },

    async query(organizationId, sql, mostRows, signal) {
      const { outcome } = await hub.query({ organizationId, sql, mostRows }, { ...querying, signal });
      if (outcome?.$case === 'mistake') {
        const { message, position } = outcome.value;
        return { kind: 'mistake', message, position };
      }
      const { columns = [], rows = [], isCut = false, readings = 0n } = outcome?.value ?? {};
      return {
        kind: 'table',
        ...{ columns, isCut },
        rows: rows.map((row) => JSON.parse(row) as readonly unknown[]),
        readings: Number(readings),
      };
    },

    async retention(organizationId, signal) {
      const { retention } = await hub.getRetention({ organizationId }, { ...quick, signal });
      return retention ?? { readingsDays: 0, binaryDays: 0 };
    },

    async setRetention(organizationId, retention) {
      await hub.setRetention({ organizationId, retention }, quick);
    },
  };
}

/** Converts a filter of the page to one of the API. */
export function filterOf({ source, from, to, tags }: ItemFilter): Filter {
  const { partId, componentType, componentName, methodName: method } = source;
  return {
    ...{ partId, componentType, componentName, method },
    ...{ robotName: '', robotId: '', partName: '', datasetId: '' },
    ...{ locationIds: [], organizationIds: [], mimeType: [], bboxLabels: [] },
    interval: intervalOf(from, to),
    tagsFilter: tags.length === 0 ? undefined : { type: TagsFilterType.MATCH_BY_OR, tags: [...tags] },
  };
}

function intervalOf(from: number | undefined, to: number | undefined): NonNullable<Filter['interval']> {
  const date = (at: number | undefined): Date | undefined => (at === undefined ? undefined : new Date(at));
  return { start: date(from), end: date(to) };
}

function requestOf(query: PageQuery): DataRequest {
  return { filter: filterOf(query), limit: BigInt(query.limit), last: query.token, sortOrder: Order.DESCENDING };
}

function countOf(filter: ItemFilter): DataRequest {
  return { filter: filterOf(filter), limit: 0n, last: '', sortOrder: Order.UNSPECIFIED };
}

/** In a filter an empty name matches any: a filter for files of no resource also returns others of their part. */
function isOf(
  metadata: BinaryMetadata | undefined,
  { componentName, methodName }: SourceName,
): metadata is BinaryMetadata {
  const of = metadata?.captureMetadata;
  return of?.componentName === componentName && of.methodName === methodName;
}

/** To the hub an empty name matches any, so nothing may be deleted by one. */
function named(source: SourceName): SourceName {
  const missing = (['partId', 'componentType', 'componentName', 'methodName'] as const).find(
    (key) => source[key] === '',
  );
  if (missing === undefined) return source;
  throw new Error(
    `These readings have no ${missing}, so they cannot be told from others of the part: nothing is deleted.`,
  );
}

function itemsOf({ data, metadata }: TabularDataByFilterResponse): ReadingItem[] {
  return data.map(({ data: payload = {}, metadataIndex, timeReceived, timeRequested }) => ({
    at: timeReceived?.getTime() ?? 0,
    requestedAt: timeRequested?.getTime(),
    payload,
    tags: metadata[metadataIndex]?.tags ?? [],
  }));
}

/** A page is shorter than requested if it is the last or if its readings are large. */
function tokenAfter({ data, last, totalSizeBytes }: TabularDataByFilterResponse, limit: number): string {
  return data.length < limit && totalSizeBytes < largePageBytes ? '' : last;
}
