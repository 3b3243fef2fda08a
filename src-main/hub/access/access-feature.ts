import { AppServiceDefinition } from '../../../proto/gen/core/app/v1/app.ts';
import { RobotServiceDefinition } from '../../../proto/gen/core/app/v1/robot.ts';
import type { Authority } from './certificates/authority.ts';
import { serve, type Feature } from './feature.ts';
import { keyCalls, type KeyCallsOptions } from './keys/key-calls.ts';
import { partCertificates } from './certificates/part-certificates.ts';

/** Keys and their roles, the accepted credentials, and the certificates of parts. */
export function accessFeature(options: KeyCallsOptions & { readonly authority: Authority }): Feature {
  const { store, authority, credentials } = options;
  return {
    services: [
      serve(AppServiceDefinition, keyCalls(options)),
      serve(RobotServiceDefinition, partCertificates(store, authority)),
    ],
    close: () => credentials.stop(),
  };
}
