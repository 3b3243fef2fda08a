import { tripletIn } from '../../../base/dialect.ts';
import type {
  DataSource,
  DownloadDataResponse,
  HubDataServiceDefinition,
} from '../../../../proto/gen/core/hub/v1/data.ts';
import type { Clock } from '../../../base/clock.ts';
import { ArmatureError } from '../../../base/errors.ts';
import type { HubHandlers } from '../../access/guarded.ts';
import type { Blobs } from '../../blobs/blobs.ts';
import { notFound } from '../../places/fleet-errors.ts';
import type { Target } from '../../places/place.ts';
import type { Store } from '../../storage/store.ts';
import { visibleBinary } from '../binary/binary-items.ts';
import type { CaptureRow } from '../captures/captures.ts';
import { timeOf, type DataQuery } from '../query/filter.ts';
import { spansOf } from '../query/pages.ts';
import { retentionOf, setRetention } from '../retention/retention.ts';
import { scopeOf } from '../query/scope.ts';
import { readSeries } from './series.ts';

const MAX_PIXELS = 10_000;

export interface HubDataServiceOptions {
  readonly store: Store;
  readonly blobs: Blobs;
  readonly clock: Clock;
}

/** `core.hub.v1.HubDataService`: captured data for the window. */
export function hubDataService(options: HubDataServiceOptions): HubHandlers<typeof HubDataServiceDefinition> {
  const { store, blobs, clock } = options;
  const { db } = store;
  const organization = (id: string): Target => ({ type: 'organization', id });

  return {
    async sources({ organizationId, machineId, partId }, caller, call) {
      const { condition } = await scopeOf(caller, 'data.read', db);
      let rows = db.selectFrom('captures').selectAll().where('count', '>', 0).where(condition);
      if (organizationId !== '') rows = rows.where('organization_id', '=', organizationId);
      if (machineId !== '') rows = rows.where('machine_id', '=', machineId);
      if (partId !== '') rows = rows.where('part_id', '=', partId);
      const sources = Map.groupBy(await rows.orderBy('last_at', 'desc').execute(), keyOf);
      return { sources: [...sources.values()].map((captures) => sourceOf(captures, call.dialect)) };
    },

    async series({ partId, componentName, methodName, path, start, end, pixels }, caller, call) {
      if (pixels < 1 || pixels > MAX_PIXELS) {
        throw new ArmatureError('call.bad_argument', `"pixels" is ${pixels}; allowed is 1 to ${MAX_PIXELS}.`);
      }
      const { condition } = await scopeOf(caller, 'data.read', db);
      const query: DataQuery = {
        isBinary: false,
        capture: (where) =>
          where.and([
            condition(where),
            where('captures.part_id', '=', partId),
            where('captures.component_name', '=', componentName),
            where('captures.method_name', '=', methodName),
          ]),
        item: undefined,
        startMs: timeOf(start),
        endMs: timeOf(end),
      };
      const spans = await spansOf(query, db);
      if (spans.length === 0) return { buckets: [], start, end, searchedTo: undefined };
      const startMs = query.startMs ?? spans.reduce((least, { first }) => Math.min(least, first), Infinity);
      const endMs = query.endMs ?? spans.reduce((most, { last }) => Math.max(most, last), -Infinity) + 1;
      const bounds = { start: new Date(startMs), end: new Date(endMs) };
      if (endMs <= startMs) return { buckets: [], ...bounds, searchedTo: undefined };
      const { buckets, searchedTo } = await readSeries(spans, { path, startMs, endMs, pixels }, db, clock, call.signal);
      return {
        buckets: [...buckets],
        ...bounds,
        searchedTo: searchedTo === undefined ? undefined : new Date(searchedTo),
      };
    },

    async *download({ binaryDataId, offset }, caller): AsyncGenerator<DownloadDataResponse> {
      const [row] = await visibleBinary([binaryDataId], caller, db);
      if (row === undefined) throw notFound('binary data', binaryDataId);
      if (offset > row.bytes) {
        throw new ArmatureError('call.bad_argument', `The offset ${offset} is beyond the ${row.bytes} bytes.`);
      }
      const blob = await blobs.open(row.sha256, row.bytes, Number(offset));
      try {
        yield { part: { $case: 'bytesTotal', value: BigInt(row.bytes) } };
        for await (const value of blob) yield { part: { $case: 'bytes', value } };
      } finally {
        blob.close();
      }
    },

    async getRetention({ organizationId }, caller) {
      await caller.require('data.read', organization(organizationId), db);
      const { readingsDays, binaryDays } = await retentionOf(organizationId, db);
      return { retention: { readingsDays, binaryDays } };
    },

    async setRetention({ organizationId, retention }, caller) {
      await caller.require('data.delete', organization(organizationId), db);
      if (retention === undefined) {
        throw new ArmatureError('call.bad_argument', 'The "retention" is missing: write days, and 0 for ever.');
      }
      await setRetention({ organizationId, ...retention }, store);
      return {};
    },
  };
}

function keyOf({ part_id, component_type, component_name, method_name, is_binary }: CaptureRow): string {
  return JSON.stringify([part_id, component_type, component_name, method_name, is_binary]);
}

/** A source of data. @param captures all of one source, the newest first */
function sourceOf(captures: readonly CaptureRow[], dialect: Parameters<typeof tripletIn>[1]): DataSource {
  const [newest] = captures as readonly [CaptureRow, ...CaptureRow[]];
  const sum = (column: 'count' | 'bytes'): bigint =>
    BigInt(captures.reduce((total, capture) => total + capture[column], 0));
  return {
    organizationId: newest.organization_id,
    locationId: newest.location_id,
    machineId: newest.machine_id,
    machineName: newest.machine_name,
    partId: newest.part_id,
    partName: newest.part_name,
    componentType: tripletIn(newest.component_type, dialect),
    componentName: newest.component_name,
    methodName: newest.method_name,
    isBinary: newest.is_binary === 1,
    first: new Date(captures.reduce((least, { first_at }) => Math.min(least, first_at ?? Infinity), Infinity)),
    last: new Date(newest.last_at ?? 0),
    count: sum('count'),
    bytes: sum('bytes'),
  };
}
