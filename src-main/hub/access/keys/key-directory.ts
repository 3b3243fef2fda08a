import type { AcceptedKey } from '../../../../proto/gen/core/hub/v1/part.ts';
import type { Place } from '../../places/place.ts';
import type { Store } from '../../storage/store.ts';

/** Keys by the places where they may be used. */
export interface KeyDirectory {
  /** Keys with a role for this place or one above it, each with its strongest role, in the order of their ids. */
  keysAt(place: Place): AcceptedKey[];
}

/** Reads all keys at once, so that finding the keys of thousands of parts needs no further query. */
export async function readKeys({ db }: Store): Promise<KeyDirectory> {
  const rows = await db
    .selectFrom('authorizations')
    .innerJoin('api_keys', 'api_keys.id', 'authorizations.key_id')
    .select(['authorizations.resource_id', 'authorizations.role', 'api_keys.id', 'api_keys.sha256'])
    .execute();
  const byResource = Map.groupBy(rows, ({ resource_id }) => resource_id);
  return {
    keysAt({ organizationId, locationIds, machineId }) {
      const resources = [organizationId, ...locationIds, ...(machineId === undefined ? [] : [machineId])];
      const found = resources.flatMap((id) => byResource.get(id) ?? []);
      const keys = new Map<string, AcceptedKey>();
      for (const { id, sha256, role } of found) {
        // Of several roles, the stronger one.
        if (role === 'owner' || !keys.has(id)) keys.set(id, { id, digest: Buffer.from(sha256, 'hex'), role });
      }
      return [...keys.values()].sort((a, b) => (a.id < b.id ? -1 : 1));
    },
  };
}
