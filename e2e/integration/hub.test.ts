import { spawnSync } from 'node:child_process';
import { createHash, X509Certificate } from 'node:crypto';
import { chown, mkdir, readdir, stat, writeFile } from 'node:fs/promises';
import https from 'node:https';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { AppServiceDefinition } from '../../proto/gen/core/app/v1/app.ts';
import { AuthServiceDefinition } from '../../proto/gen/proto/rpc/v1/auth.ts';
import { HealthDefinition } from '../../proto/gen/grpc/health/v1/health.ts';
import { StatusCode } from '../../proto/status-code.ts';
import { GrpcClient } from '../harness/grpc-client.ts';
import { HubClient, hubFolder, startHub, type HubProcess, type OwnerKey } from '../harness/hub-process.ts';
import { runArmature } from '../harness/server-process.ts';
import { until } from '../harness/until.ts';

/** Changes by another process are noticed within a fifth of a second; test computers are busy. */
const SOON_MS = 10_000;

/** `armature hub` as its users run it. */
describe('armature hub', () => {
  let data: string;
  let remove: () => Promise<void>;
  let hubs: HubProcess[];
  let clients: { close(): void }[];

  beforeEach(async () => {
    ({ data, remove } = await hubFolder());
    [hubs, clients] = [[], []];
  });

  afterEach(async () => {
    for (const client of clients) client.close();
    await Promise.all(hubs.map((hub) => hub.stop()));
    await remove();
  });

  const start = async (...args: string[]): Promise<HubProcess> => {
    const hub = await startHub({ data, args: ['--no-tls', ...args] });
    hubs.push(hub);
    return hub;
  };
  const logIn = async (hub: HubProcess, key: OwnerKey | undefined, authority?: string): Promise<HubClient> => {
    if (key === undefined) throw new Error('no key');
    const client = await HubClient.logIn(hub.url, key, authority);
    clients.push(client);
    return client;
  };
  const command = (...args: string[]) => runArmature(['hub', ...args, '--data', data]);

  it('the first start prints the organization and an owner key, no later start prints a secret', async () => {
    const first = await start();
    expect(first.stdout()).toMatch(
      /^organization [0-9a-f-]{36}\nowner key id [0-9a-f-]{36}\nowner key [a-z0-9]{50}\nserving on http:\/\/localhost:\d+\n$/,
    );
    const { organizations } = await (await logIn(first, first.ownerKey)).call('listOrganizations', {});
    expect(organizations.map(({ id }) => id)).toEqual([first.organizationId]);
    expect(await first.stop()).toBe(0);
    expect(first.stderr()).not.toContain(first.ownerKey?.secret);

    const second = await start();
    expect(second.stdout()).toMatch(/^serving on http:\/\/localhost:\d+\n$/);
    await logIn(second, first.ownerKey);
    // Its files are readable by the owner alone.
    expect((await stat(data)).mode & 0o077).toBe(0);
    for (const name of (await readdir(data)).filter((file) => file.startsWith('hub.sqlite'))) {
      expect((await stat(path.join(data, name))).mode & 0o077, name).toBe(0);
    }
  });

  const isRoot = process.getuid?.() === 0;
  it.skipIf(!isRoot)('hides its memory and environment from programs of its own user (must be root)', async () => {
    const NOBODY = 65_534;
    const as = { uid: NOBODY, gid: NOBODY };
    await chown(path.dirname(data), NOBODY, NOBODY);
    const through = ['setpriv', '--reuid', String(NOBODY), '--regid', String(NOBODY), '--clear-groups'];
    const hub = await startHub({ data, args: ['--no-tls'], through });
    hubs.push(hub);
    const { status, stderr } = spawnSync('cat', [`/proc/${hub.process.pid}/environ`], { ...as, encoding: 'utf8' });
    expect([status, stderr]).toEqual([1, expect.stringContaining('Permission denied')]);
    expect(spawnSync('cat', [`/proc/${hub.process.pid}/cmdline`], as).status).toBe(0);
  });

  it('takes keys that were made beside it, and none that is wrong', async () => {
    const hub = await start();
    const made = await command('key', 'create', '--role', 'organization_operator', '--name', 'reader');
    const key = {
      id: /^key id (\S+)$/m.exec(made.stdout)?.[1] ?? '',
      secret: /^key (\w{50})$/m.exec(made.stdout)?.[1] ?? '',
    };
    const client = await logIn(hub, key);
    expect((await client.call('listOrganizations', {})).organizations).toHaveLength(1);
    await expect(logIn(hub, { ...key, secret: 'wrong' })).rejects.toMatchObject({
      code: StatusCode.UNAUTHENTICATED,
      details: 'invalid credentials',
    });
    const listed = await command('key', 'list', '--json');
    const keys = JSON.parse(listed.stdout) as { id: string; name: string; authorizations: { role: string }[] }[];
    expect(keys.map(({ name, authorizations }) => [name, authorizations[0]?.role])).toEqual([
      ['owner', 'organization_owner'],
      ['reader', 'organization_operator'],
    ]);
    expect(listed.stdout).not.toContain(key.secret);
  });

  it('a key that is rotated or revoked beside it ends for who uses it', async () => {
    const hub = await start();
    const client = await logIn(hub, hub.ownerKey);
    const list = () => client.call('listOrganizations', {});
    await list();
    const rotated = await command('key', 'rotate', hub.ownerKey?.id ?? '');
    const refused = () =>
      list().then(
        () => false,
        (thrown: { code: number }) => thrown.code === Number(StatusCode.UNAUTHENTICATED),
      );
    await until('the old key is refused', refused, SOON_MS);
    const secret = /^key (\w{50})$/m.exec(rotated.stdout)?.[1] ?? '';
    const again = await logIn(hub, { id: hub.ownerKey?.id ?? '', secret });
    await again.call('listOrganizations', {});
    const revoked = await command('key', 'revoke', hub.ownerKey?.id ?? '');
    expect([revoked.code, revoked.stdout]).toEqual([0, `revoked ${hub.ownerKey?.id}\n`]);
    const isLetIn = () =>
      again.call('listOrganizations', {}).then(
        () => true,
        () => false,
      );
    await until('nobody is let in', async () => !(await isLetIn()), SOON_MS);
  });

  it('answers nobody without a token, but says whether it is well', async () => {
    const hub = await start();
    const client = new GrpcClient(hub.url);
    clients.push(client);
    await expect(client.call(AppServiceDefinition, 'listOrganizations', {})).rejects.toMatchObject({
      code: StatusCode.UNAUTHENTICATED,
    });
    const elsewhere = { headers: { authorization: 'Bearer x' } };
    await expect(client.call(AppServiceDefinition, 'listOrganizations', {}, elsewhere)).rejects.toMatchObject({
      code: StatusCode.UNAUTHENTICATED,
    });
    expect((await client.call(HealthDefinition, 'check', { service: '' })).status).toBe(1);
    expect(await (await fetch(`${hub.url}/healthz/ready`)).text()).toBe('running\n');
    const alias = '/viam.app.v1.AppService/ListOrganizations';
    await expect(client.raw(alias, new Uint8Array())).rejects.toMatchObject({ code: StatusCode.UNAUTHENTICATED });
    await until('the refusals are in the log', () => hub.stderr().includes('refused'), SOON_MS);
  });

  it('lets pages of allowed web sites call it, and no others', async () => {
    const hub = await start('--allowed-origin', 'https://fleet.example');
    const from = (origin: string) =>
      fetch(`${hub.url}/viam.app.v1.AppService/ListOrganizations`, {
        method: 'OPTIONS',
        headers: { origin, 'access-control-request-method': 'POST' },
      });
    const allowed = await from('https://fleet.example');
    expect([allowed.ok, allowed.headers.get('access-control-allow-origin')]).toEqual([true, 'https://fleet.example']);
    expect((await from('https://evil.example')).status).toBe(403);
  });

  describe('TLS', () => {
    it('is on unless turned off; `ca` gives what to trust, with the fingerprint that was printed', async () => {
      const hub = await startHub({ data });
      hubs.push(hub);
      expect(hub.url).toMatch(/^https:\/\/localhost:\d+$/);
      const { stdout: authority, code } = await command('ca');
      expect(code).toBe(0);
      const certificate = new X509Certificate(authority);
      expect(hub.fingerprint).toBe(certificate.fingerprint256);
      expect(createHash('sha256').update(certificate.raw).digest('hex').toUpperCase()).toBe(
        hub.fingerprint?.replaceAll(':', ''),
      );
      const client = await logIn(hub, hub.ownerKey, authority);
      expect((await client.call('listOrganizations', {})).organizations).toHaveLength(1);
      const stranger = new GrpcClient(hub.url, {}, SOMEBODY_ELSES);
      clients.push(stranger);
      const attempt = stranger.call(AuthServiceDefinition, 'authenticate', { entity: 'x' }, { timeoutMs: 2_000 });
      await expect(attempt).rejects.toMatchObject({ code: StatusCode.UNAVAILABLE });
      const ready = await new Promise((resolve, reject) => {
        https
          .get(`${hub.url}/healthz/ready`, { ca: authority }, (response) => {
            response.resume();
            resolve(response.statusCode);
          })
          .on('error', reject);
      });
      expect(ready).toBe(200);
      expect(await hub.stop()).toBe(0);

      const again = await startHub({ data });
      hubs.push(again);
      expect(again.fingerprint).toBe(hub.fingerprint);
      await logIn(again, hub.ownerKey, authority);
    });

    const canIsolate =
      process.platform === 'linux' && spawnSync('unshare', ['--net', 'ip', 'link', 'set', 'lo', 'up']).status === 0;
    const note = canIsolate ? '' : ' (skipped: needs root, ip and unshare for a network of its own)';

    it.skipIf(!canIsolate)(
      `turned off, no key is taken from beyond this computer without --allow-insecure-creds, and the log says so; turned on, the certificate holds addresses that came later${note}`,
      () => {
        const script = path.join(import.meta.dirname, 'hub-beyond-loopback.ts');
        const run = spawnSync('unshare', ['--net', process.execPath, script], { encoding: 'utf8', timeout: 60_000 });
        expect(run.status, run.stderr).toBe(0);
        expect(JSON.parse(run.stdout)).toEqual({
          inClearText: { own: StatusCode.OK, beyond: StatusCode.PERMISSION_DENIED, isLogged: true, tellsSecret: false },
          allowed: { own: StatusCode.OK, beyond: StatusCode.OK, isLogged: false, tellsSecret: false },
          later: true,
        });
      },
      70_000,
    );
  });

  describe('one at a time', () => {
    it('a second hub on the same data is refused; after a kill the next one starts', async () => {
      const hub = await start();
      const second = await runArmature(['hub', '--data', data, '--bind', 'localhost:0']);
      expect([second.code, second.stdout]).toEqual([2, '']);
      expect(second.stderr).toContain('A hub is running on');
      await hub.crash();
      await start();
    });

    it('an address that is taken exits with 3, and the key of a first start is told all the same', async () => {
      const other = await start();
      const { port } = new URL(other.url);
      const elsewhere = await hubFolder();
      const run = await runArmature(['hub', '--no-tls', '--data', elsewhere.data, '--bind', `localhost:${port}`]);
      expect(run.code).toBe(3);
      expect(run.stderr).toMatch(/--bind/);
      expect(run.stdout).toMatch(/^organization \S+\nowner key id \S+\nowner key \w{50}\n$/);
      await elsewhere.remove();
    });
  });

  describe('backup and restore', () => {
    it('a backup of the running hub restores to what was then, which the hub must not be running for', async () => {
      const hub = await start();
      const client = await logIn(hub, hub.ownerKey);
      const name = async (): Promise<string | undefined> =>
        (await client.call('listOrganizations', {})).organizations[0]?.name;
      const rename = (to: string) =>
        client.call('updateOrganization', { organizationId: hub.organizationId ?? '', name: to });
      await rename('Before');
      const file = path.join(data, 'copy.sqlite');
      expect(await command('backup', file)).toMatchObject({ code: 0, stdout: `backup ${file}\n` });
      await rename('After');
      const refused = await command('restore', file);
      expect([refused.code, refused.stderr]).toEqual([2, expect.stringContaining('A hub is running')]);
      expect(await name()).toBe('After');
      await hub.stop();

      const restored = await command('restore', file);
      expect(restored.code).toBe(0);
      expect(restored.stdout).toMatch(/^restored .*hub\.sqlite\nkept .*hub\.sqlite\.before-/);
      const again = await start();
      const afterwards = await logIn(again, hub.ownerKey);
      expect((await afterwards.call('listOrganizations', {})).organizations[0]?.name).toBe('Before');
    });

    it('never writes over a file, and refuses what is no backup', async () => {
      await (await start()).stop();
      const file = path.join(data, 'mine');
      await writeFile(file, 'mine');
      expect((await command('backup', file)).code).toBe(2);
      const run = await command('restore', file);
      expect([run.code, run.stderr]).toEqual([2, expect.stringContaining('no good backup')]);
      await start();
    });
  });

  describe('wrong use', () => {
    it.each([
      [['--bind', 'nowhere'], /--bind is "nowhere"/],
      [['--bind', 'localhost:99999'], /--bind/],
      [['--database', 'mysql://x'], /--database/],
      [['--no-such-option'], /no-such-option/],
      [['key'], /create, list, revoke or rotate/],
      [['key', 'revoke'], /needs the id/],
      [['backup'], /needs a file/],
      [['backup', 'a', 'b'], /"b" does not belong/],
    ])('%j exits with 2 and says what is wrong', async (args, message) => {
      const run = await runArmature(['hub', ...args, '--data', data]);
      expect([run.code, run.stdout]).toEqual([2, '']);
      expect(run.stderr).toMatch(message);
    });

    it('commands on a folder without a hub make none', async () => {
      await mkdir(data);
      for (const args of [['key', 'list'], ['key', 'create'], ['ca'], ['backup', path.join(data, 'x')]]) {
        const run = await command(...args);
        expect([run.code, run.stderr]).toEqual([2, expect.stringContaining('There is no hub in')]);
      }
      expect(await readdir(data)).toEqual([]);
    });

    it('a database that cannot be reached is named without its password', async () => {
      const url = 'postgres://me:hunter2@127.0.0.1:1/hub';
      const run = await runArmature(['hub', '--data', data, '--database', url, '--bind', 'localhost:0']);
      expect(run.code).toBe(2);
      expect(run.stderr).toContain('ECONNREFUSED');
      expect(run.stderr).not.toContain('hunter2');
    });

    it('-help lists the options', async () => {
      const run = await runArmature(['hub', '-help']);
      expect(run.code).toBe(0);
      for (const word of ['--data', '--database', '--bind', '--no-tls', 'key create', 'restore']) {
        expect(run.stdout).toContain(word);
      }
    });
  });
});

