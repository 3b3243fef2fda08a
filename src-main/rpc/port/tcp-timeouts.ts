import type { Socket } from 'node:net';
import { isLoopbackAddress } from '../tracked-connection.ts';

/**
 * After this long without data the kernel probes a peer, and then once a second (libuv's setting for TCP keepalive), so
 * thousands of idle connections cost the hub's program nothing.
 */
const KEEPALIVE_IDLE_MS = 6_000;
/**
 * Longest time without an acknowledgement of a sent probe or data. The worst case is twice as long, since data that is
 * sent shortly before the limit waits for the same time again: below 20 s.
 */
const USER_TIMEOUT_MS = 9_500;

/**
 * Has the kernel end a connection whose other side has acknowledged nothing for so long (TCP_USER_TIMEOUT, as gRPC's own
 * libraries do: grpc/proposal A18). Where a kernel cannot, it is ended after some minutes when something was sent, as TCP
 * keepalive asks only while nothing is on its way.
 */
export type SetTcpUserTimeout = (socket: Socket, ms: number) => void;

/** Enables TCP keepalive: the kernel checks whether the other side is still there. */
export function enableKeepalive(socket: Socket): void {
  socket.setKeepAlive(true, KEEPALIVE_IDLE_MS);
}

/**
 * Closes a connection whose network is silent, within 20 s; it needs {@link enableKeepalive keepalive} too. Not for
 * connections within this computer, where nothing is lost and a program stopped in a debugger must not be disconnected.
 */
export function applyTcpUserTimeout(socket: Socket, setTcpUserTimeout: SetTcpUserTimeout): void {
  if (!isLoopbackAddress(socket.remoteAddress ?? '')) setTcpUserTimeout(socket, USER_TIMEOUT_MS);
}
