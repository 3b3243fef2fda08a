import { once } from 'node:events';
import { gzipSync } from 'node:zlib';
import {
  request as httpRequest,
  type OutgoingHttpHeaders,
  type IncomingHttpHeaders,
  type IncomingMessage,
} from 'node:http';
import type { ClientHttp2Session } from 'node:http2';
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { AuthenticateRequest, AuthServiceDefinition } from '../../../proto/gen/proto/rpc/v1/auth.ts';
import { ManualClock, systemClock } from '../../base/clock.ts';
import { silentLogger } from '../../base/logger.ts';
import { AccessControl } from './access-control.ts';
import { authService } from './auth-service.ts';
import { processInflation } from '../grpc/gzip.ts';
import { frameMessage } from '../grpc/message-assembler.ts';
import { MAX_OPEN_REQUEST_BYTES } from './open-methods.ts';
import { echoPath } from '../testing/echo-service.ts';
import { lockedPolicy } from '../testing/locked-policy.ts';
import { openSession, rawCall } from '../testing/raw-http2.ts';
import { startTestMachine, type TestMachine } from '../testing/test-machine.ts';

const AUTHENTICATE = '/proto.rpc.v1.AuthService/Authenticate';

let machine: TestMachine;
let session: ClientHttp2Session;

beforeEach(async () => {
  machine = await startTestMachine();
  const access = new AccessControl(lockedPolicy, systemClock, silentLogger, () => true);
  machine.router.addInterceptor(access.interceptor);
  machine.router.addService(AuthServiceDefinition, authService(access, new ManualClock()));
  session = await openSession(machine.port);
});

afterEach(async () => {
  session.destroy();
  await machine.listener.close(0);
});

function proof(payload: string): Buffer {
  const request = { entity: 'key-1', credentials: { type: 'api-key', payload } };
  return Buffer.from(AuthenticateRequest.encode(request).finish());
}

const bomb = frameMessage(gzipSync(Buffer.alloc(32 * 1024 * 1024)), 1);
const gzip = { 'grpc-encoding': 'gzip' };
const statusOf = async (body: Buffer, headers = {}): Promise<unknown> => {
  const answer = await rawCall(session, AUTHENTICATE, body, headers);
  return answer.headers['grpc-status'] ?? answer.trailers?.['grpc-status'];
};

async function webHeaders(path: string, body: Buffer, headers = {}): Promise<IncomingHttpHeaders> {
  const asked = httpRequest({
    host: '127.0.0.1',
    port: machine.port,
    path,
    method: 'POST',
    headers: { 'content-type': 'application/grpc-web+proto', ...headers },
  });
  asked.end(body);
  const [response] = (await once(asked, 'response')) as [IncomingMessage];
  let text = '';
  for await (const chunk of response) text += (chunk as Buffer).toString('latin1');
  return { 'grpc-status': /grpc-status: (\d+)/.exec(text)?.[1] ?? '', ...response.headers };
}

const statusOverWeb = async (body: Buffer, headers = {}): Promise<unknown> =>
  (await webHeaders(AUTHENTICATE, body, headers))['grpc-status'];

describe('a method that answers whoever asks', () => {
  it('takes a proof, compressed or not', async () => {
    expect(await statusOf(frameMessage(proof('secret-1'), 0))).toBe('0');
    expect(await statusOf(frameMessage(gzipSync(proof('secret-1')), 1), gzip)).toBe('0');
    expect(await statusOverWeb(frameMessage(proof('secret-1'), 0))).toBe('0');
    expect(await statusOverWeb(frameMessage(gzipSync(proof('secret-1')), 1), gzip)).toBe('0');
  });

  it.each([
    ['gRPC', (body: Buffer, headers?: object) => statusOf(body, headers)],
    ['gRPC-Web', (body: Buffer, headers?: object) => statusOverWeb(body, headers)],
  ])('takes a few kilobytes and no more, inflated or not: %s', async (_name, send) => {
    const large = proof('x'.repeat(MAX_OPEN_REQUEST_BYTES));
    expect(await send(frameMessage(large, 0))).toBe('8');
    expect(await send(frameMessage(gzipSync(large), 1), gzip)).toBe('8');
    const fits = proof('x'.repeat(MAX_OPEN_REQUEST_BYTES - 100));
    expect(await send(frameMessage(fits, 0))).toBe('16');
    expect(await send(frameMessage(gzipSync(fits), 1), gzip)).toBe('16');
  });

  it.each([
    [
      'gRPC',
      (headers: OutgoingHttpHeaders) => rawCall(session, echoPath('Say'), bomb, headers).then(({ headers: h }) => h),
    ],
    ['gRPC-Web', (headers: OutgoingHttpHeaders) => webHeaders(echoPath('Say'), bomb, headers)],
  ])('inflates nothing of a call that it refuses: %s', async (_name, send) => {
    const start = vi.spyOn(processInflation, 'start');
    onTestFinished(() => start.mockRestore());
    expect((await send(gzip))['grpc-status']).toBe('16');
    // What was written behind the refused call has been read when this is answered.
    expect(await statusOf(frameMessage(proof('secret-1'), 0))).toBe('0');
    expect(start).not.toHaveBeenCalled();
  });

  it('refuses a large request as soon as it is announced', async () => {
    const announced = Buffer.alloc(5);
    announced.writeUInt32BE(31 * 1024 * 1024, 1);
    const stream = session.request({
      ':method': 'POST',
      ':path': AUTHENTICATE,
      'content-type': 'application/grpc',
      te: 'trailers',
    });
    stream.write(announced);
    const [headers] = (await once(stream, 'response')) as [Record<string, string>];
    expect(headers['grpc-status']).toBe('8');
    stream.close();
  });
});
