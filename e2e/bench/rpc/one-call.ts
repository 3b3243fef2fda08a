import { connect, type IncomingHttpHeaders } from 'node:http2';

const PREFIX_BYTES = 5;

/** A message with the five-byte prefix of gRPC. */
export function framed(message: readonly number[]): Buffer {
  const prefix = Buffer.alloc(PREFIX_BYTES);
  prefix.writeUInt32BE(message.length, 1);
  return Buffer.concat([prefix, Buffer.from(message)]);
}

/**
 * Whether a unary call on a new connection is answered with OK. Plain HTTP/2, because a gRPC library waits before it
 * reconnects.
 */
export function isAnswered(port: number, path: string, message: readonly number[]): Promise<boolean> {
  const session = connect(`http://127.0.0.1:${port}`);
  return new Promise<boolean>((resolve) => {
    session.on('error', () => resolve(false));
    const stream = session.request({ ':method': 'POST', ':path': path, 'content-type': 'application/grpc' });
    let isOk = false;
    const onHeaders = (headers: IncomingHttpHeaders): void => {
      if (headers['grpc-status'] === '0') isOk = true;
    };
    stream.on('response', onHeaders).on('trailers', onHeaders);
    stream.on('error', () => resolve(false));
    stream.on('close', () => resolve(isOk));
    stream.resume();
    stream.end(framed(message));
  }).finally(() => session.destroy());
}
