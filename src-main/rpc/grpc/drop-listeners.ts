import type { Http2Stream } from 'node:http2';

/** Listens for errors of a stream: 'close' follows and ends the call; without a listener an error would end the program. */
export function onError(): void {}

/**
 * Removes all listeners of a stream that has closed. V8 collects such a stream late, with everything that they lead to:
 * in a busy server most of what a collection of the young generation copies.
 */
export function dropListeners(stream: Http2Stream): void {
  stream.removeAllListeners();
  stream.on('error', onError);
}
