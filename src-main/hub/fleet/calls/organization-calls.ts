import type { AppServiceDefinition } from '../../../../proto/gen/core/app/v1/app.ts';
import { ArmatureError } from '../../../base/errors.ts';
import { quotaOwner } from '../../access/quotas.ts';
import { organizationPlace, type Target } from '../../places/place.ts';
import { metadataText } from '../../places/names.ts';
import type { FleetOptions } from '../fleet-options.ts';
import type { HubHandlers } from '../../access/guarded.ts';
import { organizationMessage, structOf } from './wire-fleet.ts';

const organization = (id: string): Target => ({ type: 'organization', id });

export function organizationCalls(
  options: Pick<FleetOptions, 'store' | 'fleet' | 'keys' | 'quotas' | 'credentials'>,
): HubHandlers<typeof AppServiceDefinition> {
  const { store, fleet, keys, quotas, credentials } = options;
  const { organizations } = fleet;

  return {
    async createOrganization({ name }, caller) {
      const isOwner =
        caller.grants === 'everything' ||
        caller.grants.some(({ role, place }) => role === 'owner' && place.locationIds.length === 0);
      if (!isOwner) {
        throw new ArmatureError('access.denied', 'Only an owner of an organization may make another one.');
      }
      const row = await store.transaction(async (tx) => {
        if (caller.author.type !== 'api-key') return organizations.create(name, undefined, tx);
        const { key } = await keys.get(caller.author.id, tx);
        const maker = await quotaOwner(quotas, key.organization_id, tx);
        const made = await organizations.create(name, maker, tx);
        // The key still belongs to its own organization, which can always delete it.
        const permission = { role: 'owner', resourceType: 'organization', resourceId: made.id } as const;
        await keys.allow(key.id, { ...permission, organizationId: made.id }, tx);
        return made;
      });
      return { organization: organizationMessage(row) };
    },

    async listOrganizations(_request, caller) {
      const rows = await organizations.list();
      const seen = rows.filter(({ id }) => caller.may('organization.read', organizationPlace(id)));
      return { organizations: seen.map(organizationMessage) };
    },

    async getOrganization({ organizationId }, caller) {
      await caller.require('organization.read', organization(organizationId), store.db);
      return { organization: organizationMessage(await organizations.get(organizationId)) };
    },

    async getOrganizationNamespaceAvailability({ publicNamespace, organizationId }) {
      return { available: await organizations.isNamespaceFree(publicNamespace, organizationId) };
    },

    async updateOrganization(request, caller) {
      const { organizationId, name, publicNamespace, region, cid, defaultFragments, allowedLoginMethods } = request;
      await caller.require('organization.change', organization(organizationId), store.db);
      if (defaultFragments !== undefined || allowedLoginMethods !== undefined) {
        throw new ArmatureError(
          'call.unimplemented',
          'Default fragments and login methods are not supported here: leave them out.',
        );
      }
      const row = await organizations.update(organizationId, { name, publicNamespace, region, cid });
      return { organization: organizationMessage(row) };
    },

    async updateOrganizationNamespace({ organizationId, newPublicNamespace }, caller) {
      await caller.require('organization.change', organization(organizationId), store.db);
      const row = await organizations.update(organizationId, { publicNamespace: newPublicNamespace });
      return { organization: organizationMessage(row) };
    },

    async deleteOrganization({ organizationId }, caller) {
      await caller.require('organization.delete', organization(organizationId), store.db);
      await organizations.delete(organizationId);
      await credentials.refresh();
      return {};
    },

    async getOrganizationMetadata({ organizationId }, caller) {
      await caller.require('organization.read', organization(organizationId), store.db);
      return { data: structOf((await organizations.get(organizationId)).metadata) };
    },

    async updateOrganizationMetadata({ organizationId, data }, caller) {
      await caller.require('organization.change', organization(organizationId), store.db);
      await organizations.update(organizationId, { metadata: metadataText(data) });
      return {};
    },
  };
}
