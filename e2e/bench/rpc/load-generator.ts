import { connect, type ClientHttp2Session, type IncomingHttpHeaders } from 'node:http2';

/** What one run of the generator is asked to do. */
export interface LoadOptions {
  readonly port: number;
  /** Path of the unary method, with its leading slash. */
  readonly path: string;
  /** The request message, without its gRPC prefix. */
  readonly message: Uint8Array;
  /** Calls kept under way at the same time, all on one connection. */
  readonly inFlight: number;
  readonly durationMs: number;
}

export interface LoadResult {
  readonly calls: number;
  readonly callsPerSecond: number;
  /** Calls that ended with anything but status OK. */
  readonly failures: number;
}

/** A message with the five bytes that gRPC puts before it. */
export function framed(message: Uint8Array): Buffer {
  const frame = Buffer.allocUnsafe(5 + message.length);
  frame[0] = 0;
  frame.writeUInt32BE(message.length, 1);
  frame.set(message, 5);
  return frame;
}

/**
 * Keeps a number of unary gRPC calls in flight on one bare HTTP/2 session and
 * counts answers. No gRPC library takes part, so that the same small cost is
 * paid whatever server is measured.
 */
export async function runLoad(options: LoadOptions): Promise<LoadResult> {
  const session = connect(`http://127.0.0.1:${options.port}`, { settings: { enablePush: false } });
  await new Promise<void>((resolve, reject) => {
    session.once('connect', () => resolve());
    session.once('error', reject);
  });
  try {
    return await drive(session, options);
  } finally {
    session.destroy();
  }
}

function drive(session: ClientHttp2Session, options: LoadOptions): Promise<LoadResult> {
  const frame = framed(options.message);
  const headers = {
    ':method': 'POST',
    ':path': options.path,
    'content-type': 'application/grpc',
    te: 'trailers',
  };
  let calls = 0;
  let failures = 0;
  let underWay = 0;
  const startedAt = performance.now();
  const endAt = startedAt + options.durationMs;
  return new Promise((resolve, reject) => {
    session.on('error', reject);
    const finish = (): void => {
      const seconds = (performance.now() - startedAt) / 1000;
      resolve({ calls, callsPerSecond: calls / seconds, failures });
    };
    const call = (): void => {
      underWay++;
      let status: unknown;
      const stream = session.request(headers);
      stream.on('response', (answer: IncomingHttpHeaders) => (status = answer['grpc-status'] ?? status));
      stream.on('trailers', (trailers: IncomingHttpHeaders) => (status = trailers['grpc-status']));
      stream.on('error', () => (status = undefined));
      stream.on('close', () => {
        calls++;
        if (status !== '0') failures++;
        underWay--;
        if (performance.now() < endAt) call();
        else if (underWay === 0) finish();
      });
      stream.resume();
      stream.end(frame);
    };
    for (let index = 0; index < options.inFlight; index++) call();
  });
}
