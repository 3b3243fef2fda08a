import type { Socket } from 'node:net';
import { isLoopbackAddress } from '../tracked-connection.ts';

/**
 * After so long without data the kernel probes a peer, and then once a second (what libuv sets for TCP keepalive), so
 * that thousands of idle connections cost the hub's program nothing.
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

/** Turns TCP keepalive on: the kernel asks whether the other side is still there. */
export function enableKeepalive(socket: Socket): void {
  socket.setKeepAlive(true, KEEPALIVE_IDLE_MS);
}

/**
 * Ends a connection whose network went silent, within 20 s; it needs {@link enableKeepalive keepalive} too. Not one within this
 * computer, where nothing is lost and a program that a debugger holds is no reason to end it.
 */
export function applyTcpUserTimeout(socket: Socket, setTcpUserTimeout: SetTcpUserTimeout): void {
  if (!isLoopbackAddress(socket.remoteAddress ?? '')) setTcpUserTimeout(socket, USER_TIMEOUT_MS);
}
