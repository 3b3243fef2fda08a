import { AppServiceDefinition } from '../../../../proto/gen/core/app/v1/app.ts';
import type { Channel } from '../../../link/channel.ts';
import { createClient } from '../../../link/client.ts';
import type { KeyCalls } from '../fleet.ts';
import { keyFrom } from '../rpc/fleet-from-proto.ts';
import type { RolePlaceKind } from '../fleet-view.ts';
import { quick } from './call-options.ts';

/** On the wire machines are called robots. */
const wireKinds: Readonly<Record<RolePlaceKind, string>> = {
  organization: 'organization',
  location: 'location',
  machine: 'robot',
  part: 'robot_part',
};

export function keyCalls(channel: Channel): KeyCalls {
  const client = createClient(AppServiceDefinition, channel);
  return {
    async list(organizationId) {
      return (await client.listKeys({ orgId: organizationId }, quick)).apiKeys.map(keyFrom);
    },
    async create(name, { role, kind, id }, organizationId) {
      const resourceType = wireKinds[kind];
      const authorization = {
        authorizationType: 'role',
        authorizationId: `${resourceType}_${role}`,
        resourceType,
        resourceId: id,
        identityId: '',
        organizationId,
        identityType: 'api-key',
      };
      const made = await client.createKey({ name, authorizations: [authorization] }, quick);
      return { id: made.id, secret: made.key };
    },
    async rotate(keyId) {
      const { id, key } = await client.rotateKey({ id: keyId }, quick);
      return { id, secret: key };
    },
    async revoke(keyId) {
      await client.deleteKey({ id: keyId }, quick);
    },
    async rename(keyId, name) {
      await client.renameKey({ id: keyId, name }, quick);
    },
  };
}
