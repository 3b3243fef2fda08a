import { methodTraits } from '../../../proto/method-traits.ts';
import type { Connection, ServerCall, TransportKind } from '../call.ts';
import { TrackedConnection } from '../tracked-connection.ts';

export interface FakeCallOptions {
  readonly transport?: TransportKind;
  readonly remoteAddress?: string;
  readonly isEncrypted?: boolean;
  readonly path?: string;
  readonly metadata?: Record<string, string>;
  readonly connection?: Connection;
}

/** A call with the members that the access rules use, for tests. */
export function fakeCall(options: FakeCallOptions): ServerCall {
  const { transport = 'grpc', remoteAddress = '127.0.0.1', isEncrypted = false } = options;
  const connection =
    options.connection ??
    new TrackedConnection({ remoteAddress, localAddress: '127.0.0.1' }, transport, isEncrypted, true);
  const path = options.path ?? '/core.robot.v1.RobotService/GetOperations';
  const [, service = '', name = ''] = path.split('/');
  return {
    method: { path, service, name, traits: methodTraits(service, name) },
    metadata: options.metadata ?? {},
    connection,
    principal: { kind: 'anonymous', entity: 'anonymous' },
  } as unknown as ServerCall;
}
