import { cancelledBy } from '../../apis/remote-resource.ts';
import type { StartCall } from '../../rpc/peer/outbound-call.ts';
import type { ForeignService } from '../../rpc/router.ts';

/** Time limit for the description of a service. */
const DESCRIBE_MS = 10_000;
const codes = { unreachable: 'peer.unreachable', refused: 'peer.unreachable' } as const;

/**
 * Requests the descriptors of a service by reflection.
 * @throws {ArmatureError} if they are not available
 */
export async function describeService(start: StartCall, service: string, signal: AbortSignal): Promise<ForeignService> {
  // Both load code for descriptors, which is not needed without such a service.
  const [{ reflectService }, { foreignService }] = await Promise.all([
    import('../../rpc/reflection/reflection-client.ts'),
    import('../../rpc/reflection/foreign-service.ts'),
  ]);
  const descriptors = await reflectService(cancelledBy(signal, start), service, { timeoutMs: DESCRIBE_MS, codes });
  return foreignService(service, descriptors);
}