/** A certificate unrelated to any hub, made once for this test. */
const SOMEBODY_ELSES = `-----BEGIN CERTIFICATE-----
MIIBeDCCAR2gAwIBAgIUOyAbqOCGYg/jYvDN1+vF6pQ/SZ8wCgYIKoZIzj0EAwIw
ETEPMA0GA1UEAwwGbm9ib2R5MB4XDTI2MTEyMjAzNDg1N1oXDTM2MTExOTAzNDg1
N1owETEPMA0GA1UEAwwGbm9ib2R5MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAE
+umavxQmYvFiENEML87wS3De3ir7UNgbGmrLC1nn8AhUqshhYypNtLUPixASajE0
GeCHcp6hxFk3c4lDQe/duaNTMFEwHQYDVR0OBBYEFOII8jjT046c5UD2IrL4Jqgn
q32hMB8GA1UdIwQYMBaAFOII8jjT046c5UD2IrL4Jqgnq32hMA8GA1UdEwEB/wQF
MAMBAf8wCgYIKoZIzj0EAwIDSQAwRgIhAOibCk481r3ZfOQM6+eOu31fNcSIb9DG
q3h3Fj6IoMEDAiEA11qM6fzq8wWzja4EL6MFfbOJOC+lojXT6p3MfM7HN5U=
-----END CERTIFICATE-----
`;
