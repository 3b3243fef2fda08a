import { createSocket, type RemoteInfo, type Socket } from 'node:dgram';
import { once } from 'node:events';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { createServer, type AddressInfo, type Server } from 'node:net';
import path from 'node:path';
import { createServer as createTlsServer } from 'node:tls';
import { decode, encode, type Answer } from 'dns-packet';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { makeCertificate } from '../harness/certificate.ts';
import { runArmature, type ProgramRun } from '../harness/server-process.ts';
import { temporaryFolder } from '../harness/temporary-folder.ts';

const open: (Socket | Server)[] = [];

afterEach(() => {
  for (const one of open.splice(0)) one.close();
});

async function udpServer(answer: (message: Buffer, from: RemoteInfo) => Buffer | undefined): Promise<string> {
  const socket = createSocket('udp4');
  open.push(socket);
  socket.on('message', (message, from) => {
    const bytes = answer(message, from);
    if (bytes !== undefined) socket.send(bytes, from.port, from.address);
  });
  socket.bind(0, '127.0.0.1');
  await once(socket, 'listening');
  return `127.0.0.1:${socket.address().port}`;
}

async function tcpServer(answer: (message: Buffer, port: number) => Buffer | undefined): Promise<string> {
  const server = createServer((socket) => {
    socket.on('error', () => undefined);
    socket.on('data', (message) => {
      const bytes = answer(message, socket.remotePort ?? 0);
      if (bytes !== undefined) socket.write(bytes);
    });
  });
  open.push(server);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return `127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** A Binding success with XOR-MAPPED-ADDRESS (RFC 8489, section 14.2). */
function bindingSuccess(request: Buffer, address: string, port: number): Buffer {
  const answer = Buffer.alloc(32);
  answer.writeUInt16BE(0x0101, 0);
  answer.writeUInt16BE(12, 2);
  request.copy(answer, 4, 4, 20);
  answer.writeUInt16BE(0x0020, 20);
  answer.writeUInt16BE(8, 22);
  answer[25] = 1;
  answer.writeUInt16BE(port ^ 0x2112, 26);
  address.split('.').forEach((part, index) => (answer[28 + index] = Number(part) ^ (request[4 + index] ?? 0)));
  return answer;
}

function dnsServer(): Promise<string> {
  return udpServer((message) => {
    const { id, questions = [] } = decode(message);
    const [asked] = questions;
    const answers: Answer[] =
      asked?.type === 'A' && asked.name === 'hub.example' ? [{ type: 'A', name: asked.name, data: '192.0.2.7' }] : [];
    const flags = asked?.name === 'hub.example' ? 0 : 3;
    return encode({ type: 'response', id, flags, questions, answers });
  });
}

let folder: string;

beforeEach(async () => {
  folder = await temporaryFolder();
});

async function check(check: object, more: object = {}, args: readonly string[] = []): Promise<ProgramRun> {
  const file = path.join(folder, 'machine.json');
  await writeFile(file, JSON.stringify({ ...more, network: { check } }));
  return runArmature(['server', '-network-check', '-config', file, ...args], { SVC_HOME: folder }, { limitMs: 60_000 });
}

/** Lines of the report about one area, without times. */
function linesOf({ stdout }: ProgramRun, area: string): readonly string[] {
  return stdout
    .split('\n')
    .map((line) =>
      line
        .trim()
        .replace(/\s+/g, ' ')
        .replace(/ \d+ ms /, ' '),
    )
    .filter((line) => line.replace(/^\w+ /, '').startsWith(area));
}

describe('armature server -network-check', () => {
  it('checks what the configuration names, prints what it found, and exits 0', async () => {
    const dns = await dnsServer();
    const stun = await udpServer((message, { address, port }) => bindingSuccess(message, address, port));
    const stunTcp = await tcpServer((message, port) => bindingSuccess(message, '127.0.0.1', port));
    const server = await tcpServer(() => undefined);
    // Every name of this list has to resolve on this system too, which is certain only for localhost.
    const run = await check(
      {
        dns_servers: [dns],
        addresses: [`http://${server}`],
        stun_servers: [stun],
        stun_tcp_servers: [`stun:${stunTcp}`],
      },
      { remotes: [{ name: 'second', address: `http://${server}` }] },
    );
    expect(run.stderr).toBe('');
    expect(linesOf(run, 'DNS')).toEqual([
      `note DNS ${dns} answers, and does not know the root of the internet (NXDOMAIN)`,
    ]);
    expect(linesOf(run, 'TCP')).toEqual([
      `ok TCP remote second http://${server} takes connections`,
      `ok TCP server http://${server} takes connections`,
    ]);
    expect(linesOf(run, 'STUN over UDP')).toEqual([
      expect.stringMatching(/^ok STUN over UDP 127\.0\.0\.1:\d+ sees this computer as 127\.0\.0\.1:\d+$/),
    ]);
    expect(linesOf(run, 'STUN over TCP')).toEqual([
      expect.stringMatching(/^ok STUN over TCP 127\.0\.0\.1:\d+ sees this computer as 127\.0\.0\.1:\d+$/),
    ]);
    expect(linesOf(run, 'NAT')).toEqual(['ok NAT over UDP none: servers see an address of this computer itself']);
    expect(run.stdout).toContain('All is well.');
    expect(run.code).toBe(0);
  });

  it('says what is wrong, each with the next step, and exits 1', async () => {
    const dns = await dnsServer();
    const silentDns = await udpServer(() => undefined);
    const wrongDns = await udpServer((message) => Buffer.concat([Buffer.from([0, 0]), message.subarray(2)]));
    const silentStun = await udpServer(() => undefined);
    const first = await udpServer((message) => bindingSuccess(message, '203.0.113.5', 40_001));
    const second = await udpServer((message) => bindingSuccess(message, '203.0.113.5', 40_002));
    const page = await tcpServer(() => Buffer.from('HTTP/1.1 400 Bad Request\r\n\r\n'));
    const silent = await tcpServer(() => undefined);
    const closed = await tcpServer(() => undefined);
    open.pop()?.close();
    const began = performance.now();
    const run = await check(
      {
        dns_servers: [dns, silentDns, wrongDns],
        hosts: ['hub.example', 'gone.example'],
        stun_servers: [silentStun, first, second, 'no address'],
        stun_tcp_servers: [page, silent],
      },
      {
        remotes: [
          { name: 'away', address: `http://${closed}` },
          { name: 'page', address: `https://${page}` },
        ],
      },
    );
    expect(performance.now() - began).toBeLessThan(30_000);
    expect(run.code).toBe(1);
    expect(linesOf(run, 'DNS')).toEqual([
      `ok DNS hub.example by ${dns} 192.0.2.7`,
      `FAILED DNS gone.example by ${dns} no such name (NXDOMAIN)`,
      `FAILED DNS hub.example by ${silentDns} no answer within 5 s`,
      `FAILED DNS gone.example by ${silentDns} no answer within 5 s`,
      expect.stringMatching(/^FAILED DNS hub\.example by \S+ \d+ messages?, none of them an answer within 5 s$/),
      expect.stringMatching(/^FAILED DNS gone\.example by \S+ \d+ messages?, none of them an answer within 5 s$/),
    ]);
    expect(linesOf(run, 'TCP')).toEqual([`FAILED TCP remote away http://${closed} refused: no program listens there`]);
    expect(linesOf(run, 'TLS')).toEqual([expect.stringContaining('it speaks no TLS')]);
    expect(linesOf(run, 'STUN over UDP')).toEqual([
      `FAILED STUN over UDP ${silentStun} no answer within 5 s`,
      `ok STUN over UDP ${first} sees this computer as 203.0.113.5:40001`,
      `ok STUN over UDP ${second} sees this computer as 203.0.113.5:40002`,
    ]);
    expect(linesOf(run, 'STUN over TCP')).toEqual([
      `FAILED STUN over TCP ${page} what answers there is no STUN server`,
      `FAILED STUN over TCP ${silent} connected, and no answer within 5 s`,
    ]);
    expect(linesOf(run, 'NAT')).toEqual([
      'note NAT over UDP another address for each server (203.0.113.5:40001, 203.0.113.5:40002)',
    ]);
    expect(linesOf(run, 'Target')).toEqual([expect.stringContaining('"no address" is left out of "stun_servers"')]);
    const lines = run.stdout.split('\n');
    lines.forEach((line, index) => {
      if (line.startsWith('  FAILED')) expect(lines[index + 1]).toMatch(/^ {10}[A-Z].*\.$/);
    });
    expect(run.stdout).toMatch(/\d+ checks failed\.\n$/);
  });

  it('connects to the hub, and says whether its certificate is trusted', async () => {
    const { certFile, keyFile } = makeCertificate(folder);
    const tls = createTlsServer({ cert: await readFile(certFile), key: await readFile(keyFile) });
    open.push(tls);
    tls.listen(0, '127.0.0.1');
    await once(tls, 'listening');
    const app_address = `https://127.0.0.1:${(tls.address() as AddressInfo).port}`;
    const cloud = { id: 'part', api_key: { id: 'k', key: 'a-secret-key-that-is-long' }, app_address };
    const trusted = await check({}, { cloud: { ...cloud, ca: certFile } });
    expect(linesOf(trusted, 'TLS')).toEqual([
      expect.stringContaining(`ok TLS hub ${app_address} takes connections, its certificate is good, valid until`),
    ]);
    expect(trusted.stdout).toContain('The configuration of the hub was never received: its remotes are not checked.');
    const untrusted = await check({}, { cloud });
    expect(linesOf(untrusted, 'TLS')).toEqual([
      `FAILED TLS hub ${app_address} its certificate is not trusted here (DEPTH_ZERO_SELF_SIGNED_CERT)`,
    ]);
    expect(untrusted.stdout).toContain('cloud.ca');
    expect([trusted.code, untrusted.code]).toEqual([0, 1]);
    for (const { stdout, stderr } of [trusted, untrusted]) expect(stdout + stderr).not.toContain('a-secret-key');
  });

  it('checks the DNS servers of the system alone where there is no configuration, and starts nothing', async () => {
    const home = path.join(folder, 'home');
    await mkdir(home);
    const run = await runArmature(['server', '-network-check'], { SVC_HOME: home }, { limitMs: 60_000 });
    expect(run.stdout).toContain('No configuration (-config): only the DNS servers of this system are checked.');
    expect(run.stdout).not.toContain('STUN');
    expect(linesOf(run, 'DNS').length).toBeGreaterThan(0);
    // The result depends on the computer that runs this test; the two must agree on any.
    expect(run.code).toBe(run.stdout.includes('FAILED') ? 1 : 0);
    expect(run.stdout).not.toContain('serving on');
  });

  it('exits 2 for a configuration that cannot be used, and names what is wrong', async () => {
    const file = path.join(folder, 'machine.json');
    await writeFile(file, '{ "network": 7 }');
    const wrong = await runArmature(['server', '-network-check', '-config', file], { SVC_HOME: folder });
    expect([wrong.code, wrong.stdout]).toEqual([2, '']);
    expect(wrong.stderr).toContain('"network" is a number');
    const missing = await runArmature(['server', '-network-check', '-config', `${file}.no`], { SVC_HOME: folder });
    expect([missing.code, missing.stdout]).toEqual([2, '']);
    expect(missing.stderr).toContain('machine.json.no');
  });
});
