import { once } from 'node:events';
import { connect, constants, type ClientHttp2Session, type ClientHttp2Stream } from 'node:http2';
import { connect as connectTcp, type Socket } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { HealthDefinition } from '../../proto/gen/grpc/health/v1/health.ts';
import { systemClock } from '../base/clock.ts';
import { silentLogger } from '../base/logger.ts';
import { AccessControl } from './access/access-control.ts';
import { MACHINE_LIMITS } from './port/connection-limits.ts';
import { healthService } from './health.ts';
import { inFlightLimitInterceptor } from './interceptors/in-flight-limit.ts';
import { MAX_OPEN_CALLS, MAX_REFUSALS, MAX_UNPROVEN_REQUESTS } from './limited-connection.ts';
import { frameMessage } from './grpc/message-assembler.ts';
import { echo, echoPath } from './testing/echo-service.ts';
import { lockedPolicy } from './testing/locked-policy.ts';
import { framedEcho, openSession, rawCall } from './testing/raw-http2.ts';
import { startTestMachine, type TestMachine } from './testing/test-machine.ts';

const CHECK = '/grpc.health.v1.Health/Check';
const WATCH = '/grpc.health.v1.Health/Watch';
const nothing = frameMessage(Buffer.alloc(0), 0);

let machine: TestMachine;
let access: AccessControl;
const sockets: Socket[] = [];
const sessions: ClientHttp2Session[] = [];

beforeEach(async () => {
  machine = await startTestMachine({
    connectionLimits: { ...MACHINE_LIMITS, total: 40, unproven: 20, unprovenPerAddress: 12 },
  });
  access = new AccessControl(lockedPolicy, systemClock, silentLogger, () => true);
  machine.router.addInterceptor(access.interceptor);
  machine.router.addInterceptor(inFlightLimitInterceptor(100));
  machine.router.addService(
    HealthDefinition,
    healthService(machine.router, { isReady: true, onChange: () => () => undefined }),
  );
});

afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy();
  for (const session of sessions.splice(0)) session.destroy();
  await machine.listener.close(0);
});

async function open(): Promise<ClientHttp2Session> {
  const session = await openSession(machine.port);
  session.on('error', () => undefined);
  sessions.push(session);
  return session;
}

async function silent(): Promise<Socket> {
  const socket = connectTcp(machine.port, '127.0.0.1');
  socket.on('error', () => undefined);
  sockets.push(socket);
  await once(socket, 'connect');
  return socket;
}

const token = { authorization: 'Bearer launch' };
const sayWith = async (session: ClientHttp2Session, headers = {}): Promise<unknown> => {
  const answer = await rawCall(session, echoPath('Say'), framedEcho(echo('left')), headers);
  return answer.headers['grpc-status'] ?? answer.trailers?.['grpc-status'];
};

function closed(it: Socket | ClientHttp2Session | ClientHttp2Stream): Promise<void> {
  return new Promise((resolve) => void it.once('close', () => resolve()));
}

function startOf(session: ClientHttp2Session, path: string, headers = {}): ClientHttp2Stream {
  const stream = session.request(
    { ':method': 'POST', ':path': path, 'content-type': 'application/grpc', te: 'trailers', ...headers },
    { endStream: false },
  );
  stream.on('error', () => undefined);
  return stream;
}

/** Headers of so many bytes in all, none of them long. */
function headersOf(bytes: number): Record<string, string> {
  return Object.fromEntries(Array.from({ length: 10 }, (_, index) => [`x-${index}`, 'a'.repeat(bytes / 10 - 40)]));
}

/** The status of a check of health. */
async function check(session: ClientHttp2Session): Promise<unknown> {
  const stream = startOf(session, CHECK);
  let status: unknown;
  const onHeaders = (headers: Record<string, unknown>): void => void (status = headers['grpc-status'] ?? status);
  stream.on('response', onHeaders).on('trailers', onHeaders).resume().end(nothing);
  await once(stream, 'close');
  return status;
}

function watch(session: ClientHttp2Session, headers = {}): ClientHttp2Stream {
  const stream = startOf(session, WATCH, headers).resume();
  stream.write(nothing);
  return stream;
}

async function statusOfWatch(session: ClientHttp2Session): Promise<unknown> {
  const stream = watch(session);
  const [headers] = (await once(stream, 'response')) as [Record<string, string>];
  return headers['grpc-status'];
}

