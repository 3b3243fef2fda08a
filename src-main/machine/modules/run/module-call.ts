import { aliasPath } from '../../../base/dialect.ts';
import type { Status } from '../../../base/status.ts';
import type { Peer } from '../../../rpc/peer/peer.ts';

/**
 * One request and its answer, with the unchanged status, for callers that distinguish failures.
 * A module knows our services by the names of the public ecosystem. Never rejects.
 */
export function callModule(
  peer: Pick<Peer, 'start'>,
  path: string,
  request: Uint8Array,
  timeoutMs: number,
): Promise<{ readonly status: Status; readonly answer: Uint8Array | undefined }> {
  return new Promise((resolve) => {
    let answer: Uint8Array | undefined;
    const sink = peer.start(aliasPath(path), {}, timeoutMs, {
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
