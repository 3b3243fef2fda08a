import { connect, type IncomingHttpHeaders } from 'node:http2';
import { connect as connectSocket } from 'node:net';
import { framed } from './one-call.ts';

const WINDOW_BYTES = 16 * 1024 * 1024;

/** Bytes a second of one response stream, read as they come and discarded. */
export async function readFrames(port: number | string, path: string, message: readonly number[]): Promise<number> {
  const socket = typeof port === 'string' ? connectSocket(port) : connectSocket(port, '127.0.0.1');
  const session = connect('http://localhost', {
    createConnection: () => socket,
    settings: { initialWindowSize: WINDOW_BYTES, maxFrameSize: 1024 * 1024 },
  });
  try {
    return await new Promise<number>((resolve, reject) => {
      session.on('error', reject);
      session.once('remoteSettings', () => {
        session.setLocalWindowSize(WINDOW_BYTES);
        const stream = session.request({ ':method': 'POST', ':path': path, 'content-type': 'application/grpc' });
        const startedAt = performance.now();
        let bytes = 0;
        let status: unknown;
        stream.on('data', (chunk: Buffer) => (bytes += chunk.length));
        stream.on('trailers', (trailers: IncomingHttpHeaders) => (status = trailers['grpc-status']));
        stream.on('error', reject);
        stream.on('end', () => {
          if (status === '0') resolve((bytes / (performance.now() - startedAt)) * 1_000);
          else reject(new Error(`the stream of frames ended with status ${String(status)} after ${bytes} bytes`));
        });
        stream.end(framed(message));
      });
    });
  } finally {
    session.destroy();
  }
}
