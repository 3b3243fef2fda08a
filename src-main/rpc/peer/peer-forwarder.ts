import type { ValueShape } from '../../../proto/value-shapes.ts';
import type { Clock } from '../../base/clock.ts';
import { aliasPath } from '../../base/dialect.ts';
import { StatusCode } from '../../base/status.ts';
import type { ServerCall } from '../call.ts';
import { forwardedMetadata } from '../forwarded-metadata.ts';
import type { MetadataRecord } from '../metadata.ts';
import { withNulls } from '../routing/null-values.ts';
import type { Peer } from './peer.ts';
import type { Forwarder, RequestSink, Responder } from '../router.ts';

export interface PeerForwarderOptions {
  readonly clock: Clock;
  /** The method in the peer's spelling; by default `viam.*`, which every module accepts. */
  readonly path?: (asCalled: string) => string;
}

/**
 * Forwards calls to a peer: bytes unchanged (except Values without a kind in answers), metadata without that of the
 * transport and this machine, and the remaining deadline, if any.
 */
export function peerForwarder(peer: Pick<Peer, 'start'>, { clock, path = aliasPath }: PeerForwarderOptions): Forwarder {
  return {
    start(call: ServerCall, asCalled: string, responder: Responder): RequestSink {
      const { deadline } = call;
      const timeoutMs = deadline === undefined ? undefined : Math.max(0, deadline - clock.monotonic());
      const { responseStream, answerShape } = call.method;
      const whole = responseStream ? responder : new UnaryResponder(responder);
      const back = answerShape === undefined ? whole : readable(whole, answerShape);
      return peer.start(path(asCalled), forwardedMetadata(call.metadata, NOT_FORWARDED), timeoutMs, back);
    },
  };
}

/**
 * Headers that are for this machine and not for a module: the caller's authentication, its browser's headers, and its
 * session, which the machine manages for forwarded calls too.
 */
const NOT_FORWARDED: ReadonlySet<string> = new Set([
  'accept',
  'accept-encoding',
  'accept-language',
  'authorization',
  'cache-control',
  'cookie',
  'grpc-timeout',
  'origin',
  'pragma',
  'priority',
  'proxy-authorization',
  'referer',
  'viam-sid',
  'x-grpc-web',
]);

/** The responder of a call whose answers contain Values; gives a kind to each of them. */
function readable(responder: Responder, shape: ValueShape): Responder {
  return {
    headers: (metadata) => responder.headers(metadata),
    message: (bytes, isLast) => responder.message(withNulls(bytes, shape), isLast),
    end: (status, trailers) => responder.end(status, trailers),
  };
}

/** The responder of a unary call: it holds the answer until the status arrives, so that both are sent together. */
class UnaryResponder implements Responder {
  readonly #responder: Responder;
  #headers: MetadataRecord | undefined;
  #answer: Uint8Array | undefined;

  constructor(responder: Responder) {
    this.#responder = responder;
  }

  headers(metadata: MetadataRecord): void {
    for (const _key in metadata) {
      this.#headers = metadata;
      return;
    }
  }

  message(bytes: Uint8Array): undefined {
    this.#answer = bytes;
  }

  end(...[status, trailers]: Parameters<Responder['end']>): void {
    if (this.#headers !== undefined) this.#responder.headers(this.#headers);
    if (this.#answer !== undefined && status.code === StatusCode.OK) void this.#responder.message(this.#answer, true);
    this.#responder.end(status, trailers);
  }
}
