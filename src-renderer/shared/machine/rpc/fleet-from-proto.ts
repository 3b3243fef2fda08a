/** Converts messages of a hub to the page's own types. Pure functions, one per message. */
import type { APIKeyWithAuthorizations, Location as LocationMessage } from '../../../../proto/gen/core/app/v1/app.ts';
import type { Version } from '../../../../proto/gen/core/config/v1/config.ts';
import { DescribeResponse_Kind, type DescribeResponse } from '../../../../proto/gen/core/hub/v1/hub.ts';
import type { ChangeView, HubView, KeyView, LocationView, RoleName, RolePlaceKind, RoleView } from '../fleet-view.ts';

const timeOf = (date: Date | undefined): number | undefined => date?.getTime();

export function locationFrom(message: LocationMessage): LocationView {
  return {
    id: message.id,
    name: message.name,
    organizationId: message.primaryOrgIdentity?.id ?? '',
    parentId: message.parentLocationId,
    machineCount: message.robotCount,
  };
}

const placeKinds: Readonly<Record<string, RolePlaceKind>> = {
  organization: 'organization',
  location: 'location',
  robot: 'machine',
  machine: 'machine',
  part: 'part',
};
const roleNames: Readonly<Record<string, RoleName>> = { owner: 'owner', operator: 'operator', part: 'part' };

/** An unknown role or kind becomes the one with the fewest rights: `part`. */
function roleFrom(role: string, type: string, id: string): RoleView {
  return { role: roleNames[role] ?? 'part', kind: placeKinds[type] ?? 'part', id };
}

export function keyFrom({ apiKey, authorizations }: APIKeyWithAuthorizations): KeyView {
  return {
    id: apiKey?.id ?? '',
    name: apiKey?.name ?? '',
    organizationId: authorizations[0]?.orgId ?? '',
    createdAt: timeOf(apiKey?.createdOn),
    roles: authorizations.map(({ authorizationId, resourceType, resourceId }) =>
      roleFrom(authorizationId.slice(authorizationId.lastIndexOf('_') + 1), resourceType, resourceId),
    ),
  };
}

export function hubFrom(message: DescribeResponse): HubView {
  const { caller } = message;
  return {
    kind: message.kind === DescribeResponse_Kind.EMBEDDED ? 'embedded' : 'alone',
    version: message.version,
    ownPartId: message.ownPartId,
    authority: message.authority,
    fingerprint: message.authorityFingerprint,
    data: message.data,
    caller: {
      isLocal: caller?.isLocal ?? false,
      keyId: caller?.keyId ?? '',
      keyName: caller?.keyName ?? '',
      roles: (caller?.roles ?? []).map(({ role, type, id }) => roleFrom(role, type, id)),
    },
    refusals: message.refusals.map(({ reason, count }) => ({ reason, count: Number(count) })),
  };
}

export function changeFrom({ number, time, author, summary, subjects, tag }: Version): ChangeView {
  return { number: Number(number), at: timeOf(time), author, summary, subjects, tag };
}