describe('connections that have proved nothing', () => {
  it('do not keep the owner out however many there are, and do not end what the owner has', async () => {
    const owner = await open();
    expect(await sayWith(owner, token)).toBe('0');
    for (let count = 0; count < 60; count++) await silent();
    expect(machine.listener.connections).toBeLessThanOrEqual(13);
    const again = await open();
    expect(await sayWith(again, token)).toBe('0');
    expect(await sayWith(owner, token)).toBe('0');
  });

  it('are those whose calls were refused, or anybody may make', async () => {
    const refused = await open();
    expect(await sayWith(refused)).toBe('16');
    const asking = await open();
    expect(await check(asking)).toBe('0');
    const bothClosed = Promise.all([closed(refused), closed(asking)]);
    for (let count = 0; count < 12; count++) await silent();
    await bothClosed;
  });

  it('without an auth block: are not those that made a call, until places are short and they do nothing', async () => {
    access.setPolicy({ ...lockedPolicy, authEnabled: false, apiKeys: [] });
    const first = await open();
    expect(await sayWith(first)).toBe('0');
    for (let count = 0; count < 20; count++) await silent();
    expect(await sayWith(first)).toBe('0');
    const calling: ClientHttp2Session[] = [];
    for (let count = 0; count < 39; count++) {
      const session = await open();
      expect(await sayWith(session)).toBe('0');
      calling.push(session);
    }
    expect(await sayWith(first)).toBe('0');
    const isGone = closed(calling[0] as ClientHttp2Session);
    const owner = await open();
    await isGone;
    expect(await sayWith(owner)).toBe('0');
    expect([first, ...calling.slice(1)].filter(({ destroyed }) => destroyed)).toEqual([]);
  });

  it('are closed when they go on making calls that are refused', async () => {
    const session = await open();
    const isClosed = closed(session);
    for (let count = 1; count < MAX_REFUSALS; count++) expect(await sayWith(session)).toBe('16');
    void sayWith(session).catch(() => undefined);
    await isClosed;
    expect(await sayWith(await open(), token)).toBe('0');
  });
});

describe('calls that anybody may make', () => {
  it('are few on one connection, and leave room for those of others', async () => {
    const greedy = await open();
    for (let count = 0; count < MAX_OPEN_CALLS; count++) expect(await statusOfWatch(greedy)).toBeUndefined();
    expect(await statusOfWatch(greedy)).toBe('8');
    expect(await check(greedy)).toBe('8');
    for (let count = 0; count < 8; count++) {
      const other = await open();
      for (let more = 0; more < MAX_OPEN_CALLS; more++) expect(await statusOfWatch(other)).toBeUndefined();
    }
    expect(await check(await open())).toBe('0');
  });

  it('give their place back when they end', async () => {
    const session = await open();
    const streams = Array.from({ length: MAX_OPEN_CALLS }, () => watch(session));
    await Promise.all(streams.map((stream) => once(stream, 'response')));
    for (const stream of streams) stream.close(constants.NGHTTP2_CANCEL);
    await Promise.all(streams.map((stream) => once(stream, 'close')));
    await expect.poll(() => check(session)).toBe('0');
  });
});

describe('what a connection may have under way', () => {
  it('is little before it has proved something, and as ever then', async () => {
    const session = await open();
    expect(session.remoteSettings.maxConcurrentStreams).toBe(MAX_UNPROVEN_REQUESTS);
    const raised = once(session, 'remoteSettings');
    expect(await sayWith(session, token)).toBe('0');
    await raised;
    expect(session.remoteSettings.maxConcurrentStreams).toBe(1_000);
    expect(session.state.remoteWindowSize).toBeGreaterThan(900_000);
  });

  it('headers: refuses beyond 64 KiB of those that are held', async () => {
    const session = await open();
    const held = Array.from({ length: 8 }, () => watch(session, headersOf(7_800)));
    await Promise.all(held.map((stream) => once(stream, 'response')));
    const [headers] = (await once(watch(session, headersOf(7_800)), 'response')) as [Record<string, string>];
    expect(headers['grpc-status']).toBe('8');
    expect(await check(session)).toBe('0');
  });

  it('headers of one request: more than 8 KiB are refused, until something is proved', async () => {
    const session = await open();
    const large = watch(session, headersOf(10_000));
    await closed(large);
    expect(large.rstCode).toBe(constants.NGHTTP2_ENHANCE_YOUR_CALM);
    const raised = once(session, 'remoteSettings');
    expect(await sayWith(session, token)).toBe('0');
    await raised;
    expect(await sayWith(session, { ...token, ...headersOf(60_000) })).toBe('0');
  });

  it('headers of one request, sent before the limit was confirmed: closes the connection', async () => {
    const session = connect(`http://127.0.0.1:${machine.port}`);
    sessions.push(session.on('error', () => undefined));
    const isClosed = closed(session);
    watch(session, headersOf(10_000));
    await isClosed;
    expect(await sayWith(await open(), token)).toBe('0');
  });

  it('requests that are sent at once over HTTP/1.1: closes a connection that sends many', async () => {
    const socket = await silent();
    const isClosed = closed(socket);
    socket.resume().write('GET / HTTP/1.1\r\nhost: localhost\r\n\r\n'.repeat(2_000));
    await isClosed;
    const modest = await silent();
    let answers = '';
    modest.on('data', (chunk: Buffer) => (answers += chunk.toString('latin1')));
    modest.write('GET / HTTP/1.1\r\nhost: localhost\r\n\r\n'.repeat(10));
    await expect.poll(() => answers.split('the page\n').length - 1).toBe(10);
  });
});
