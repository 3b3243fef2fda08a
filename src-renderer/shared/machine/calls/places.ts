import { AppServiceDefinition } from '../../../../proto/gen/core/app/v1/app.ts';
import type { Channel } from '../../../link/channel.ts';
import { createClient } from '../../../link/client.ts';
import type { Fleet } from '../fleet.ts';
import { locationFrom } from '../rpc/fleet-from-proto.ts';
import { quick } from './call-options.ts';

type PlaceCalls = Pick<
  Fleet,
  'places' | 'addMachine' | 'updateMachine' | 'deleteMachine' | 'addLocation' | 'renameLocation' | 'deleteLocation'
>;

/** Calls about organizations, locations and machines. */
export function placeCalls(channel: Channel): PlaceCalls {
  const app = createClient(AppServiceDefinition, channel);
  return {
    async places() {
      const { organizations } = await app.listOrganizations({}, quick);
      const lists = await Promise.all(organizations.map(({ id }) => app.listLocations({ organizationId: id }, quick)));
      return {
        organizations: organizations.map(({ id, name }) => ({ id, name })),
        locations: lists.flatMap(({ locations }) => locations.map(locationFrom)),
      };
    },

    async addMachine(name, locationId) {
      const { id } = await app.newRobot({ name, location: locationId }, quick);
      const { parts } = await app.getRobotParts({ robotId: id }, quick);
      const part = parts.find(({ mainPart }) => mainPart) ?? parts[0];
      if (part === undefined) throw new Error(`The hub made ${name} without a part. Delete it and add it again.`);
      return { machineId: id, partId: part.id };
    },

    async updateMachine(machineId, name, locationId) {
      await app.updateRobot({ id: machineId, name, location: locationId }, quick);
    },

    async deleteMachine(machineId) {
      // A machine can be deleted only when it has no part but the main one.
      const { parts } = await app.getRobotParts({ robotId: machineId }, quick);
      for (const { id, mainPart } of parts) if (!mainPart) await app.deleteRobotPart({ partId: id }, quick);
      await app.deleteRobot({ id: machineId }, quick);
    },

    async addLocation(organizationId, name) {
      const { location } = await app.createLocation({ organizationId, name, parentLocationId: undefined }, quick);
      if (location === undefined) throw new Error(`The hub did not say what became of the location ${name}.`);
      return locationFrom(location);
    },

    async renameLocation(locationId, name) {
      await app.updateLocation({ locationId, name, parentLocationId: undefined, region: undefined }, quick);
    },

    async deleteLocation(locationId) {
      await app.deleteLocation({ locationId }, quick);
    },
  };
}
