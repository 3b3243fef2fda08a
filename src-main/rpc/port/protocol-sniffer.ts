import type { Socket } from 'node:net';

const PREFACE = Buffer.from('PRI * HTTP/2.0', 'latin1');

export type Protocol = 'http1' | 'http2' | 'tls';

/** The first byte of a TLS handshake; no request in clear text begins with it. */
const TLS_HANDSHAKE = 0x16;

/**
 * The protocol of a connection, by its first bytes; undefined while these are not enough.
 * Garbage counts as HTTP/1.1, whose parser answers it.
 */
export function protocolOf(first: Buffer): Protocol | undefined {
  if (first[0] === TLS_HANDSHAKE) return 'tls';
  const shared = Math.min(first.length, PREFACE.length);
  if (PREFACE.compare(first, 0, shared, 0, shared) !== 0) return 'http1';
  return first.length >= PREFACE.length ? 'http2' : undefined;
}

/**
 * Waits for a connection's first bytes, and puts them back for its handler. Nothing is called if the connection ends
 * before.
 * @param tell undefined while the bytes do not decide
 */
export function sniff<T>(socket: Socket, tell: (first: Buffer) => T | undefined, decided: (what: T) => void): void {
  let first: Buffer = Buffer.alloc(0);
  const onReadable = (): void => {
    for (let chunk = socket.read() as Buffer | null; chunk !== null; chunk = socket.read() as Buffer | null) {
      first = first.length === 0 ? chunk : Buffer.concat([first, chunk]);
    }
    if (first.length === 0) return;
    const what = tell(first);
    if (what === undefined) return;
    socket.off('readable', onReadable);
    socket.unshift(first);
    decided(what);
  };
  socket.on('readable', onReadable);
}
