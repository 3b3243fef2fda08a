import type { Socket } from 'node:net';
import { isLoopbackAddress } from '../tracked-connection.ts';

/**
 * A peer is asked by the kernel whether it is there after so long without a word, and then once a second (what libuv sets
 * for TCP keepalive): thousands of links that are at rest cost their hub's program nothing.
 */
const KEEPALIVE_IDLE_MS = 6_000;
/**
 * For so long a peer may acknowledge nothing that was sent to it, be that a question or data. Twice as long is the worst
 * case, as data that is sent shortly before the limit waits for as long again: below 20 s.
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
