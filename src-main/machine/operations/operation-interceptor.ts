import { randomUUID } from 'node:crypto';
import { firstValue } from '../../rpc/metadata.ts';
import type { Interceptor } from '../../rpc/call.ts';
import type { OperationRegistry } from './operation-registry.ts';

/** Request and response header with the id of the operation. */
const OPERATION_HEADER = 'opid';

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/** Gives every tracked call an id: the caller's own if it sent one. The id is returned in the response headers. */
export function operationInterceptor(registry: OperationRegistry): Interceptor {
  // Unique, not secret: one random UUID with a counter in its last group. Five times cheaper than a random UUID per
  // call.
  const prefix = randomUUID().slice(0, -12);
  let count = 0;
  const nextId = (): string => prefix + (++count).toString(16).padStart(12, '0');
  return {
    name: 'operation',
    start(call) {
      const { method } = call;
      if (method.traits.untracked === true) return;
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
