import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { get, request as httpRequest, type IncomingMessage } from 'node:http';
import { connect as connectTcp, createServer, type AddressInfo, type Socket } from 'node:net';
import { networkInterfaces, tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect as connectTls, type ConnectionOptions, type TLSSocket } from 'node:tls';
import { afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { ManualClock } from '../../base/clock.ts';
import type { Certificate } from './listener.ts';
import { clientHello } from '../testing/client-hello.ts';
import { echo, echoPath } from '../testing/echo-service.ts';
import { framedEcho, openSession, rawCall, say } from '../testing/raw-http2.ts';
import { startTestMachine, WAIT, type TestMachine, type TestMachineOptions } from '../testing/test-machine.ts';

/** Of this computer, and yet not loopback. */
const elsewhere = Object.values(networkInterfaces())
  .flatMap((addresses) => addresses ?? [])
  .find(({ internal, family }) => !internal && family === 'IPv4')?.address;
const machines: TestMachine[] = [];

async function start(options: TestMachineOptions = {}): Promise<TestMachine> {
  const machine = await startTestMachine(options);
  machines.push(machine);
  return machine;
}

afterEach(async () => {
  for (const machine of machines.splice(0)) await machine.listener.close(0);
});

function selfSigned(name: string, host = 'localhost'): Certificate {
  const folder = mkdtempSync(join(tmpdir(), 'armature-tls-'));
  const [key, cert] = [join(folder, 'key.pem'), join(folder, 'cert.pem')];
  const subject = ['-subj', `/CN=${name}`, '-addext', `subjectAltName=DNS:localhost,DNS:${host},IP:127.0.0.1`];
  const curve = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1'];
  execFileSync(
    'openssl',
    ['req', '-x509', ...curve, '-nodes', '-keyout', key, '-out', cert, '-days', '2', ...subject],
    {
      stdio: 'ignore',
    },
  );
  const certificate = { key: readFileSync(key, 'utf8'), cert: readFileSync(cert, 'utf8') };
  rmSync(folder, { recursive: true });
  return certificate;
}

async function read(machine: TestMachine, path: string, host = '127.0.0.1'): Promise<[status: number, body: string]> {
  const request = get({ host, port: machine.port, path, agent: false });
  const [response] = (await once(request, 'response')) as [IncomingMessage];
  let body = '';
  for await (const chunk of response) body += String(chunk);
  return [response.statusCode ?? 0, body];
}

async function closed(socket: Socket): Promise<string> {
  let text = '';
  socket.on('data', (chunk: Buffer) => (text += chunk.toString('latin1')));
  socket.on('error', () => undefined);
  await new Promise((resolve) => socket.once('close', resolve));
  return text;
}

describe('one port in clear text', () => {
  it('serves gRPC, the page and gRPC-Web side by side', async () => {
    const machine = await start();
    const client = await openSession(machine.port);
    expect(await say(client, echo('left', 1))).toEqual(echo('left', 1));
    expect(await read(machine, '/anything')).toEqual([200, 'the page\n']);
    client.destroy();
  });

  it('serves the page over HTTP/2 too', async () => {
    const machine = await start();
    const session = await openSession(machine.port);
    const answer = await rawCall(session, '/x', [], { ':method': 'GET', 'content-type': undefined, te: undefined });
    expect([answer.headers[':status'], answer.body.toString()]).toEqual([200, 'the page\n']);
    session.destroy();
  });

  it('tells the protocol from first bytes that come one by one', async () => {
    const machine = await start();
    const socket = connectTcp(machine.port, '127.0.0.1');
    socket.setNoDelay(true);
    const text = closed(socket);
    for (const byte of Buffer.from('POST / HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n')) {
      await new Promise((resolve) => socket.write(Buffer.from([byte]), resolve));
    }
    expect(await text).toContain('the page');
  });

  it('answers health: live always, ready when it is', async () => {
    let isReady = false;
    const machine = await start({ isReady: () => isReady });
    expect(await read(machine, '/healthz/live')).toEqual([200, 'live\n']);
    expect(await read(machine, '/healthz/ready')).toEqual([503, 'starting\n']);
    isReady = true;
    expect(await read(machine, '/healthz/ready')).toEqual([200, 'ready\n']);
  });

  it('hands a WebSocket upgrade on, once host and origin are checked', async () => {
    const seen: string[] = [];
    const machine = await start({
      webAccess: {
        checkRequest: ({ headers }) =>
          headers.origin === 'http://evil.example' ? { ok: false, status: 403, message: 'not you\n' } : { ok: true },
      },
      onUpgrade: (request, socket) => {
        seen.push(request.url ?? '');
        socket.end('HTTP/1.1 101 Switching Protocols\r\nupgrade: websocket\r\nconnection: upgrade\r\n\r\n');
      },
    });
    const upgrade = (origin: string): ReturnType<typeof httpRequest> => {
      const headers = { connection: 'upgrade', upgrade: 'websocket', origin };
      const request = httpRequest({ host: '127.0.0.1', port: machine.port, path: '/channel', headers });
      request.end();
      return request;
    };
    await once(upgrade('http://own.example'), 'upgrade');
    const [refused] = (await once(upgrade('http://evil.example'), 'response')) as [IncomingMessage];
    expect([refused.statusCode, seen]).toEqual([403, ['/channel']]);
    refused.resume();
  });

  it('takes no notice of upgrades to anything else', async () => {
    const machine = await start();
    const headers = { connection: 'Upgrade, HTTP2-Settings', upgrade: 'h2c', 'http2-settings': '' };
    const request = get({ host: '127.0.0.1', port: machine.port, path: '/', headers, agent: false });
    const [response] = (await once(request, 'response')) as [IncomingMessage];
    expect(response.statusCode).toBe(200);
    response.resume();
  });
});

describe('connections that do nothing', () => {
  it('closes one that says nothing, and one that opens HTTP/2 and stays silent', async () => {
    const clock = new ManualClock();
    const machine = await start({ clock });
    const silent = connectTcp(machine.port, '127.0.0.1');
    const halfOpen = connectTcp(machine.port, '127.0.0.1');
    const isClosed = Promise.all([closed(silent), closed(halfOpen)]);
    halfOpen.write('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n');
    // The server's own settings show that the session stands.
    await once(halfOpen, 'data');
    await expect.poll(() => machine.listener.connections).toBe(2);
    const client = await openSession(machine.port);
    await say(client, echo('left'));
    clock.advance(10_001);
    await isClosed;
    expect(await say(client, echo('left'))).toEqual(echo('left'));
    client.destroy();
  });

  it('finds a peer that is gone without a word', async () => {
    const clock = new ManualClock();
    const machine = await start({ clock });
    let upstream: Socket | undefined;
    const wire = createServer((socket) => {
      upstream = connectTcp(machine.port, '127.0.0.1');
      socket.pipe(upstream).pipe(socket);
      for (const end of [socket, upstream]) end.on('error', () => undefined);
    }).listen(0, '127.0.0.1');
    await once(wire, 'listening');
    const session = await openSession((wire.address() as AddressInfo).port);
    session.on('error', () => undefined);
    const handled = machine.resource.nextCall();
    void rawCall(session, echoPath('Say'), framedEcho(echo('left', WAIT))).catch(() => undefined);
    const call = await handled;
    // The wire is cut: nothing more gets to the peer, and nobody is told.
    upstream?.unpipe();
    upstream?.pause();
    clock.advance(15_000);
    clock.advance(10_001);
    await expect.poll(() => call.connection.isClosed).toBe(true);
    session.destroy();
    upstream?.destroy();
    wire.close();
  });

  it('pings only who is quiet, where that is asked for', async () => {
    const clock = new ManualClock();
    const machine = await start({ clock, keepalive: { intervalMs: 60_000, timeoutMs: 10_000, isForQuiet: true } });
    const session = await openSession(machine.port);
    let pings = 0;
    session.on('ping', () => pings++);
    const heard = (): Promise<void> => new Promise((resolve) => session.ping(() => resolve()));
    for (let round = 0; round < 3; round++) {
      await heard();
      clock.advance(60_000);
    }
    await heard();
    expect(pings).toBe(0);
    clock.advance(60_000);
    const pinged = once(session, 'ping');
    clock.advance(60_000);
    await pinged;
    session.destroy();
  });

  it('keeps one that answers pings', async () => {
    const clock = new ManualClock();
    const machine = await start({ clock });
    const session = await openSession(machine.port);
    for (let round = 0; round < 3; round++) {
      const pinged = once(session, 'ping');
      clock.advance(15_000);
      await pinged;
      // The answer to a ping of ours comes back behind the answer to theirs.
      await new Promise<void>((resolve) => session.ping(() => resolve()));
    }
    clock.advance(10_001);
    expect(session.closed).toBe(false);
    session.destroy();
  });
});

describe('too many connections', () => {
  it.skipIf(elsewhere === undefined)('callers from elsewhere cannot keep those of this computer out', async () => {
    const machine = await start({ host: '0.0.0.0' });
    const sockets = Array.from({ length: 800 }, () => connectTcp({ host: elsewhere ?? '', port: machine.port }));
    let closed = 0;
    for (const socket of sockets) socket.on('error', () => undefined).once('close', () => closed++);
    // Of one address, so many that say nothing stay.
    await expect.poll(() => closed, { timeout: 10_000 }).toBe(800 - 512);
    expect(machine.listener.connections).toBe(512);
    expect(await read(machine, '/healthz/live')).toEqual([200, 'live\n']);
    for (const socket of sockets) socket.destroy();
    await expect.poll(() => machine.listener.connections).toBe(0);
    const again = connectTcp({ host: elsewhere ?? '', port: machine.port });
    await once(again, 'connect');
    await expect.poll(() => machine.listener.connections).toBe(1);
    again.destroy();
  });
});

describe('where it listens', () => {
  it('takes both addresses of localhost with one port', async () => {
    const machine = await start({ host: 'localhost' });
    expect(await read(machine, '/healthz/live', '127.0.0.1')).toEqual([200, 'live\n']);
    const probe = createServer().listen({ host: '::1', port: 0 });
    const hasIpv6 = await Promise.race([
      once(probe, 'listening').then(() => true),
      once(probe, 'error').then(() => false),
    ]);
    probe.close();
    if (hasIpv6) expect(await read(machine, '/healthz/live', '::1')).toEqual([200, 'live\n']);
  });

  it('says which port is taken and what to do', async () => {
    const other = createServer().listen(0, '127.0.0.1');
    await once(other, 'listening');
    const { port } = other.address() as AddressInfo;
    const machine = await start();
    await expect(machine.listener.listen({ host: '127.0.0.1', port })).rejects.toMatchObject({
      code: 'server.cannot_bind',
      message: `Cannot listen on 127.0.0.1, port ${port}: another program uses port ${port}; stop it, or set network.bind_address to another port.`,
    });
    other.close();
  });
});

describe('TLS', () => {
  let first: Certificate;
  let second: Certificate;
  beforeAll(() => {
    first = selfSigned('first');
    second = selfSigned('second');
  });

  async function handshake(port: number, options: ConnectionOptions): Promise<TLSSocket> {
    const socket = connectTls({ host: '127.0.0.1', port, rejectUnauthorized: false, ...options });
    await once(socket, 'secureConnect');
    return socket;
  }

  it('gives http/1.1 to whoever offers it and h2 to whoever offers nothing else', async () => {
    const machine = await start({ certificate: first });
    const chosen: unknown[] = [];
    for (const ALPNProtocols of [['h2', 'http/1.1'], ['h2'], ['http/1.1']]) {
      const socket = await handshake(machine.port, { ALPNProtocols });
      chosen.push(socket.alpnProtocol);
      socket.destroy();
    }
    expect(chosen).toEqual(['http/1.1', 'h2', 'http/1.1']);
  });

  it('serves gRPC and the page', async () => {
    const machine = await start({ certificate: first });
    const client = await openSession(machine.port, { rejectUnauthorized: false });
    const entered = machine.resource.nextCall();
    expect(await say(client, echo('left', 3))).toEqual(echo('left', 3));
    expect((await entered).connection).toMatchObject({
      isEncrypted: true,
      isLoopback: true,
      remoteAddress: '127.0.0.1',
    });
    client.destroy();
    const socket = await handshake(machine.port, {});
    socket.write('GET /healthz/live HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n');
    expect(await closed(socket)).toMatch(/^HTTP\/1\.1 200 .*live\n$/s);
  });

  it('refuses versions before 1.2, and clear text', async () => {
    const machine = await start({ certificate: first });
    await expect(handshake(machine.port, { maxVersion: 'TLSv1.1', minVersion: 'TLSv1' })).rejects.toThrow();
    const plain = connectTcp(machine.port, '127.0.0.1');
    plain.write('GET / HTTP/1.1\r\n\r\n');
    await closed(plain);
  });

  describe('beside clear text', () => {
    const name = 'bench.shop.armature.local';
    const byName = { servername: name };
    let ofHub: Certificate;
    beforeAll(() => {
      ofHub = selfSigned('hub', name);
    });

    it('is taken from when there is a certificate, by a name that it is for', async () => {
      const machine = await start({ mayTakeTls: true });
      await expect(handshake(machine.port, byName)).rejects.toThrow();
      machine.listener.setCertificate(ofHub);
      const entered = machine.resource.nextCall();
      const encrypted = await openSession(machine.port, { rejectUnauthorized: false, ...byName });
      expect(await say(encrypted, echo('left', 3))).toEqual(echo('left', 3));
      expect((await entered).connection.isEncrypted).toBe(true);
      const again = machine.resource.nextCall();
      const plain = await openSession(machine.port);
      expect(await say(plain, echo('left', 4))).toEqual(echo('left', 4));
      expect((await again).connection.isEncrypted).toBe(false);
      machine.listener.setCertificate(selfSigned('second', 'another.name'));
      await expect(handshake(machine.port, byName)).rejects.toThrow();
      const socket = await handshake(machine.port, { servername: 'Another.Name' });
      expect(socket.getPeerCertificate().subject.CN).toBe('second');
      for (const open of [encrypted, plain, socket]) open.destroy();
    });

    it.each([
      ['no name', undefined],
      ['localhost', 'localhost'],
      ['a name that it is not for', 'somebody.else'],
    ])('is not taken from this computer by %s: the answer is that of a port in clear text', async (_, servername) => {
      const machine = await start({ mayTakeTls: true });
      machine.listener.setCertificate(ofHub);
      const socket = connectTcp(machine.port, '127.0.0.1');
      socket.write(await clientHello(servername));
      expect(await closed(socket)).toMatch(/^HTTP\/1\.1 400 /);
    });

    it('is taken by whoever offers a protocol, by any name, as programs do that mean to speak TLS', async () => {
      const machine = await start({ mayTakeTls: true });
      machine.listener.setCertificate(ofHub);
      for (const servername of ['localhost', 'somebody.else']) {
        const socket = await handshake(machine.port, { servername, ALPNProtocols: ['h2'] });
        expect(socket.alpnProtocol).toBe('h2');
        socket.destroy();
      }
    });

    it('is taken however its first words are cut up, and whatever they are, within their time', async () => {
      const clock = new ManualClock();
      const machine = await start({ mayTakeTls: true, clock });
      machine.listener.setCertificate(ofHub);
      const hello = await clientHello(name);
      const socket = connectTcp(machine.port, '127.0.0.1').setNoDelay(true);
      for (const byte of hello.subarray(0, -1)) await new Promise((sent) => socket.write(Buffer.of(byte), sent));
      socket.write(hello.subarray(-1));
      const [answer] = (await once(socket, 'data')) as [Buffer];
      expect(answer[0]).toBe(22);
      socket.destroy();
      const slow = connectTcp(machine.port, '127.0.0.1');
      await once(slow, 'connect');
      slow.write(hello.subarray(0, 100));
      await vi.waitFor(() => expect(machine.listener.connections).toBe(1));
      clock.advance(10_000);
      expect(await closed(slow)).toBe('');
    });

    it.skipIf(elsewhere === undefined)('is taken by any name from elsewhere', async () => {
      const machine = await start({ mayTakeTls: true, host: elsewhere ?? '' });
      machine.listener.setCertificate(ofHub);
      const socket = await handshake(machine.port, { host: elsewhere ?? '' });
      expect(socket.getPeerCertificate().subject.CN).toBe('hub');
      socket.destroy();
    });
  });

  it('shows a new certificate without closing what is open', async () => {
    const machine = await start({ certificate: first });
    const client = await openSession(machine.port, { rejectUnauthorized: false });
    await say(client, echo('left'));
    machine.listener.setCertificate(second);
    const socket = await handshake(machine.port, {});
    expect(socket.getPeerCertificate().subject.CN).toBe('second');
    expect(await say(client, echo('left', 2))).toEqual(echo('left', 2));
    socket.destroy();
    client.destroy();
  });
});

describe('closing', () => {
  it('refuses new connections and ends what outlasts the grace', async () => {
    const machine = await start();
    const client = await openSession(machine.port);
    const entered = machine.resource.nextCall();
    const answer = rawCall(client, echoPath('Say'), framedEcho(echo('left', WAIT)));
    await entered;
    await machine.listener.close(50);
    expect((await answer).headers['grpc-status']).toBe('14');
    const late = connectTcp(machine.port, '127.0.0.1');
    const [error] = (await once(late, 'error')) as [NodeJS.ErrnoException];
    expect(error.code).toBe('ECONNREFUSED');
    client.destroy();
  });
});
