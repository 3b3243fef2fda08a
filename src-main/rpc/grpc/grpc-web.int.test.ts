import { once } from 'node:events';
import { request as httpRequest, type IncomingHttpHeaders, type IncomingMessage } from 'node:http';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { frameMessage, MessageAssembler, type FramedMessage } from './message-assembler.ts';
import { echo, echoPath, echoType, encodeEcho, type Echo } from '../testing/echo-service.ts';
import { framedEcho, openSession, rawCall } from '../testing/raw-http2.ts';
import { cancelled, FAIL, startTestMachine, WAIT, type TestMachine } from '../testing/test-machine.ts';

let machine: TestMachine;

beforeEach(async () => {
  machine = await startTestMachine({
    webAccess: {
      checkRequest: ({ headers }) => {
        if (headers.origin === 'http://evil.example') return { ok: false, status: 403, message: 'not you\n' };
        return headers.origin === undefined ? { ok: true } : { ok: true, corsOrigin: headers.origin };
      },
    },
  });
});

afterEach(() => machine.listener.close(0));

interface WebAnswer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly messages: readonly Echo[];
  readonly trailers: string | undefined;
}

function open(method: string, path: string, headers: object): ReturnType<typeof httpRequest> {
  return httpRequest({ host: '127.0.0.1', port: machine.port, method, path, headers: { ...headers } });
}

function split(body: Buffer): Pick<WebAnswer, 'messages' | 'trailers'> {
  const assembler = new MessageAssembler(64 * 1024 * 1024);
  assembler.push(body);
  const frames: FramedMessage[] = [];
  for (let next = assembler.next(); next !== undefined; next = assembler.next()) frames.push(next);
  const last = frames.at(-1);
  return {
    messages: frames.filter((frame) => frame.flags === 0).map((frame) => echoType.decode(frame.bytes)),
    trailers: last?.flags === 0x80 ? last.bytes.toString() : undefined,
  };
}

async function call(method: string, message: Echo, headers: object = {}): Promise<WebAnswer> {
  const request = open('POST', echoPath(method), { 'content-type': 'application/grpc-web+proto', ...headers });
  request.end(framedEcho(message));
  const [response] = (await once(request, 'response')) as [IncomingMessage];
  const chunks: Buffer[] = [];
  for await (const chunk of response) chunks.push(chunk as Buffer);
  return {
    status: response.statusCode ?? 0,
    headers: response.headers,
    ...(response.statusCode === 200 ? split(Buffer.concat(chunks)) : { messages: [], trailers: undefined }),
  };
}

