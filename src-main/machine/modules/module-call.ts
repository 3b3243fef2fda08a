import { aliasPath } from '../../base/dialect.ts';
import type { Status } from '../../base/status.ts';
import type { StartCall } from '../../rpc/outbound-call.ts';
import type { Peer } from '../../rpc/peer.ts';
import type { PeerCodes } from '../../rpc/received-error.ts';

/** What typed calls to a module fail with, beside what the module says. */
export const moduleCodes: PeerCodes = { unreachable: 'module.unreachable', refused: 'module.failed' };

/** Calls of ours to a module: it knows our services by the names of the public ecosystem (ruling 1). */
export function startInModule(peer: Peer): StartCall {
  return (path, metadata, timeoutMs, responder) => peer.start(aliasPath(path), metadata, timeoutMs, responder);
}

/**
 * One request, one answer, and the status as it came: for who has to tell one
 * failure from another. Never rejects.
 */
export function callModule(
  peer: Peer,
  path: string,
  request: Uint8Array,
  timeoutMs: number,
): Promise<{ readonly status: Status; readonly answer: Uint8Array | undefined }> {
  return new Promise((resolve) => {
    let answer: Uint8Array | undefined;
    const sink = startInModule(peer)(path, {}, timeoutMs, {
      headers: () => undefined,
      message: (bytes) => {
        answer = bytes;
        return undefined;
      },
      end: (status) => resolve({ status, answer }),
    });
    void sink.message(request);
    sink.halfClose();
  });
}
