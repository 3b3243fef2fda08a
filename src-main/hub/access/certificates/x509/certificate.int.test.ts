import { execFile } from 'node:child_process';
import { createPublicKey, X509Certificate } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { connect, createServer } from 'node:tls';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ManualClock } from '../../../../base/clock.ts';
import { silentLogger } from '../../../../base/logger.ts';
import { openStore } from '../../../storage/open-store.ts';
import type { Store } from '../../../storage/store.ts';
import { Authority } from '../authority.ts';

const run = promisify(execFile);
const HOSTS = ['hub.local', 'localhost', '127.0.0.1', '::1', 'fe80::a:b', '2001:db8::'];

describe('certificates of a hub', () => {
  let folder: string;
  let store: Store;
  let authority: Authority;
  const clock = new ManualClock(Date.now());

  beforeAll(async () => {
    folder = await mkdtemp(path.join(os.tmpdir(), 'armature-x509-'));
    store = await openStore(folder, silentLogger);
    authority = await Authority.open(store, clock, 'hub-1');
  });

  afterAll(async () => {
    await store.close();
    await rm(folder, { recursive: true, force: true });
  });

  it('the authority is created once and kept', async () => {
    const again = await Authority.open(store, clock, 'hub-1');
    expect(again.certificate).toBe(authority.certificate);
    expect(again.fingerprint).toMatch(/^([0-9A-F]{2}:){31}[0-9A-F]{2}$/);
    const certificate = new X509Certificate(authority.certificate);
    expect(certificate.ca).toBe(true);
    expect(certificate.verify(certificate.publicKey)).toBe(true);
    expect(new Date(certificate.validTo).getUTCFullYear() - new Date().getUTCFullYear()).toBeGreaterThan(18);
  });

  it('an issued certificate is valid for its names and addresses only, and is no authority', async () => {
    const { cert, key } = await authority.issue(HOSTS);
    const certificate = new X509Certificate(cert);
    const signer = new X509Certificate(authority.certificate);
    expect(certificate.checkIssued(signer)).toBe(true);
    expect(certificate.verify(signer.publicKey)).toBe(true);
    expect(certificate.ca).toBe(false);
    expect(certificate.publicKey.equals(createPublicKey(key))).toBe(true);
    for (const host of ['hub.local', 'localhost']) expect(certificate.checkHost(host)).toBe(host);
    expect(certificate.checkHost('evil.local')).toBeUndefined();
    for (const address of HOSTS.slice(2)) expect(certificate.checkIP(address), address).toBe(address);
    expect(certificate.checkIP('10.0.0.1')).toBeUndefined();
    const days = (Date.parse(certificate.validTo) - Date.parse(certificate.validFrom)) / 86_400_000;
    expect(days).toBe(397);
  });

  it('OpenSSL accepts them', async () => {
    const { cert } = await authority.issue(HOSTS);
    const [ca, leaf] = [path.join(folder, 'ca.pem'), path.join(folder, 'leaf.pem')];
    await writeFile(ca, authority.certificate);
    await writeFile(leaf, cert);
    const strictly = ['verify', '-x509_strict', '-purpose', 'sslserver', '-verify_hostname', 'hub.local'];
    expect((await run('openssl', [...strictly, '-CAfile', ca, leaf])).stdout).toContain('OK');
    const { stdout } = await run('openssl', ['x509', '-in', leaf, '-noout', '-text']);
    expect(stdout).toContain('IP Address:2001:DB8:0:0:0:0:0:0');
    expect(stdout).toMatch(/Key Usage: critical\s+Digital Signature\n/);
    const authorityText = await run('openssl', ['x509', '-in', ca, '-noout', '-text']);
    expect(authorityText.stdout).toMatch(/Key Usage: critical\s+Certificate Sign, CRL Sign\n/);
    expect(authorityText.stdout).toContain('CA:TRUE, pathlen:0');
  });

  it('a TLS client that trusts the authority accepts it, one that does not refuses', async () => {
    const server = createServer({ ...(await authority.issue(['localhost'])), minVersion: 'TLSv1.2' }, (socket) =>
      socket.end('hello'),
    );
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    const hello = (ca: string | undefined): Promise<string> =>
      new Promise((resolve, reject) => {
        const socket = connect({
          port,
          host: '127.0.0.1',
          servername: 'localhost',
          ...(ca === undefined ? {} : { ca }),
        });
        socket.on('data', (bytes: Buffer) => resolve(bytes.toString()));
        socket.on('error', reject);
      });
    expect(await hello(authority.certificate)).toBe('hello');
    await expect(hello(undefined)).rejects.toThrow();
    server.close();
  });

  it('serial numbers and keys do not repeat', async () => {
    const issued = await Promise.all(Array.from({ length: 20 }, () => authority.issue(['a'])));
    expect(new Set(issued.map(({ key }) => key)).size).toBe(20);
    expect(new Set(issued.map(({ cert }) => new X509Certificate(cert).serialNumber)).size).toBe(20);
  });
});
