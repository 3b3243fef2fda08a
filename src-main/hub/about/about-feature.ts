import manifest from '../../../package.json' with { type: 'json' };
import {
  DescribeResponse_Kind,
  HubServiceDefinition,
  type CallerDescription,
  type CallerRole,
  type Refusals,
} from '../../../proto/gen/core/hub/v1/hub.ts';
import { refusalReasons, type RefusalLog } from '../../rpc/access/refusals.ts';
import type { Caller } from '../access/caller.ts';
import type { Grant } from '../access/permissions.ts';
import type { Authority } from '../access/certificates/authority.ts';
import { authorName } from '../access/author.ts';
import { serve, type Feature } from '../access/feature.ts';
import type { Store } from '../storage/store.ts';
import type { HubHandlers } from '../access/guarded.ts';

export interface AboutOptions {
  readonly store: Store;
  readonly authority: Authority;
  /** Callers that were refused by this hub, or at the port that it shares with a machine. */
  readonly refusals: readonly RefusalLog[];
  /** The part that this program runs, for a hub embedded in a machine; undefined for a standalone hub. */
  readonly ownPartId: string | undefined;
}

/** `core.hub.v1.HubService`: describes the hub and the caller. */
export function aboutFeature({ store, authority, refusals, ownPartId }: AboutOptions): Feature {
  const describeCaller = async ({ author, grants }: Caller): Promise<CallerDescription> => ({
    isLocal: grants === 'everything',
    keyId: isKey(author) ? author.id : '',
    keyName: isKey(author) ? await authorName(author, store.db) : '',
    roles: grants === 'everything' ? [] : grants.map(roleOf),
  });

  const handlers: HubHandlers<typeof HubServiceDefinition> = {
    async describe(_request, caller) {
      const isOwner = isOwnerOfAnOrganization(caller);
      return {
        kind: ownPartId === undefined ? DescribeResponse_Kind.ALONE : DescribeResponse_Kind.EMBEDDED,
        version: manifest.version,
        ownPartId: ownPartId ?? '',
        authority: authority.certificate,
        authorityFingerprint: authority.fingerprint,
        // The location of the data and the refused calls are shown to owners only.
        data: isOwner ? store.place : '',
        caller: await describeCaller(caller),
        refusals: isOwner ? refusalsOf(refusals) : [],
      };
    },
  };
  return { services: [serve(HubServiceDefinition, handlers)] };
}

function isKey({ type }: Caller['author']): boolean {
  return type === 'api-key' || type === 'module-key';
}

function isOwnerOfAnOrganization({ grants }: Caller): boolean {
  if (grants === 'everything') return true;
  return grants.some(
    ({ role, place }) => role === 'owner' && place.locationIds.length === 0 && place.machineId === undefined,
  );
}

function roleOf({ role, place }: Grant): CallerRole {
  const { organizationId, locationIds, machineId, partId } = place;
  if (partId !== undefined) return { role, type: 'part', id: partId };
  if (machineId !== undefined) return { role, type: 'machine', id: machineId };
  const [location] = locationIds;
  return location === undefined
    ? { role, type: 'organization', id: organizationId }
    : { role, type: 'location', id: location };
}

function refusalsOf(logs: readonly RefusalLog[]): Refusals[] {
  return refusalReasons
    .map((reason) => ({ reason, count: BigInt(logs.reduce((sum, log) => sum + log.count(reason), 0)) }))
    .filter(({ count }) => count > 0n);
}
