import { ArmatureError } from '../../base/errors.ts';
import { localConnection } from '../../rpc/routing/local-call.ts';
import type { PeerCaller } from '../../rpc/peer/outbound-call.ts';
import type { PeerCodes } from '../../rpc/peer/received-error.ts';
import type { RequestSink, Router } from '../../rpc/router.ts';

/** Error codes of calls to a hub. */
export const hubCodes: PeerCodes = { unreachable: 'hub.unreachable', refused: 'hub.refused' };

/** A hub in this process: the same messages, without a network. */
export function callerInProcess(router: Pick<Router, 'start'>): PeerCaller {
  const connection = localConnection('machine');
  const sinks = new Set<RequestSink>();
  return {
    start(path, metadata, timeoutMs, responder) {
      const sink: RequestSink = router.start(
        { path, metadata, timeoutMs, connection },
        {
          headers: (headers) => responder.headers(headers),
          message: (bytes, isLast) => responder.message(bytes, isLast),
          end: (status, trailers) => {
            queueMicrotask(() => sinks.delete(sink));
            responder.end(status, trailers);
          },
        },
      );
      sinks.add(sink);
      return sink;
    },
    close() {
      const closed = new ArmatureError('hub.unreachable', 'The connection to the hub in this program was closed.');
      for (const sink of [...sinks]) sink.cancel(closed);
    },
  };
}
