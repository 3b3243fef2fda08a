import { tripletIn } from '../../../base/dialect.ts';
import type {
  DataServiceDefinition,
  DeleteTabularFilter,
  ExportTabularDataRequest,
  ExportTabularDataResponse,
  TabularData,
} from '../../../../proto/gen/core/app/data/v1/data.ts';
import type { Clock } from '../../../base/clock.ts';
import { ArmatureError } from '../../../base/errors.ts';
import type { HubHandlers } from '../../access/guarded.ts';
import type { Store } from '../../storage/store.ts';
import { captureMessage, capturesById } from '../captures/capture-message.ts';
import { deleteReadings } from '../retention/deletion.ts';
import { isOfType, readingsQuery, timeOf, type DataQuery } from '../query/filter.ts';
import { canonicalJson } from '../captures/method-parameters.ts';
import { pageOf, spansOf, tokenOf } from '../query/pages.ts';
import { requiredScope, scopeOf, type CaptureCondition } from '../query/scope.ts';
import { uploadOf } from '../tables.ts';
import { countReadings, readingsInOrder, readingsOfSpans, readingsPage, type ReadingRow } from './reading-rows.ts';

const DAY_MS = 24 * 60 * 60 * 1_000;

/** Calls of `core.app.data.v1.DataService` about readings. */
export function tabularCalls(store: Store, clock: Clock): HubHandlers<typeof DataServiceDefinition> {
  const { db } = store;

  return {
    async tabularDataByFilter({ dataRequest, countOnly }, caller, call) {
      const { condition } = await scopeOf(caller, 'data.read', db);
      const query = readingsQuery(dataRequest?.filter, condition);
      if (countOnly) {
        const { count, bytes } = await countReadings(query, db);
        return { metadata: [], data: [], count: BigInt(count), last: '', totalSizeBytes: BigInt(bytes) };
      }
      const rows = await readingsPage(query, pageOf(dataRequest), db);
      const captures = await capturesById(
        rows.map(({ captureId }) => captureId),
        db,
      );
      const indexes = new Map([...captures.keys()].map((id, index) => [id, index]));
      const last = rows.at(-1);
      const bytes = rows.reduce((sum, { payload }) => sum + Buffer.byteLength(payload), 0);
      return {
        metadata: [...captures.values()].map((row) => captureMessage(row, call.dialect)),
        data: rows.map((row) => tabularMessage(row, indexes.get(row.captureId) ?? 0)),
        count: BigInt(rows.length),
        last: last === undefined ? '' : tokenOf(last),
        totalSizeBytes: BigInt(bytes),
      };
    },

    async *exportTabularData(request, caller, call): AsyncGenerator<ExportTabularDataResponse> {
      const { condition } = await scopeOf(caller, 'data.read', db);
      const interval = { startMs: timeOf(request.interval?.start), endMs: timeOf(request.interval?.end) };
      const spans = await spansOf(sourceQuery(request, condition, interval), db);
      const captures = await capturesById(
        spans.map(({ id }) => id),
        db,
      );
      for await (const rows of readingsInOrder(spans, interval, db)) {
        for (const { captureId, receivedAt, payload } of rows) {
          const capture = captures.get(captureId);
          if (capture === undefined) continue;
          yield {
            partId: capture.part_id,
            resourceName: capture.component_name,
            resourceSubtype: tripletIn(capture.component_type, call.dialect),
            methodName: capture.method_name,
            timeCaptured: new Date(receivedAt),
            organizationId: capture.organization_id,
            locationId: capture.location_id,
            robotName: capture.machine_name,
            robotId: capture.machine_id,
            partName: capture.part_name,
            methodParameters: structOf(capture.parameters),
            tags: JSON.parse(capture.tags) as string[],
            payload: structOf(payload),
          };
        }
      }
    },

    async getLatestTabularData(request, caller) {
      const { condition } = await scopeOf(caller, 'data.read', db);
      const interval = { startMs: undefined, endMs: undefined };
      const spans = await spansOf(sourceQuery(request, condition, interval), db);
      const page = { limit: 1, isAscending: false, after: undefined };
      const [row] = await readingsOfSpans(spans, interval, page, db);
      if (row === undefined) return {};
      const upload = db.selectFrom('uploads').select('synced_at').where('number', '=', uploadOf(row.number));
      const syncedAt = (await upload.executeTakeFirst())?.synced_at;
      return {
        timeCaptured: new Date(row.receivedAt),
        timeSynced: syncedAt === undefined ? undefined : new Date(syncedAt),
        payload: structOf(row.payload),
      };
    },

    async deleteTabularData({ organizationId, deleteOlderThanDays, filter }, caller, call) {
      if (organizationId === '') {
        throw new ArmatureError('call.bad_argument', 'The "organization_id" is missing: say whose readings to delete.');
      }
      await caller.require('organization.read', { type: 'organization', id: organizationId }, db);
      const { condition } = await requiredScope(caller, 'data.delete', db);
      const endMs = deleteOlderThanDays === 0 ? undefined : clock.now() - deleteOlderThanDays * DAY_MS;
      const query = deletionQuery(organizationId, filter, condition, endMs);
      return { deletedCount: BigInt(await deleteReadings(store, query, call.signal)) };
    },
  };
}

type Source = Omit<ExportTabularDataRequest, 'interval'>;

/** Readings of one method of one resource of a part. */
function sourceQuery(
  { partId, resourceName, resourceSubtype, methodName, additionalParameters }: Source,
  visible: CaptureCondition,
  interval: Pick<DataQuery, 'startMs' | 'endMs'>,
): DataQuery {
  for (const [what, value] of Object.entries({
    part_id: partId,
    resource_name: resourceName,
    method_name: methodName,
  })) {
    if (value === '') throw new ArmatureError('call.bad_argument', `The "${what}" is missing: say what to read.`);
  }
  return {
    isBinary: false,
    capture: (where) =>
      where.and([
        visible(where),
        where('captures.part_id', '=', partId),
        where('captures.component_name', '=', resourceName),
        where('captures.method_name', '=', methodName),
        ...(resourceSubtype === '' ? [] : [isOfType(resourceSubtype, where)]),
        ...(additionalParameters === undefined
          ? []
          : [where('captures.parameters', '=', canonicalJson(additionalParameters))]),
      ]),
    item: undefined,
    ...interval,
  };
}

function deletionQuery(
  organizationId: string,
  filter: DeleteTabularFilter | undefined,
  mayDelete: CaptureCondition,
  endMs: number | undefined,
): DataQuery {
  const whole = {
    componentName: filter?.componentName ?? '',
    componentType: filter?.componentType ?? '',
    method: filter?.method ?? '',
    robotName: '',
    robotId: filter?.robotId ?? '',
    partName: '',
    partId: filter?.partId ?? '',
    locationIds: filter?.locationIds ?? [],
    organizationIds: [organizationId],
    mimeType: [],
    tagsFilter: filter?.tagsFilter,
    bboxLabels: [],
    datasetId: '',
  };
  return { ...readingsQuery(whole, mayDelete), endMs };
}

function tabularMessage({ payload, requestedAt, receivedAt }: ReadingRow, metadataIndex: number): TabularData {
  return {
    data: structOf(payload),
    metadataIndex,
    timeRequested: new Date(requestedAt),
    timeReceived: new Date(receivedAt),
  };
}

function structOf(text: string): Record<string, unknown> {
  return JSON.parse(text) as Record<string, unknown>;
}
