import { ModuleServiceDefinition } from '../../../proto/gen/core/module/v1/module.ts';
import { cancelledBy } from '../../apis/remote-resource.ts';
import { aliasPath } from '../../base/dialect.ts';
import { ArmatureError, type ErrorCode } from '../../base/errors.ts';
import { StatusCode, type Status } from '../../base/status.ts';
import { callPeer, type StartCall } from '../../rpc/peer/outbound-call.ts';
import type { Peer } from '../../rpc/peer/peer.ts';
import type { PeerCodes } from '../../rpc/peer/received-error.ts';
import type { RequestOf, ResponseOf } from '../../rpc/service.ts';
import { formatSeconds } from '../graph/description.ts';
import type { RunningModule } from '../modules/run/running-module.ts';

type Methods = typeof ModuleServiceDefinition.methods;

/** Errors for calls that a module does not answer, or that are made over a closed connection. */
export const moduleCodes: PeerCodes = { unreachable: 'peer.unreachable', refused: 'module.refused' };

const unreachable: ReadonlySet<StatusCode> = new Set([
  StatusCode.UNAVAILABLE,
  StatusCode.DEADLINE_EXCEEDED,
  StatusCode.CANCELLED,
]);

/** What the public Python SDK puts before an exception's message. */
const PYTHON_TYPE = /^<class '[\w.]+'>: /;

/** Starts calls to a module. Every path is sent in the spelling that modules know. */
export function startOf(peer: Peer): StartCall {
  return (path, metadata, timeoutMs, responder) => peer.start(aliasPath(path), metadata, timeoutMs, responder);
}

/**
 * One call of ModuleService.
 * @throws {ArmatureError} `peer.unreachable`; `call.unimplemented`; `module.refused` with the module's message. Never
 * an error of the user: modules send the same status for wrong attributes and for something that is not ready yet.
 */
export async function callModule<K extends keyof Methods>(
  module: RunningModule,
  method: K,
  request: RequestOf<Methods[K]>,
  { timeoutMs, signal }: { readonly timeoutMs: number; readonly signal?: AbortSignal | undefined },
): Promise<ResponseOf<Methods[K]>> {
  let ended: Status | undefined;
  const start: StartCall = (path, metadata, limitMs, responder) =>
    cancelledBy(signal, startOf(module.peer))(path, metadata, limitMs, {
      headers: (received) => responder.headers(received),
      message: (bytes, isLast) => responder.message(bytes, isLast),
      end: (status, trailers) => {
        ended = status;
        responder.end(status, trailers);
      },
    });
  try {
    return await callPeer(start, ModuleServiceDefinition, method, request, { timeoutMs, codes: moduleCodes });
  } catch (thrown) {
    if (ended === undefined || ended.code === StatusCode.OK) throw thrown;
    const { name } = ModuleServiceDefinition.methods[method];
    throw new ArmatureError(codeOf(ended.code), messageOf(ended, module, name, timeoutMs), { cause: thrown });
  }
}

function codeOf(status: StatusCode): ErrorCode {
  if (status === StatusCode.UNIMPLEMENTED) return 'call.unimplemented';
  return unreachable.has(status) ? 'peer.unreachable' : 'module.refused';
}

function messageOf(status: Status, { name }: RunningModule, method: string, timeoutMs: number): string {
  if (status.code === StatusCode.DEADLINE_EXCEEDED) {
    return `its module ${name} did not answer ${method} within ${formatSeconds(timeoutMs)}`;
  }
  if (status.code === StatusCode.UNIMPLEMENTED) return `its module ${name} has no ${method}`;
  if (unreachable.has(status.code)) return `its module ${name} could not be asked (${method}): ${status.message}`;
  const message = status.message.replace(PYTHON_TYPE, '');
  return message === '' ? `its module ${name} failed ${method} and gives no reason` : message;
}
