import type { RobotServiceDefinition } from '../../../../proto/gen/core/app/v1/robot.ts';
import { membershipOf } from '../../places/membership.ts';
import type { Store } from '../../storage/store.ts';
import type { Authority } from './authority.ts';
import { computerHosts } from './computer-hosts.ts';
import type { HubHandlers } from '../guarded.ts';
import { ownAddress } from './own-address.ts';

/** Certificates for the ports of parts: each part asks for its own. */
export function partCertificates(store: Store, authority: Authority): HubHandlers<typeof RobotServiceDefinition> {
  return {
    async certificate({ id }, caller, call) {
      await caller.require('part.serve', { type: 'part', id }, store.db);
      const { membership } = await membershipOf(store, id);
      // Its name in the fleet, and how clients reach it: never a name that it chose, which might be somebody else's.
      const names = [membership.fqdn, 'localhost', '127.0.0.1', '::1', ...ownAddress(call.connection, call.metadata)];
      // The machine of this program has the names that this computer has.
      const isHere = call.connection.transport === 'local';
      const { cert, key } = await authority.issue(isHere ? computerHosts([membership.fqdn]) : [...new Set(names)]);
      return { id, tlsCertificate: cert, tlsPrivateKey: key };
    },
  };
}
