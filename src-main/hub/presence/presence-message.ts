import { StatusReport } from '../../../proto/gen/core/hub/v1/part.ts';
import { Presence_State, type Presence } from '../../../proto/gen/core/hub/v1/presence.ts';
import { Resource_State } from '../../../proto/gen/core/status/v1/status.ts';
import type { PartPlace } from './part-places.ts';
import type { PresenceRow } from './presence-rows.ts';

/** The last status that a part sent. */
export function statusOf(row: PresenceRow | undefined): StatusReport | undefined {
  if (row === undefined || row.status === '') return undefined;
  return StatusReport.decode(Buffer.from(row.status, 'base64'));
}

/** The presence message of a part; a part without a row has never connected. */
export function presenceMessage(part: PartPlace, row: PresenceRow | undefined, isBrief: boolean): Presence {
  const time = (at: number | null | undefined): Date | undefined =>
    at === null || at === undefined ? undefined : new Date(at);
  const isOnline = row?.is_online === 1;
  const status = statusOf(row);
  return {
    partId: part.id,
    state:
      row === undefined ? Presence_State.AWAITING_SETUP : isOnline ? Presence_State.ONLINE : Presence_State.OFFLINE,
    onlineSince: time(row?.online_since),
    lastSeen: time(row?.last_seen_at),
    startedAt: time(row?.started_at),
    version: row?.version ?? '',
    platform: row?.platform ?? '',
    host: row?.host ?? '',
    ownsConfig: row?.owns_config === 1,
    status: isBrief ? undefined : status,
    statusTime: time(row?.status_at),
    gapBegan: time(row?.gap_began_at),
    gapEnded: time(row?.gap_ended_at),
    organizationId: part.organizationId,
    locationId: part.locationId,
    machineId: part.machineId,
    machineName: part.machineName,
    partName: part.name,
    isMain: part.isMain,
    ...countsOf(status),
    configNumber: BigInt(part.configNumber),
    configRevision: part.configRevision,
    appliedRevision: status?.appliedRevision ?? '',
  };
}

function countsOf(status: StatusReport | undefined) {
  const resources = status?.resources ?? [];
  const count = (state: Resource_State): number => resources.filter((each) => each.state === state).length;
  return {
    resourcesExpected: resources.length - count(Resource_State.DISABLED),
    resourcesReady: count(Resource_State.READY),
    resourcesFailed: count(Resource_State.FAILED),
  };
}