describe('gRPC-Web', () => {
  it('answers a unary call with a message and a frame of trailers', async () => {
    const answer = await call('Say', echo('left', 5), { 'x-mark': 'here', 'x-mark-bin': 'AAEC' });
    expect(answer).toMatchObject({
      status: 200,
      headers: { 'content-type': 'application/grpc-web+proto', 'x-mark': 'here' },
      messages: [echo('left', 5)],
      trailers: 'grpc-status: 0\r\nx-mark-bin: AAEC\r\n',
    });
  });

  it('answers a stream', async () => {
    const answer = await call('Repeat', echo('left', 3));
    expect(answer.messages.map((message) => message.count)).toEqual([0, 1, 2]);
    expect(answer.trailers).toBe('grpc-status: 0\r\n');
  });

  it('answers an error by headers alone, or by trailers after messages', async () => {
    const early = await call('Say', echo('nobody'));
    expect(early).toMatchObject({ status: 200, headers: { 'grpc-status': '5' }, messages: [], trailers: undefined });
    const late = await call('Repeat', echo('left', FAIL));
    expect(late.messages).toHaveLength(FAIL);
    expect(late.trailers).toContain('grpc-status: 13\r\ngrpc-message: The wire broke.\r\n');
  });

  it('obeys grpc-timeout', async () => {
    expect((await call('Say', echo('left', WAIT), { 'grpc-timeout': '50m' })).headers['grpc-status']).toBe('4');
    expect((await call('Say', echo('left', WAIT), { 'grpc-timeout': 'x' })).headers['grpc-status']).toBe('3');
  });

  it('speaks base64 where the caller does', async () => {
    const request = open('POST', echoPath('Say'), { 'content-type': 'application/grpc-web-text' });
    const text = framedEcho(echo('left', 6)).toString('base64');
    request.write(text.slice(0, 3));
    request.end(text.slice(3));
    const [response] = (await once(request, 'response')) as [IncomingMessage];
    let body = '';
    for await (const chunk of response) body += String(chunk);
    expect(response.headers['content-type']).toBe('application/grpc-web-text+proto');
    // Each frame is padded by itself.
    const bytes = Buffer.concat((body.match(/[^=]+=*/g) ?? []).map((part) => Buffer.from(part, 'base64')));
    expect(split(bytes).messages).toEqual([echo('left', 6)]);
  });

  it('ends the call when the page goes away', async () => {
    const entered = machine.resource.nextCall();
    const request = open('POST', echoPath('Repeat'), { 'content-type': 'application/grpc-web' });
    request.on('error', () => undefined);
    request.end(framedEcho(echo('left', WAIT)));
    const handled = await entered;
    expect(handled.connection).toMatchObject({ transport: 'grpc-web', outlivesCalls: false, isLoopback: true });
    const closed = new Promise<void>((resolve) => handled.connection.onClose(resolve));
    request.destroy();
    await cancelled(handled);
    await closed;
    await expect.poll(() => machine.router.inFlight).toBe(0);
  });

  it('lets an allowed origin read everything that is sent', async () => {
    const { headers } = await call('Say', echo('left'), { origin: 'http://own.example', 'x-mark': 'here' });
    expect(headers).toMatchObject({ 'access-control-allow-origin': 'http://own.example', vary: 'origin' });
    expect(headers['access-control-expose-headers']?.split(', ')).toEqual(['grpc-status', 'grpc-message', 'x-mark']);
    expect((await call('Say', echo('left'))).headers['access-control-allow-origin']).toBeUndefined();
  });

  it('refuses another origin before the call', async () => {
    const answer = await call('Say', echo('left'), { origin: 'http://evil.example' });
    expect(answer.status).toBe(403);
    expect(machine.resource.calls).toHaveLength(0);
  });

  it('answers a preflight', async () => {
    const request = open('OPTIONS', echoPath('Say'), {
      origin: 'http://own.example',
      'access-control-request-method': 'POST',
      'access-control-request-headers': 'authorization,viam_client,x-anything',
    });
    request.end();
    const [response] = (await once(request, 'response')) as [IncomingMessage];
    expect(response.statusCode).toBe(204);
    expect(response.headers).toMatchObject({
      'access-control-allow-origin': 'http://own.example',
      'access-control-allow-headers': 'authorization,viam_client,x-anything',
    });
    response.resume();
  });

  it('works over HTTP/2 too, on the connection of its session', async () => {
    const session = await openSession(machine.port);
    const entered = machine.resource.nextCall();
    const answer = await rawCall(session, echoPath('Say'), framedEcho(echo('left', 8)), {
      'content-type': 'application/grpc-web+proto',
      te: undefined,
    });
    const handled = await entered;
    expect(handled.connection).toMatchObject({ transport: 'grpc-web', outlivesCalls: true, isClosed: false });
    expect(split(answer.body)).toEqual({ messages: [echo('left', 8)], trailers: 'grpc-status: 0\r\n' });
    session.destroy();
  });

  it('refuses a message that ends early', async () => {
    const request = open('POST', echoPath('Say'), { 'content-type': 'application/grpc-web' });
    request.end(frameMessage(encodeEcho(echo('left')), 0).subarray(0, 7));
    const [response] = (await once(request, 'response')) as [IncomingMessage];
    expect(response.headers['grpc-status']).toBe('3');
    response.resume();
  });
});
