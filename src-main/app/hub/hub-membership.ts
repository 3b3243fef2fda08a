import { join } from 'node:path';
import type { CloudSettings } from '../../machine/cloud/cloud-settings.ts';
import type { HubMembership } from '../../machine/cloud/joined-hub.ts';
import type { EmbeddedHub } from './embedded-hub.ts';

/** How a station uses the information from its machine's hub, wherever that hub is. */
export type MembershipHooks = Pick<HubMembership, 'trust' | 'onMembership' | 'onCertificate' | 'onRestart'>;

/** Where a part of a hub elsewhere keeps what that hub sent. */
export function hubCacheFolder(home: string, partId: string): string {
  return join(home, 'cloud', partId.replace(/[^\w-]/g, '_'));
}

/** Of a machine whose file says which hub it belongs to: that hub has the configuration. */
export function membershipAt(cloud: CloudSettings, home: string, hooks: MembershipHooks): HubMembership {
  const { partId, address, credentials, authority } = cloud;
  const folder = hubCacheFolder(home, partId);
  return {
    ...hooks,
    partId: () => partId,
    hubName: address.text,
    credentials,
    connect: async () => {
      // Few machines have a hub elsewhere: the others need not load this.
      const [{ openGrpcCaller }, { setTcpUserTimeout }] = await Promise.all([
        import('../../rpc/peer/grpc-caller.ts'),
        import('../../hardware/tcp-user-timeout.ts'),
      ]);
      return openGrpcCaller(address, { authority, setTcpUserTimeout });
    },
    remoteAddress: address.host === 'localhost' ? '127.0.0.1' : address.host,
    isEncrypted: address.isEncrypted,
    ownsConfig: false,
    cacheFolder: folder,
    outboxFolder: join(folder, 'outbox'),
  };
}

/** For a machine and its hub in the same program: the machine's file owns the configuration. */
export function membershipHere(hub: EmbeddedHub, home: string, hooks: MembershipHooks): HubMembership {
  return {
    ...hooks,
    partId: () => hub.current?.partId ?? '',
    hubName: 'in this program',
    credentials: undefined,
    connect: () => hub.connect(),
    remoteAddress: '127.0.0.1',
    isEncrypted: true,
    ownsConfig: true,
    cacheFolder: join(home, 'hub', 'cache'),
    outboxFolder: undefined,
  };
}
