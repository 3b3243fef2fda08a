import { requireQuota } from '../../access/quotas.ts';
import { notFound } from '../../places/fleet-errors.ts';
import { metadataText } from '../../places/names.ts';
import type { Target } from '../../places/place.ts';
import type { HubHandlers } from '../../access/guarded.ts';
import { factsFor, partFacts } from '../part-facts.ts';
import { configText, partMessage, structOf, type PartFacts } from './wire-fleet.ts';
import type { AppServiceDefinition, UpdateRobotPartRequest } from '../../../../proto/gen/core/app/v1/app.ts';
import { ArmatureError } from '../../../base/errors.ts';
import type { Part } from '../parts.ts';
import type { Author } from '../../access/author.ts';
import type { FleetOptions } from '../fleet-options.ts';

const part = (id: string): Target => ({ type: 'part', id });
const machine = (id: string): Target => ({ type: 'machine', id });

export function partCalls(options: FleetOptions): HubHandlers<typeof AppServiceDefinition> {
  const { store, fleet, partSecrets, credentials, quotas, configs } = options;
  const { parts } = fleet;

  /** @param text its configuration, if it is known */
  const factsOf = async (row: Part, text?: string): Promise<PartFacts> => {
    const [facts] = await partFacts(options, [row], text === undefined ? undefined : new Map([[row.id, text]]));
    if (facts === undefined) throw notFound('part', row.id);
    return facts;
  };

  return {
    async newRobotPart({ robotId, partName }, caller) {
      const { organizationId } = await caller.require('part.create', machine(robotId), store.db);
      const row = await store.transaction(async (tx) => {
        await requireQuota(quotas, 'parts', organizationId, caller, tx);
        return parts.create(robotId, partName, tx);
      });
      return { partId: row.id };
    },

    async getRobotParts({ robotId }, caller) {
      const place = await caller.require('machine.read', machine(robotId), store.db);
      const seen = (await parts.list([robotId])).filter(({ id }) => caller.may('part.read', { ...place, partId: id }));
      const facts = await partFacts(options, seen);
      return { parts: facts.map((one) => partMessage(factsFor(caller, { ...place, partId: one.part.id }, one))) };
    },

    async getRobotPart({ id }, caller) {
      const place = await caller.require('config.read', part(id), store.db);
      const facts = factsFor(caller, place, await factsOf(await parts.get(id)));
      return { part: partMessage(facts), configJson: configText(facts.text) };
    },

    async getRobotPartByNameAndLocation({ name, locationId }, caller) {
      const place = await caller.require('location.read', { type: 'location', id: locationId }, store.db);
      const found = (await parts.findByName(name, locationId)).filter((row) =>
        caller.may('part.read', { ...place, machineId: row.machine_id, partId: row.id }),
      );
      const [row, other] = found;
      if (row === undefined) throw notFound('part', name);
      if (other !== undefined) {
        throw new ArmatureError(
          'call.failed_precondition',
          `Several machines of this location have a part "${name}". Ask for the part by its id.`,
        );
      }
      const at = { ...place, machineId: row.machine_id, partId: row.id };
      return { part: partMessage(factsFor(caller, at, await factsOf(row))) };
    },

    async updateRobotPart(request, caller) {
      await caller.require('config.write', part(request.id), store.db);
      const row = await updatePart(options, request, caller.author);
      const text = textOf(request);
      if (text === undefined) configs.changed(row.id);
      return { part: partMessage(await factsOf(row, text)) };
    },

    async deleteRobotPart({ partId }, caller) {
      await caller.require('part.delete', part(partId), store.db);
      await parts.delete(partId);
      await credentials.refresh(); // its secrets, and the key of its modules
      return {};
    },

    async markPartAsMain({ partId }, caller) {
      await caller.require('part.change', part(partId), store.db);
      await parts.markMain(partId);
      return {};
    },

    async getRobotPartMetadata({ id }, caller) {
      await caller.require('part.read', part(id), store.db);
      return { data: structOf((await parts.get(id)).metadata) };
    },

    async updateRobotPartMetadata({ id, data }, caller) {
      await caller.require('part.change', part(id), store.db);
      await parts.setMetadata(id, metadataText(data));
      return {};
    },

    async createRobotPartSecret({ partId }, caller) {
      await caller.require('part.secrets', part(partId), store.db);
      const newSecret = await partSecrets.create(partId);
      await credentials.refresh();
      return { part: partMessage({ ...(await factsOf(await parts.get(partId))), newSecret }) };
    },

    async deleteRobotPartSecret({ partId, secretId }, caller) {
      await caller.require('part.secrets', part(partId), store.db);
      await partSecrets.delete(partId, secretId);
      await credentials.refresh();
      return {};
    },
  };
}

/**
 * `UpdateRobotPart`: changes name and configuration in one transaction.
 * @returns the updated part
 * @throws {ArmatureError} `config.conflict` if somebody else has changed it since it was read
 */
async function updatePart(
  options: Pick<FleetOptions, 'store' | 'fleet' | 'configs' | 'clock'>,
  request: UpdateRobotPartRequest,
  author: Author,
): Promise<Part> {
  const { id, name, lastKnownUpdate } = request;
  const text = textOf(request);
  const { fleet, configs, store, clock } = options;
  return store.transaction(async (tx) => {
    const row = await fleet.parts.get(id, tx);
    if (lastKnownUpdate !== undefined && lastKnownUpdate.getTime() !== row.updated_at) {
      throw new ArmatureError(
        'config.conflict',
        `The part "${row.name}" was changed at ${new Date(row.updated_at).toISOString()}, after it was read (${lastKnownUpdate.toISOString()}). Read it again and make the change there.`,
        { details: { updatedAt: row.updated_at } },
      );
    }
    if (name !== '' && name !== row.name) await fleet.parts.rename(row, name, tx);
    const stored = text === undefined ? row : await configs.append(row, { text, author, note: '', summary: '' }, tx);
    return stored === row ? fleet.parts.touch(id, clock.now(), tx) : stored;
  });
}

/** The configuration in the request; undefined if it has none. */
function textOf({ robotConfig, robotConfigJson }: UpdateRobotPartRequest): string | undefined {
  if (robotConfigJson !== undefined) return robotConfigJson;
  return robotConfig === undefined ? undefined : `${JSON.stringify(robotConfig, null, 2)}\n`;
}
