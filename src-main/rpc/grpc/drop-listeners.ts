import { EventEmitter } from 'node:events';
import type { Http2Stream } from 'node:http2';

/** Listens for errors of a stream: 'close' follows and ends the call; without a listener an error would end the program. */
export function onError(): void {}

/**
 * Removes all listeners of a stream that has closed. V8 collects such a stream late, with everything that they lead to:
 * in a busy server most of what a collection of the young generation copies.
 *
 * A stream's own method would cost a forwarded call 4 us of processor time: it schedules a callback, and Node's listener
 * for 'removeListener' makes it remove the others one by one. So that listener goes first.
 */
export function dropListeners(stream: Http2Stream): void {
  EventEmitter.prototype.removeAllListeners.call(stream, 'removeListener');
  EventEmitter.prototype.removeAllListeners.call(stream);
  stream.on('error', onError);
}
