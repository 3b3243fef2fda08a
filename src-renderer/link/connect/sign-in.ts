import { AuthenticateRequest, AuthenticateResponse } from '../../../proto/gen/proto/rpc/v1/auth.ts';
import { StatusCode } from '../../../proto/status-code.ts';
import { RpcError } from '../rpc-error.ts';

const path = '/proto.rpc.v1.AuthService/Authenticate';
const TIMEOUT_MS = 15_000;
const headBytes = 5;
/** Marks a frame that carries trailers instead of a message. */
const trailersFlag = 0x80;

/**
 * Exchanges an API key for an access token, before there is a channel, with one
 * gRPC-Web call. The secret is in the body of the request and nowhere else.
 * @throws {RpcError} UNAUTHENTICATED for a wrong key, RESOURCE_EXHAUSTED after too many attempts,
 * UNAVAILABLE if the hub does not answer
 */
export async function signIn(pageUrl: string, keyId: string, secret: string): Promise<string> {
  const message = AuthenticateRequest.encode({
    entity: keyId,
    credentials: { type: 'api-key', payload: secret },
  }).finish();
  const body = new Uint8Array(headBytes + message.length);
  new DataView(body.buffer).setUint32(1, message.length);
  body.set(message, headBytes);
  let response: Response;
  try {
    response = await fetch(new URL(path, pageUrl), {
      method: 'POST',
      headers: { 'content-type': 'application/grpc-web+proto', 'x-grpc-web': '1' },
      body,
      cache: 'no-store',
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
  } catch {
    throw new RpcError(StatusCode.UNAVAILABLE, 'the hub does not answer');
  }
  const { answer, trailers } = readFrames(new Uint8Array(await response.arrayBuffer()));
  const headerOrTrailer = (name: string): string | null => response.headers.get(name) ?? trailers.get(name) ?? null;
  const status = headerOrTrailer('grpc-status');
  if (status === null) throw new RpcError(StatusCode.UNAVAILABLE, `the hub answered with HTTP ${response.status}`);
  if (Number(status) !== Number(StatusCode.OK)) {
    throw new RpcError(Number(status), decodeURIComponent(headerOrTrailer('grpc-message') ?? ''));
  }
  if (answer === undefined) throw new RpcError(StatusCode.INTERNAL, 'the hub answered without a token');
  return AuthenticateResponse.decode(answer).accessToken;
}

interface Frames {
  readonly answer: Uint8Array | undefined;
  /** Keys are lower case. */
  readonly trailers: ReadonlyMap<string, string>;
}

/** Parses the body of a gRPC-Web answer; an incomplete frame is left out. */
export function readFrames(body: Uint8Array): Frames {
  let answer: Uint8Array | undefined;
  const trailers = new Map<string, string>();
  for (let at = 0; at + headBytes <= body.length;) {
    const length = new DataView(body.buffer, body.byteOffset + at).getUint32(1);
    const isTrailers = ((body[at] ?? 0) & trailersFlag) !== 0;
    const content = body.subarray(at + headBytes, at + headBytes + length);
    at += headBytes + length;
    if (content.length < length) break;
    if (!isTrailers) answer = content;
    else {
      for (const line of new TextDecoder().decode(content).split('\r\n')) {
        const colon = line.indexOf(':');
        if (colon > 0) trailers.set(line.slice(0, colon).trim().toLowerCase(), line.slice(colon + 1).trim());
      }
    }
  }
  return { answer, trailers };
}
