import { AuthServiceDefinition } from '../../proto/gen/proto/rpc/v1/auth.ts';
import type { Router } from '../rpc/router.ts';
import { hubAuthService } from './access/authenticate.ts';
import { HubAccess } from './access/hub-access.ts';
import type { Hub } from './hub.ts';

export interface MountOptions {
  /** Whether to accept credentials in clear text from other computers. */
  readonly allowsInsecureCreds: boolean;
}

/**
 * Mounts a standalone hub on its own router: first access control, then the service that exchanges keys for tokens,
 * then the hub's services. A hub embedded in a machine uses the rules of the station instead.
 */
export function mountWithAccess({ parts, mount }: Hub, router: Router, options: MountOptions): HubAccess {
  const { credentials, tokens, clock, refusals } = parts;
  const access = new HubAccess({ ...options, credentials, tokens, clock, refusals });
  router.addInterceptor(access.interceptor);
  router.addService(AuthServiceDefinition, hubAuthService({ access, credentials, tokens, clock }));
  mount((definition, handlers) => router.addService(definition, handlers));
  return access;
}
