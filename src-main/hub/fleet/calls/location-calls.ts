import type { AppServiceDefinition } from '../../../../proto/gen/core/app/v1/app.ts';
import { requireQuota } from '../../access/quotas.ts';
import { metadataText } from '../../places/names.ts';
import { placesOf, type Target } from '../../places/place.ts';
import type { Location } from '../locations.ts';
import type { FleetOptions } from '../fleet-options.ts';
import type { HubHandlers } from '../../access/guarded.ts';
import { locationMessage, structOf } from './wire-fleet.ts';

const location = (id: string): Target => ({ type: 'location', id });
const organization = (id: string): Target => ({ type: 'organization', id });

export function locationCalls(
  options: Pick<FleetOptions, 'store' | 'fleet' | 'quotas' | 'credentials'>,
): HubHandlers<typeof AppServiceDefinition> {
  const { store, fleet, quotas, credentials } = options;
  const { locations, organizations } = fleet;

  const message = async (row: Location) => {
    const [owner, counts] = await Promise.all([
      organizations.get(row.organization_id),
      locations.machineCounts(row.organization_id),
    ]);
    return locationMessage(row, owner, counts.get(row.id) ?? 0);
  };

  return {
    async createLocation({ organizationId, name, parentLocationId }, caller) {
      const parentId = parentLocationId === '' ? undefined : parentLocationId;
      const where = parentId === undefined ? organization(organizationId) : location(parentId);
      const place = await caller.require('location.create', where, store.db);
      const row = await store.transaction(async (tx) => {
        await requireQuota(quotas, 'locations', place.organizationId, caller, tx);
        return locations.create(organizationId, name, parentId, tx);
      });
      return { location: await message(row) };
    },

    async getLocation({ locationId }, caller) {
      await caller.require('location.read', location(locationId), store.db);
      return { location: await message(await locations.get(locationId)) };
    },

    async listLocations({ organizationId }, caller) {
      await caller.require('organization.read', organization(organizationId), store.db);
      const [owner, rows, counts] = await Promise.all([
        organizations.get(organizationId),
        locations.list(organizationId),
        locations.machineCounts(organizationId),
      ]);
      const places = placesOf(rows);
      const seen = rows.filter(({ id }) => {
        const place = places.get(id);
        return place !== undefined && caller.may('location.read', place);
      });
      return { locations: seen.map((row) => locationMessage(row, owner, counts.get(row.id) ?? 0)) };
    },

    async getOrganizationsWithAccessToLocation({ locationId }, caller) {
      const { organizationId } = await caller.require('location.read', location(locationId), store.db);
      const { id, name } = await organizations.get(organizationId);
      return { organizationIdentities: [{ id, name }] };
    },

    async updateLocation({ locationId, name, parentLocationId, region }, caller) {
      const { organizationId } = await caller.require('location.change', location(locationId), store.db);
      if (parentLocationId !== undefined) {
        const target = parentLocationId === '' ? organization(organizationId) : location(parentLocationId);
        await caller.require('location.create', target, store.db);
      }
      const row = await locations.update(locationId, { name, parentId: parentLocationId, region });
      return { location: await message(row) };
    },

    async deleteLocation({ locationId }, caller) {
      await caller.require('location.delete', location(locationId), store.db);
      await locations.delete(locationId);
      await credentials.refresh();
      return {};
    },

    async getLocationMetadata({ locationId }, caller) {
      await caller.require('location.read', location(locationId), store.db);
      return { data: structOf((await locations.get(locationId)).metadata) };
    },

    async updateLocationMetadata({ locationId, data }, caller) {
      await caller.require('location.change', location(locationId), store.db);
      await locations.update(locationId, { metadata: metadataText(data) });
      return {};
    },
  };
}
