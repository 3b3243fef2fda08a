import { randomUUID } from 'node:crypto';
import { firstValue } from '../../rpc/metadata.ts';
import type { Interceptor } from '../../rpc/call.ts';
import type { OperationRegistry } from './operation-registry.ts';

/** Request and response header with the id of the operation (wire contract 1.10). */
const OPERATION_HEADER = 'opid';

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/** Services of the plumbing: nobody wants to see or cancel them, and some carry credentials. */
const untrackedServices: ReadonlySet<string> = new Set([
  'proto.rpc.v1.AuthService',
  'proto.rpc.v1.ExternalAuthService',
  'proto.rpc.webrtc.v1.SignalingService',
  'grpc.reflection.v1.ServerReflection',
  'grpc.reflection.v1alpha.ServerReflection',
  'grpc.health.v1.Health',
]);

const untrackedMethods: ReadonlySet<string> = new Set([
  '/core.robot.v1.RobotService/StreamStatus',
  '/core.robot.v1.RobotService/GetOperations',
]);

/**
 * Gives every tracked call an id, the caller's own where it sent one, echoed
 * in the response headers (wire contract 2.1).
 */
export function operationInterceptor(registry: OperationRegistry): Interceptor {
  // Unique, not secret: one random UUID whose last group counts. Five times cheaper than a random UUID for each call.
  const prefix = randomUUID().slice(0, -12);
  let count = 0;
  const nextId = (): string => prefix + (++count).toString(16).padStart(12, '0');
  return {
    name: 'operation',
    start(call) {
      const { method } = call;
      if (untrackedServices.has(method.service) || untrackedMethods.has(method.path)) return;
      const given = firstValue(call.metadata, OPERATION_HEADER);
      const id = given !== undefined && UUID.test(given) ? given : nextId();
      call.operationId = id;
      call.setHeader(OPERATION_HEADER, id);
      registry.add(call);
    },
    end(call) {
      if (call.operationId !== undefined) registry.delete(call);
    },
  };
}
