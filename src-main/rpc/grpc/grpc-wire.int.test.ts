import { once } from 'node:events';
import { constants, type ClientHttp2Session } from 'node:http2';
import { connect as connectTcp } from 'node:net';
import { gzipSync } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { MAX_MESSAGE_BYTES } from '../routing/call-router.ts';
import { frameMessage } from './message-assembler.ts';
import { echo, echoPath, encodeEcho } from '../testing/echo-service.ts';
import { framedEcho, openSession, rawCall, say } from '../testing/raw-http2.ts';
import { startTestMachine, WAIT, type TestMachine } from '../testing/test-machine.ts';

let machine: TestMachine;
/** A well-behaved caller, served whatever others do. */
let bystander: ClientHttp2Session;

beforeEach(async () => {
  machine = await startTestMachine();
  bystander = await openSession(machine.port);
});

afterEach(async () => {
  bystander.destroy();
  await machine.listener.close(0);
});

describe('the wire', () => {
  it('answers errors without a message by trailers alone', async () => {
    const session = await openSession(machine.port);
    const answer = await rawCall(session, echoPath('Say'), framedEcho(echo('nobody')));
    expect(answer.headers).toMatchObject({ ':status': 200, 'content-type': 'application/grpc', 'grpc-status': '5' });
    expect([answer.trailers, answer.body.length]).toEqual([undefined, 0]);
    session.destroy();
  });

  it('takes both spellings of a path', async () => {
    const session = await openSession(machine.port);
    const entered = machine.resource.nextCall();
    const answer = await rawCall(session, '/viam.test.v1.EchoService/Say', framedEcho(echo('left', 4)));
    expect(answer.messages).toEqual([echo('left', 4)]);
    const call = await entered;
    expect([call.dialect, call.method.path]).toEqual(['viam', '/core.test.v1.EchoService/Say']);
    session.destroy();
  });

  it('takes a message in pieces of one byte', async () => {
    const session = await openSession(machine.port);
    const stream = session.request({
      ':method': 'POST',
      ':path': echoPath('Say'),
      'content-type': 'application/grpc+proto',
    });
    const data = once(stream, 'data');
    for (const byte of framedEcho(echo('left', 4))) {
      await new Promise((resolve) => stream.write(Buffer.from([byte]), resolve));
    }
    stream.end();
    const [bytes] = (await data) as [Buffer];
    expect(bytes.subarray(5)).toEqual(Buffer.from(encodeEcho(echo('left', 4))));
    session.destroy();
  });

  it('refuses what is no gRPC request with a status of HTTP', async () => {
    const session = await openSession(machine.port);
    const statusOf = async (headers: object): Promise<unknown> =>
      (await rawCall(session, echoPath('Say'), [], { ...headers })).headers[':status'];
    expect(await statusOf({ ':method': 'PUT' })).toBe(405);
    expect(await statusOf({ te: 'gzip' }).catch(() => 400)).toBe(400);
    expect(await statusOf({ 'content-type': 'application/grpc+json' })).toBe(415);
    session.destroy();
  });

  it('names the encodings it reads when another comes', async () => {
    const session = await openSession(machine.port);
    const answer = await rawCall(session, echoPath('Say'), framedEcho(echo('left')), { 'grpc-encoding': 'snappy' });
    expect(answer.headers).toMatchObject({ 'grpc-status': '12', 'grpc-accept-encoding': 'identity,gzip' });
    session.destroy();
  });

  it('refuses a message that inflates beyond the limit, and bytes that do not inflate', async () => {
    const session = await openSession(machine.port);
    const bomb = frameMessage(gzipSync(Buffer.alloc(MAX_MESSAGE_BYTES + 1)), 1);
    const statusOf = async (body: Uint8Array, encoding: object): Promise<unknown> =>
      (await rawCall(session, echoPath('Say'), body, { ...encoding })).headers['grpc-status'];
    expect(await statusOf(bomb, { 'grpc-encoding': 'gzip' })).toBe('8');
    expect(await statusOf(frameMessage(Buffer.from('no gzip'), 1), { 'grpc-encoding': 'gzip' })).toBe('3');
    expect(await statusOf(frameMessage(gzipSync('x'), 1), {})).toBe('3');
    session.destroy();
  });

  it('refuses messages that end early, come twice, or are not protobuf', async () => {
    const session = await openSession(machine.port);
    const answer = async (body: Uint8Array | Uint8Array[], method = 'Say'): Promise<unknown> => {
      const { headers, trailers } = await rawCall(session, echoPath(method), body);
      return headers['grpc-status'] ?? trailers?.['grpc-status'];
    };
    const whole = framedEcho(echo('left', WAIT));
    expect(await answer(whole.subarray(0, whole.length - 2))).toBe('3');
    expect(await answer([whole, whole])).toBe('3');
    expect(await answer([])).toBe('3');
    expect(await answer(frameMessage(Buffer.from([0x0a, 0x7f, 0x01]), 0))).toBe('3');
    expect(await answer([], 'Collect')).toBe('3');
    session.destroy();
  });

  it('refuses a malformed timeout and obeys every unit', async () => {
    const session = await openSession(machine.port);
    const statusOf = async (timeout: string): Promise<unknown> =>
      (await rawCall(session, echoPath('Say'), framedEcho(echo('left', WAIT)), { 'grpc-timeout': timeout })).headers[
        'grpc-status'
      ];
    expect(await statusOf('soon')).toBe('3');
    for (const timeout of ['50m', '50000u', '50000000n', '0S']) expect(await statusOf(timeout)).toBe('4');
    session.destroy();
  });

  it('tells a caller that was answered early to stop sending', async () => {
    const session = await openSession(machine.port);
    const stream = session.request({
      ':method': 'POST',
      ':path': echoPath('Collect'),
      'content-type': 'application/grpc',
    });
    stream.write(framedEcho(echo('nobody')));
    await once(stream.resume(), 'close');
    expect(stream.rstCode).toBe(constants.NGHTTP2_NO_ERROR);
    session.destroy();
  });

  it('a caller that never reads makes its stream wait, and its memory stays bounded', async () => {
    const session = await openSession(machine.port);
    const entered = machine.resource.nextCall();
    const stream = session.request({
      ':method': 'POST',
      ':path': echoPath('Repeat'),
      'content-type': 'application/grpc',
    });
    stream.on('error', () => undefined);
    stream.end(framedEcho(echo('left', 100_000, new Uint8Array(100_000))));
    const before = process.memoryUsage.rss();
    await entered;
    // Other callers are served meanwhile, for long enough to fill memory if nothing held the stream back.
    for (let index = 0; index < 300; index++) await say(bystander, echo('left', index));
    expect(process.memoryUsage.rss() - before).toBeLessThan(200 * 1024 * 1024);
    session.destroy();
    await expect.poll(() => machine.router.inFlight).toBe(0);
  });

  it('a caller that leaves its answers lying is refused more calls, others are served', async () => {
    const session = await openSession(machine.port);
    const payload = new Uint8Array(2 * 1024 * 1024);
    const statuses: unknown[] = [];
    for (let index = 0; index < 60; index++) {
      const stream = session.request({
        ':method': 'POST',
        ':path': echoPath('Say'),
        'content-type': 'application/grpc',
      });
      stream.on('error', () => undefined);
      const response = once(stream, 'response') as Promise<[Record<string, unknown>]>;
      stream.end(framedEcho(echo('left', index, payload)));
      const [headers] = await response;
      statuses.push(headers['grpc-status']);
      if (statuses.at(-1) !== undefined) break;
    }
    expect(statuses.at(-1)).toBe('8');
    expect(statuses.length).toBeLessThan(60);
    expect(await say(bystander, echo('left', 2))).toEqual(echo('left', 2));
    session.destroy();
  });

  it('unfinished requests of one connection together are bounded, others are served', async () => {
    const session = await openSession(machine.port);
    const prefix = Buffer.from([0, 0x01, 0xff, 0xff, 0xff]);
    const chunk = Buffer.alloc(64 * 1024);
    const statuses: unknown[] = [];
    const streams = Array.from({ length: 6 }, () => {
      const stream = session.request({
        ':method': 'POST',
        ':path': echoPath('Say'),
        'content-type': 'application/grpc',
      });
      stream.on('error', () => undefined);
      stream.on('response', (headers) => statuses.push(headers['grpc-status']));
      stream.write(prefix);
      let chunks = 0;
      const sendOn = (): void => {
        while (chunks++ < 480) if (!stream.write(chunk)) return;
      };
      stream.on('drain', sendOn);
      sendOn();
      return stream;
    });
    await expect.poll(() => statuses.length, { timeout: 20_000 }).toBeGreaterThan(0);
    expect(new Set(statuses)).toEqual(new Set(['8']));
    expect(await say(bystander, echo('left', 2))).toEqual(echo('left', 2));
    // What a call held is given back when it ends.
    for (const stream of streams) stream.close(constants.NGHTTP2_CANCEL);
    await expect.poll(() => machine.router.inFlight).toBe(0);
    expect(await say(session, echo('left', 3, new Uint8Array(20 * 1024 * 1024)))).toMatchObject({ count: 3 });
    session.destroy();
  });

  it('an error about a very long path still fits the headers that clients take', async () => {
    const session = await openSession(machine.port);
    // Whoever was not let in yet may send less.
    const isRaised = once(session, 'remoteSettings');
    await rawCall(session, echoPath('Say'), framedEcho(echo('left')));
    await isRaised;
    const answer = await rawCall(session, `/${'x'.repeat(30_000)}/Say`, framedEcho(echo('left')));
    expect(answer.headers['grpc-status']).toBe('12');
    const size = Object.entries(answer.headers).reduce(
      (sum, [key, value]) => sum + key.length + String(value).length + 32,
      0,
    );
    expect(size).toBeLessThan(8 * 1024);
    session.destroy();
  });

  it('a sender is held back by a handler that does not read', async () => {
    const session = await openSession(machine.port);
    const stream = session.request({
      ':method': 'POST',
      ':path': echoPath('Chat'),
      'content-type': 'application/grpc',
    });
    stream.on('error', () => undefined);
    // The answers are not read either, so the handler comes to a stop.
    const frame = framedEcho(echo('left', 1, new Uint8Array(64 * 1024)));
    let written = 0;
    while (written < 200 && stream.write(frame)) written++;
    let sent = written;
    stream.on('drain', () => {
      for (; sent < 1_000; sent++) if (!stream.write(frame)) return;
    });
    for (let index = 0; index < 100; index++) await say(bystander, echo('left', index));
    expect(sent).toBeLessThan(1_000);
    session.destroy();
  });

  it('survives garbage on the port and in a session', async () => {
    const garbage = connectTcp(machine.port, '127.0.0.1');
    garbage.write('\x16\x03\x01 nothing anybody speaks\r\n\r\n');
    const [answer] = (await once(garbage, 'data')) as [Buffer];
    expect(answer.toString()).toMatch(/^HTTP\/1\.1 400 .*gRPC, gRPC-Web, HTTP and WebSocket/s);
    const broken = connectTcp(machine.port, '127.0.0.1');
    broken.on('error', () => undefined);
    broken.write('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n');
    broken.write(Buffer.alloc(1000, 0xee));
    await once(broken.resume(), 'close');
    expect(await say(bystander, echo('left', 2))).toEqual(echo('left', 2));
  });

  it('cuts off a caller that opens and resets streams without end', async () => {
    const session = await openSession(machine.port);
    session.on('error', () => undefined);
    const goneAway = new Promise((resolve) => session.once('close', resolve));
    const flood = setInterval(() => {
      if (session.destroyed || session.closed) return;
      for (let index = 0; index < 500; index++) {
        const stream = session.request({
          ':method': 'POST',
          ':path': echoPath('Chat'),
          'content-type': 'application/grpc',
        });
        stream.on('error', () => undefined);
        stream.close(constants.NGHTTP2_CANCEL);
      }
    }, 5);
    await goneAway;
    clearInterval(flood);
    expect(await say(bystander, echo('left', 2))).toEqual(echo('left', 2));
  });

  it('refuses headers of more than 64 KiB', async () => {
    const session = await openSession(machine.port);
    const refused = await rawCall(session, echoPath('Say'), framedEcho(echo('left')), {
      'x-long': 'x'.repeat(70_000),
    }).catch((error: unknown) => error);
    expect(refused).toBeInstanceOf(Error);
    expect(await say(bystander, echo('left', 2))).toEqual(echo('left', 2));
    session.destroy();
  });
});
