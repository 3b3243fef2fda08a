import { request as requestHttp, type IncomingMessage } from 'node:http';
import { request as requestHttps } from 'node:https';
import { pipeline, type Duplex } from 'node:stream';
import { rootCertificates } from 'node:tls';
import { ArmatureError } from '../../base/errors.ts';
import { parseServerAddress } from '../../base/server-address.ts';
import type { ChannelRefusal } from './websocket.ts';

export interface UpgradeTarget {
  /** Address of the server that should answer: `https://10.0.0.1:8090`. */
  readonly address: string;
  /** Replace the client's headers with the same names. */
  readonly headers: Readonly<Record<string, string>>;
  /** Certificates in PEM to trust besides the usual ones. */
  readonly authority: string;
}

const ANSWER_MS = 10_000;
/** Reason of a refusal: a sentence. */
const MAX_REFUSAL_CHARACTERS = 2_000;

/**
 * Forwards a WebSocket request to another server, with everything that follows. Settles when the connection is over. If
 * it could not be established, returns a refusal, and the socket is unchanged. Never rejects.
 */
export async function forwardUpgrade(
  request: IncomingMessage,
  socket: Duplex,
  head: Buffer,
  target: UpgradeTarget,
): Promise<ChannelRefusal | undefined> {
  try {
    const answer = await ask(request, target);
    if (!('peer' in answer)) return answer;
    const { response, peer, peerHead } = answer;
    if (socket.destroyed) {
      peer.destroy();
      return undefined;
    }
    socket.write(headOf(response));
    socket.write(peerHead);
    peer.write(head);
    await Promise.all([pipe(socket, peer), pipe(peer, socket)]);
    return undefined;
  } catch (thrown) {
    const reason = thrown instanceof Error ? thrown.message : String(thrown);
    return { status: 503, message: `${target.address} does not answer: ${reason}. Try again.\n` };
  }
}

interface Accepted {
  readonly response: IncomingMessage;
  readonly peer: Duplex;
  /** Bytes received after the answer. */
  readonly peerHead: Buffer;
}

function ask(
  request: IncomingMessage,
  { address, headers, authority }: UpgradeTarget,
): Promise<Accepted | ChannelRefusal> {
  const server = parseServerAddress(address);
  if (server === undefined) throw new ArmatureError('internal.bug', `"${address}" is no address of a server.`);
  const { host, port, isEncrypted } = server;
  const options = { host, port, path: request.url, headers: { ...request.headers, ...headers }, agent: false } as const;
  return new Promise((resolve, reject) => {
    const asking = isEncrypted
      ? requestHttps({ ...options, ca: [...rootCertificates, authority] })
      : requestHttp(options);
    asking.setTimeout(ANSWER_MS, () => asking.destroy(new Error(`nothing within ${ANSWER_MS / 1_000} s`)));
    asking.on('error', reject);
    asking.on('upgrade', (response, peer, peerHead) => {
      peer.setTimeout(0);
      resolve({ response, peer, peerHead });
    });
    asking.on('response', (response) => {
      let message = '';
      response.setEncoding('utf8');
      response.on('data', (text: string) => (message = `${message}${text}`.slice(0, MAX_REFUSAL_CHARACTERS)));
      response.on('error', reject);
      response.on('end', () => resolve({ status: response.statusCode ?? 503, message }));
    });
    asking.end();
  });
}

/** The first lines of an answer, as it was received. */
function headOf({ statusCode, statusMessage, rawHeaders }: IncomingMessage): string {
  const lines = [`HTTP/1.1 ${statusCode} ${statusMessage}`];
  for (let at = 0; at < rawHeaders.length; at += 2) lines.push(`${rawHeaders[at]}: ${rawHeaders[at + 1]}`);
  return `${lines.join('\r\n')}\r\n\r\n`;
}

/** Settles when the source has ended, or when either has failed, which ends both. */
function pipe(source: Duplex, target: Duplex): Promise<void> {
  return new Promise((resolve) => pipeline(source, target, () => resolve()));
}
