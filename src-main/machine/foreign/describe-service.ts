import { cancelledBy } from '../../apis/remote-resource.ts';
import type { StartCall } from '../../rpc/peer/outbound-call.ts';
import type { ForeignService } from '../../rpc/router.ts';

/** Time limit for the description of a service. */
const DESCRIBE_MS = 10_000;
const codes = { unreachable: 'peer.unreachable', refused: 'peer.unreachable' } as const;

/**
 * Asks for the description of a service, by reflection.
 * @throws {ArmatureError} where it cannot be had
 */
export async function describeService(start: StartCall, service: string, signal: AbortSignal): Promise<ForeignService> {
  // Both read descriptors, which are not needed before there is such a service.
  const [{ reflectService }, { foreignService }] = await Promise.all([
    import('../../rpc/reflection/reflection-client.ts'),
    import('../../rpc/reflection/foreign-service.ts'),
  ]);
  const descriptors = await reflectService(cancelledBy(signal, start), service, { timeoutMs: DESCRIBE_MS, codes });
  return foreignService(service, descriptors);
}
