import type { RobotServiceDefinition } from '../../../../proto/gen/core/app/v1/robot.ts';
import { membershipOf } from '../../places/membership.ts';
import type { Store } from '../../storage/store.ts';
import type { Authority } from './authority.ts';
import { computerHosts } from './computer-hosts.ts';
import type { HubHandlers } from '../guarded.ts';
import { ownAddress } from './own-address.ts';

/** Issues certificates for the ports of parts; a part can only request its own. */
export function partCertificates(store: Store, authority: Authority): HubHandlers<typeof RobotServiceDefinition> {
  return {
    async certificate({ id }, caller, call) {
      await caller.require('part.serve', { type: 'part', id }, store.db);
      const { membership } = await membershipOf(store, id);
      // The part's fleet name and how clients reach it. A name that the part chose itself is never included: it might
      // belong to somebody else.
      const names = [membership.fqdn, 'localhost', '127.0.0.1', '::1', ...ownAddress(call.connection, call.metadata)];
      // The part runs in this program, so all names of this computer are its own.
      const isHere = call.connection.transport === 'local';
      const { cert, key } = await authority.issue(isHere ? computerHosts([membership.fqdn]) : [...new Set(names)]);
      return { id, tlsCertificate: cert, tlsPrivateKey: key };
    },
  };
}
