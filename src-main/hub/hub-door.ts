import { AuthServiceDefinition } from '../../proto/gen/proto/rpc/v1/auth.ts';
import type { Router } from '../rpc/router.ts';
import { hubAuthService } from './access/authenticate.ts';
import { HubAccess } from './access/hub-access.ts';
import type { Hub } from './hub.ts';

export interface MountOptions {
  /** Credentials in clear text from beyond this computer are accepted. */
  readonly allowsInsecureCreds: boolean;
}

/**
 * Puts a hub on a router of its own: access rules first, then the service that
 * trades keys for tokens, then the hub. Beside a machine the station's rules
 * stand in for it.
 */
export function mountWithAccess({ parts, mount }: Hub, router: Router, options: MountOptions): HubAccess {
  const { credentials, tokens, clock, refusals } = parts;
  const access = new HubAccess({ ...options, credentials, tokens, clock, refusals });
  router.addInterceptor(access.interceptor);
  router.addService(AuthServiceDefinition, hubAuthService({ access, credentials, tokens, clock }));
  mount((definition, handlers) => router.addService(definition, handlers));
  return access;
}
