import type { StartCall } from './outbound-call.ts';

/**
 * Another process that serves gRPC to us over its own connection: a module. Typed calls use `callPeer(peer.start,
 * ...)`, calls of others `peerForwarder(peer)`, with bytes unchanged.
 */
export interface Peer {
  /** Never throws: a call that cannot be made ends its responder. The path is sent as it is given. */
  readonly start: StartCall;
  readonly isClosed: boolean;
  /** Called once, when the connection has closed for any reason. Returns an unsubscribe function. */
  onClose(listener: (reason: string) => void): () => void;
  /** Calls under way end with `Unavailable` and the reason. */
  close(reason: string): void;
}

/** Where a peer listens. */
export type PeerAddress =
  | { readonly kind: 'unix'; readonly path: string }
  | { readonly kind: 'tcp'; readonly host: string; readonly port: number };
