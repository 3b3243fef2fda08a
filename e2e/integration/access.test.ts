import { spawnSync } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { status } from '@grpc/grpc-js';
import { afterEach, describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { MotorServiceDefinition } from '../../proto/gen/core/component/motor/v1/motor.ts';
import { HealthDefinition } from '../../proto/gen/grpc/health/v1/health.ts';
import { authenticate, key, keyId, withApiKey } from '../harness/api-key.ts';
import { GrpcClient } from '../harness/grpc-client.ts';
import { MachineClient } from '../harness/machine-client.ts';
import { benchConfig, startServer, type ServerOptions, type ServerProcess } from '../harness/server-process.ts';
import { until } from '../harness/until.ts';
import { webCall, webRequest, type WebAnswer } from '../harness/web-call.ts';

const bench = await readFile(benchConfig, 'utf8');
const running: ServerProcess[] = [];

async function serve(options: Partial<ServerOptions> = {}): Promise<ServerProcess> {
  const server = await startServer({ config: bench, ...options });
  running.push(server);
  return server;
}

afterEach(async () => {
  for (const server of running.splice(0)) expect(await server.stop()).toBe(0);
});

function isMovingOverWeb(server: ServerProcess, headers: Readonly<Record<string, string>> = {}): Promise<WebAnswer> {
  return webCall(server.url, MotorServiceDefinition, 'isMoving', { name: 'left' }, headers);
}

/** HTTP status of a WebSocket upgrade: 101, or the status of its rejection. */
function upgrade(
  server: ServerProcess,
  token: string | undefined,
  headers: Record<string, string> = {},
): Promise<number> {
  const protocols = token === undefined ? ['armature.v1'] : ['armature.v1', `armature.token.${token}`];
  const socket = new WebSocket(`${server.url.replace('http', 'ws')}/channel`, protocols, { headers });
  return new Promise((resolve) => {
    socket.on('open', () => {
      socket.terminate();
      resolve(101);
    });
    socket.on('unexpected-response', (request, response) => {
      request.destroy();
      resolve(response.statusCode ?? 0);
    });
    socket.on('error', () => undefined);
  });
}

describe('without an auth block', () => {
  it('native gRPC from this computer is open, and AuthService is Unimplemented', async () => {
    const server = await serve();
    const client = new MachineClient(server.url);
    expect(await client.isMoving('left')).toBe(false);
    await expect(authenticate(client.grpc)).rejects.toMatchObject({ code: status.UNIMPLEMENTED });
    client.close();
  });

  it('gRPC with the marks of a browser is not', async () => {
    const server = await serve();
    const client = new MachineClient(server.url, { origin: 'http://elsewhere.test' });
    await expect(client.isMoving('left')).rejects.toMatchObject({ code: status.UNAUTHENTICATED });
    client.close();
  });

  it('gRPC-Web needs the launch token as Bearer', async () => {
    const server = await serve();
    expect((await isMovingOverWeb(server)).grpcStatus).toBe(status.UNAUTHENTICATED);
    for (const authorization of ['Bearer wrong', 'Bearer ', server.token]) {
      expect((await isMovingOverWeb(server, { authorization })).grpcStatus).toBe(status.UNAUTHENTICATED);
    }
    expect((await isMovingOverWeb(server, { authorization: `Bearer ${server.token}` })).grpcStatus).toBe(status.OK);
  });

  it('the WebSocket channel needs the launch token', async () => {
    const server = await serve();
    expect(await upgrade(server, undefined)).toBe(401);
    expect(await upgrade(server, 'wrong')).toBe(401);
    expect(await upgrade(server, server.token)).toBe(101);
  });

  it('a token of one run is worth nothing to the next', async () => {
    const [one, two] = await Promise.all([serve(), serve()]);
    expect((await isMovingOverWeb(two, { authorization: `Bearer ${one.token}` })).grpcStatus).toBe(
      status.UNAUTHENTICATED,
    );
  });

  it('another origin is refused with the right token too, preflight, page and upgrade alike', async () => {
    const server = await serve();
    const origin = 'http://elsewhere.test';
    const withToken = { origin, authorization: `Bearer ${server.token}` };
    expect((await isMovingOverWeb(server, withToken)).status).toBe(403);
    expect((await webRequest(`${server.url}/`, 'GET', { origin })).status).toBe(403);
    const preflight = await webRequest(`${server.url}/core.component.motor.v1.MotorService/IsMoving`, 'OPTIONS', {
      origin,
      'access-control-request-method': 'POST',
    });
    expect([preflight.status, preflight.headers['access-control-allow-origin']]).toEqual([403, undefined]);
    expect(await upgrade(server, server.token, { origin })).toBe(403);
    expect(await upgrade(server, server.token, { origin: 'null' })).toBe(403);
    // The same host on another port is another origin.
    expect(await upgrade(server, server.token, { origin: `http://localhost:${server.port + 1}` })).toBe(403);
    expect(await upgrade(server, server.token, { origin: server.url })).toBe(101);
  });

  it('a host name that was made to lead here is refused, whatever else is right', async () => {
    const server = await serve();
    for (const host of [
      'evil.test',
      `evil.test:${server.port}`,
      `localhost:${server.port + 1}`,
      `localhost.evil.test:${server.port}`,
    ]) {
      expect((await webRequest(`${server.url}/`, 'GET', { host })).status).toBe(403);
      expect((await isMovingOverWeb(server, { host, authorization: `Bearer ${server.token}` })).status).toBe(403);
      expect(await upgrade(server, server.token, { host })).toBe(403);
    }
    for (const host of [`localhost:${server.port}`, `127.0.0.1:${server.port}`, `[::1]:${server.port}`]) {
      expect((await webRequest(`${server.url}/`, 'GET', { host })).status).toBe(200);
    }
  });

  it('network.allowed_origins lets one more origin in, with the token, at once after an edit', async () => {
    const server = await serve();
    const origin = 'https://bench.example';
    const withToken = { origin, authorization: `Bearer ${server.token}` };
    expect((await isMovingOverWeb(server, withToken)).status).toBe(403);
    const config = JSON.parse(bench) as { network: object };
    await server.writeConfig(JSON.stringify({ ...config, network: { ...config.network, allowed_origins: [origin] } }));
    await until('the edit is in force', async () => (await isMovingOverWeb(server, withToken)).status === 200, 10_000);
    const answer = await isMovingOverWeb(server, withToken);
    expect([answer.grpcStatus, answer.headers['access-control-allow-origin']]).toEqual([status.OK, origin]);
    expect((await isMovingOverWeb(server, { origin })).grpcStatus).toBe(status.UNAUTHENTICATED);
    expect((await isMovingOverWeb(server, { ...withToken, origin: 'https://bench.example.evil.test' })).status).toBe(
      403,
    );
  });
});

describe('with auth.handlers', () => {
  it('every call needs a token from Authenticate, on this computer too; health does not', async () => {
    const server = await serve({ config: withApiKey(bench) });
    const stranger = new MachineClient(server.url);
    await expect(stranger.isMoving('left')).rejects.toMatchObject({
      code: status.UNAUTHENTICATED,
      details: expect.stringContaining('Authenticate') as string,
    });
    await expect(stranger.grpc.call(HealthDefinition, 'check', { service: '' })).resolves.toMatchObject({ status: 1 });
    const token = await authenticate(stranger.grpc);
    const known = new MachineClient(server.url, { authorization: `Bearer ${token}` });
    expect(await known.isMoving('left')).toBe(false);
    expect((await isMovingOverWeb(server, { authorization: `Bearer ${token}` })).grpcStatus).toBe(status.OK);
    expect(await upgrade(server, token)).toBe(101);
    expect(await upgrade(server, undefined)).toBe(401);
    expect((await isMovingOverWeb(server)).grpcStatus).toBe(status.UNAUTHENTICATED);
    // Its owner's launch token still opens the page.
    expect((await isMovingOverWeb(server, { authorization: `Bearer ${server.token}` })).grpcStatus).toBe(status.OK);
    stranger.close();
    known.close();
  });

  it('wrong credentials are refused case by case', async () => {
    const server = await serve({ config: withApiKey(bench) });
    const client = new GrpcClient(server.url);
    await expect(authenticate(client, keyId, 'wrong')).rejects.toMatchObject({
      code: status.UNAUTHENTICATED,
      details: 'invalid credentials',
    });
    await expect(authenticate(client, 'nobody', key)).rejects.toMatchObject({ code: status.UNAUTHENTICATED });
    const token = await authenticate(client);
    const tampered = `${token.slice(0, -4)}AAAA`;
    const other = new MachineClient(server.url, { authorization: `Bearer ${tampered}` });
    await expect(other.isMoving('left')).rejects.toMatchObject({ code: status.UNAUTHENTICATED });
    other.close();
    client.close();
  });

  it('failed attempts are limited for each address, saying when to try again', async () => {
    const server = await serve({ config: withApiKey(bench) });
    const client = new GrpcClient(server.url);
    const codes: number[] = [];
    for (let index = 0; index < 12; index++) {
      codes.push(
        await authenticate(client, keyId, 'wrong').then(
          () => status.OK,
          (error: { code: status }) => error.code,
        ),
      );
    }
    expect(codes.slice(0, 10)).toEqual(Array(10).fill(status.UNAUTHENTICATED));
    expect(codes.at(-1)).toBe(status.RESOURCE_EXHAUSTED);
    await expect(authenticate(client, keyId, 'wrong')).rejects.toMatchObject({
      details: expect.stringMatching(/try again in \d+ s/) as string,
    });
    client.close();
  });

  it('a key changed in the file ends its tokens at their next call, without closing a connection', async () => {
    const server = await serve({ config: withApiKey(bench) });
    const known = new MachineClient(server.url);
    const token = await authenticate(known.grpc);
    const bearer = { headers: { authorization: `Bearer ${token}` } };
    const call = () => known.grpc.call(MotorServiceDefinition, 'isMoving', { name: 'left' }, bearer);
    await expect(call()).resolves.toMatchObject({ isMoving: false });
    await server.writeConfig(withApiKey(bench, keyId, 'another-key-0123456789'));
    const refusal = async () =>
      call().then(
        () => status.OK,
        (error: { code: status }) => error.code,
      );
    await until('the old token is refused', async () => (await refusal()) === status.UNAUTHENTICATED, 10_000);
    await expect(authenticate(known.grpc)).rejects.toMatchObject({ code: status.UNAUTHENTICATED });
    const fresh = await authenticate(known.grpc, keyId, 'another-key-0123456789');
    const again = { headers: { authorization: `Bearer ${fresh}` } };
    await expect(known.grpc.call(MotorServiceDefinition, 'isMoving', { name: 'left' }, again)).resolves.toBeDefined();
    known.close();
  });

  it('auth added by an edit holds for connections that are open, and broken auth never opens the machine', async () => {
    const server = await serve();
    const client = new MachineClient(server.url);
    expect(await client.isMoving('left')).toBe(false);
    await server.writeConfig(withApiKey(bench));
    const code = () =>
      client.isMoving('left').then(
        () => status.OK,
        (error: { code: status }) => error.code,
      );
    await until('the open connection is refused', async () => (await code()) === status.UNAUTHENTICATED, 10_000);
    await server.writeConfig(JSON.stringify({ ...(JSON.parse(bench) as object), auth: { handlers: 'none' } }));
    await until('the broken text is in the log', () => /cannot be applied/.test(server.stderr()), 10_000);
    expect(await code()).toBe(status.UNAUTHENTICATED);
    client.close();
  });
});

describe('beyond loopback', () => {
  const namespace = spawnSync('unshare', ['--net', 'ip', 'link', 'set', 'lo', 'up']);
  const canIsolate = process.platform === 'linux' && namespace.status === 0;
  const note = canIsolate ? '' : ' (skipped: needs root, ip and unshare for a network of its own)';

  it.skipIf(!canIsolate)(
    `callers need a key, and no key travels in clear text without -allow-insecure-creds${note}`,
    async () => {
      const script = path.join(import.meta.dirname, 'beyond-loopback.ts');
      const {
        stdout,
        stderr,
        status: code,
      } = spawnSync('unshare', ['--net', process.execPath, script], {
        encoding: 'utf8',
        timeout: 25_000,
      });
      expect(code, stderr).toBe(0);
      expect(JSON.parse(stdout)).toEqual({
        withoutKeys: {
          call: status.UNAUTHENTICATED,
          web: status.UNAUTHENTICATED,
          ownAddressPage: 200,
          restartStatus: 403,
          foreignHostPage: 403,
        },
        withKeys: { call: status.UNAUTHENTICATED, authenticate: status.PERMISSION_DENIED },
        withInsecureCreds: { call: status.UNAUTHENTICATED, authenticated: status.OK, wrongKey: status.UNAUTHENTICATED },
      });
    },
  );
});
