import type { AppServiceDefinition } from '../../../../proto/gen/core/app/v1/app.ts';
import type { Caller } from '../../access/caller.ts';
import { requireQuota } from '../../access/quotas.ts';
import { ArmatureError } from '../../../base/errors.ts';
import type { Machine } from '../machines.ts';
import { metadataText } from '../../places/names.ts';
import { placesOf, type Place, type Target } from '../../places/place.ts';
import type { FleetOptions } from '../fleet-options.ts';
import type { HubHandlers } from '../../access/guarded.ts';
import { NEVER_ONLINE, seenOnline } from '../online-state.ts';
import { robotMessage, structOf } from './wire-fleet.ts';

const machine = (id: string): Target => ({ type: 'machine', id });
const location = (id: string): Target => ({ type: 'location', id });

export function machineCalls(
  options: Pick<FleetOptions, 'store' | 'fleet' | 'quotas' | 'credentials' | 'presence' | 'clock'>,
): HubHandlers<typeof AppServiceDefinition> {
  const { store, fleet, quotas, credentials, presence, clock } = options;
  const { machines, locations } = fleet;

  /** The machines in these locations that the caller may see. */
  const seen = async (places: ReadonlyMap<string, Place>, caller: Caller) => {
    const rows = await machines.listIn([...places.keys()]);
    const visible = rows.filter((row) => {
      const place = places.get(row.location_id);
      return place !== undefined && caller.may('machine.read', { ...place, machineId: row.id });
    });
    return { robots: await messages(visible) };
  };

  const messages = async (rows: readonly Machine[]) => {
    const parts = await fleet.parts.list(rows.map(({ id }) => id));
    const seen = await seenOnline(presence, clock.now(), parts);
    const byMachine = Map.groupBy(parts, ({ machine_id }) => machine_id);
    return rows.map((row) => {
      const own = byMachine.get(row.id) ?? [];
      const main = own.find(({ is_main }) => is_main === 1);
      const accesses = own.map(({ id }) => seen.get(id)?.lastAccess).filter((access) => access !== undefined);
      const latest = accesses.reduce<Date | undefined>((a, b) => (a === undefined || b > a ? b : a), undefined);
      return robotMessage(row, seen.get(main?.id ?? '') ?? NEVER_ONLINE, latest);
    });
  };

  const message = async (row: Machine) => (await messages([row]))[0];

  /** Places of some locations; requires that the caller may see each of them. */
  const requireLocations = async (ids: readonly string[], caller: Caller): Promise<ReadonlyMap<string, Place>> => {
    const places = new Map<string, Place>();
    for (const id of new Set(ids)) places.set(id, await caller.require('location.read', location(id), store.db));
    return places;
  };

  return {
    async newRobot({ name, location: locationId }, caller) {
      const { organizationId } = await caller.require('machine.create', location(locationId), store.db);
      const row = await store.transaction(async (tx) => {
        await requireQuota(quotas, 'machines', organizationId, caller, tx);
        await requireQuota(quotas, 'parts', organizationId, caller, tx);
        return machines.create(name, locationId, tx);
      });
      return { id: row.id };
    },

    async getRobot({ id }, caller) {
      await caller.require('machine.read', machine(id), store.db);
      return { robot: await message(await machines.get(id)) };
    },

    async listRobots({ locationId }, caller) {
      return seen(await requireLocations([locationId], caller), caller);
    },

    async listRobotsForLocations({ locationIds }, caller) {
      return seen(await requireLocations(locationIds, caller), caller);
    },

    async listRobotsForOrg({ orgId }, caller) {
      await caller.require('organization.read', { type: 'organization', id: orgId }, store.db);
      return seen(placesOf(await locations.list(orgId)), caller);
    },

    async updateRobot({ id, name, location: locationId }, caller) {
      const place = await caller.require('machine.change', machine(id), store.db);
      if (locationId !== '' && locationId !== place.locationIds[0]) {
        const target = await caller.require('machine.create', location(locationId), store.db);
        if (target.organizationId !== place.organizationId) {
          throw new ArmatureError('call.bad_argument', 'A machine cannot be moved to another organization.');
        }
      }
      // An empty field means no change: the fields are not optional on the wire.
      const row = await machines.update(id, { name: name || undefined, locationId: locationId || undefined });
      return { robot: await message(row) };
    },

    async deleteRobot({ id }, caller) {
      await caller.require('machine.delete', machine(id), store.db);
      await machines.delete(id);
      await credentials.refresh();
      return {};
    },

    async getRobotMetadata({ id }, caller) {
      await caller.require('machine.read', machine(id), store.db);
      return { data: structOf((await machines.get(id)).metadata) };
    },

    async updateRobotMetadata({ id, data }, caller) {
      await caller.require('machine.change', machine(id), store.db);
      await machines.update(id, { metadata: metadataText(data) });
      return {};
    },
  };
}
