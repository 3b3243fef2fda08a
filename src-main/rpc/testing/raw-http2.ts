import {
  connect,
  type ClientHttp2Session,
  type IncomingHttpHeaders,
  type OutgoingHttpHeaders,
  type SecureClientSessionOptions,
} from 'node:http2';
import { once } from 'node:events';
import { frameMessage, MessageAssembler } from '../grpc/message-assembler.ts';
import { echoPath, echoType, type Echo } from './echo-service.ts';

export interface RawAnswer {
  readonly headers: IncomingHttpHeaders;
  readonly trailers: IncomingHttpHeaders | undefined;
  readonly messages: readonly Echo[];
  readonly body: Buffer;
}

/** @param tls given: the session is encrypted, with whatever certificate the server shows */
export async function openSession(port: number, tls?: SecureClientSessionOptions): Promise<ClientHttp2Session> {
  const session =
    tls === undefined ? connect(`http://127.0.0.1:${port}`) : connect(`https://127.0.0.1:${port}`, { ...tls });
  await once(session, 'remoteSettings');
  return session;
}

/** Sends one request with exactly these headers and this body, and reads the whole answer. */
export function rawCall(
  session: ClientHttp2Session,
  path: string,
  body: Uint8Array | readonly Uint8Array[],
  headers: OutgoingHttpHeaders = {},
): Promise<RawAnswer> {
  const stream = session.request({
    ':method': 'POST',
    ':path': path,
    'content-type': 'application/grpc',
    te: 'trailers',
    ...headers,
  });
  return new Promise((resolve, reject) => {
    let head: IncomingHttpHeaders = {};
    let trailers: IncomingHttpHeaders | undefined;
    const chunks: Buffer[] = [];
    stream.on('response', (answer: IncomingHttpHeaders) => (head = answer));
    stream.on('trailers', (answer: IncomingHttpHeaders) => (trailers = answer));
    stream.on('data', (chunk: Buffer) => chunks.push(chunk));
    stream.on('error', reject);
    stream.on('close', () => {
      const all = Buffer.concat(chunks);
      resolve({
        headers: head,
        trailers,
        messages: head['content-type'] === 'application/grpc' ? decodeAll(all) : [],
        body: all,
      });
    });
    for (const part of Array.isArray(body) ? (body as Uint8Array[]) : [body as Uint8Array]) stream.write(part);
    stream.end();
  });
}

function decodeAll(bytes: Buffer): Echo[] {
  const assembler = new MessageAssembler(64 * 1024 * 1024);
  assembler.push(bytes);
  const messages: Echo[] = [];
  for (let next = assembler.next(); next?.flags === 0; next = assembler.next())
    messages.push(echoType.decode(next.bytes));
  return messages;
}

/** An encoded request in its gRPC frame. */
export function framedEcho(message: Echo): Buffer {
  return frameMessage(echoType.encode(message).finish(), 0);
}

/** One unary call of the test service. */
export async function say(session: ClientHttp2Session, message: Echo): Promise<Echo | undefined> {
  const answer = await rawCall(session, echoPath('Say'), framedEcho(message));
  return answer.messages[0];
}
