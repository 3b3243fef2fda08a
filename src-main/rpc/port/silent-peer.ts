import type { Socket } from 'node:net';
import { isLoopbackAddress } from '../tracked-connection.ts';

/**
 * A peer is asked by the kernel whether it is there after so long without a word, and then once a second (what libuv sets
 * for TCP keepalive): thousands of links that are at rest cost their hub's program nothing.
 */
const QUIET_MS = 6_000;
/**
 * For so long a peer may acknowledge nothing that was sent to it, be that a question or data. Twice as long is the worst
 * case, as data that is sent shortly before the limit waits for as long again: below 20 s.
 */
const UNANSWERED_MS = 9_500;

/**
 * Has the kernel end a connection whose other side has acknowledged nothing for so long (TCP_USER_TIMEOUT, as gRPC's own
 * libraries do: grpc/proposal A18). Where a kernel cannot, it is ended after some minutes when something was sent, as TCP
 * keepalive asks only while nothing is on its way.
 */
export type UnansweredLimit = (socket: Socket, ms: number) => void;

/** Has the kernel ask whether the other side of a TCP connection is still there. */
export function askWhenQuiet(socket: Socket): void {
  socket.setKeepAlive(true, QUIET_MS);
}

/**
 * Ends a connection whose network went silent, within 20 s; it has to be {@link askWhenQuiet asked} too. Not one within this
 * computer, where nothing is lost and a program that a debugger holds is no reason to end it.
 */
export function endWhenSilent(socket: Socket, limit: UnansweredLimit): void {
  if (!isLoopbackAddress(socket.remoteAddress ?? '')) limit(socket, UNANSWERED_MS);
}
