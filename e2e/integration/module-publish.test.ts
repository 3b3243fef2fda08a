import { createHash } from 'node:crypto';
import { chmod, mkdir, mkdtemp, readFile, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { connect, createServer, type AddressInfo, type Server } from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { AppServiceDefinition } from '../../proto/gen/core/app/v1/app.ts';
import { RegistryServiceDefinition, type DescribeModuleResponse } from '../../proto/gen/core/hub/v1/registry.ts';
import { AuthServiceDefinition } from '../../proto/gen/proto/rpc/v1/auth.ts';
import { HubStation } from '../../src-main/app/hub/hub-station.ts';
import { systemClock } from '../../src-main/base/clock.ts';
import { silentLogger } from '../../src-main/base/logger.ts';
import { GrpcClient } from '../harness/grpc-client.ts';
import { installModuleProgram, type ModuleCommandRun, type ModuleProgram } from '../harness/module-program.ts';

describe('publishing modules to a hub', () => {
  let program: ModuleProgram;
  let hub: HubStation;
  let hubFolder: string;
  let client: GrpcClient;
  let headers: Record<string, string>;
  let keyOptions: readonly string[];
  let counter = 0;
  /** Name and folder of each test's module. */
  let name = '';

  beforeAll(async () => {
    program = await installModuleProgram();
    hubFolder = await mkdtemp(path.join(os.tmpdir(), 'armature-hub-'));
    hub = await HubStation.open({
      address: hubFolder,
      folder: hubFolder,
      clock: systemClock,
      logger: silentLogger,
      isDebug: false,
      bind: { host: '127.0.0.1', port: 0 },
      isTlsOff: true,
      allowsInsecureCreds: false,
      allowedOrigins: [],
      pageFolder: undefined,
      onLost: (reason) => {
        throw new Error(reason);
      },
    });
    await hub.listen();
    const { ownerKey, organizationId } = hub.firstStart!;
    keyOptions = ['--hub', hub.url, '--key-id', ownerKey.id, '--key', ownerKey.secret];
    client = new GrpcClient(hub.url);
    const credentials = { type: 'api-key', payload: ownerKey.secret };
    const { accessToken } = await client.call(AuthServiceDefinition, 'authenticate', {
      entity: ownerKey.id,
      credentials,
    });
    headers = { authorization: `Bearer ${accessToken}` };
    await client.call(
      AppServiceDefinition,
      'updateOrganizationNamespace',
      { organizationId, newPublicNamespace: 'acme' },
      { headers },
    );
  });
  beforeEach(async () => {
    name = `weather${++counter}`;
    await program.run(['create', `acme:${name}`]);
    await rm(path.join(program.folder, 'home'), { recursive: true, force: true });
  });
  afterAll(async () => {
    client.close();
    await hub.stop();
    await rm(hubFolder, { recursive: true, force: true });
    await program.remove();
  });

  const upload = (...args: readonly string[]): Promise<ModuleCommandRun> =>
    program.run(['upload', ...args, ...keyOptions], name);
  const describeModule = (moduleId = `acme:${name}`): Promise<DescribeModuleResponse> =>
    client.call(RegistryServiceDefinition, 'describe', { moduleId }, { headers });

  it('makes the module known, publishes what was built, and says so when it is asked again', async () => {
    expect(await upload('--version', '1.0.0')).toEqual({
      code: 0,
      stdout: `published acme:${name} 1.0.0 for any\n`,
      stderr: '',
    });
    const bytes = await readFile(path.join(program.folder, name, `${name}.tar.gz`));
    const { module, versions } = await describeModule();
    expect(module).toMatchObject({
      latest: '1.0.0',
      description: `What ${name} is for, in a sentence.`,
      platforms: ['any'],
    });
    expect(module?.models).toMatchObject([{ api: 'core:component:sensor', model: `acme:${name}:sensor` }]);
    expect(versions[0]?.files).toMatchObject([
      { platform: 'any', sha256: createHash('sha256').update(bytes).digest('hex'), signedBy: '' },
    ]);
    expect(await upload('--version', '1.0.0')).toMatchObject({
      code: 0,
      stdout: `was published already: acme:${name} 1.0.0 for any\n`,
    });

    await writeFile(path.join(program.folder, name, 'README.md'), '# Other bytes\n');
    const refused = await upload('--version', '1.0.0');
    expect(refused.code).toBe(1);
    expect(refused.stderr).toMatch(/^armature module upload: .*1\.0\.0.* any/);
    expect(await upload('--version', '1.0.1', '--json')).toMatchObject({ code: 0 });
    expect((await describeModule()).module?.latest).toBe('1.0.1');
  });

  it('publishes an archive for a platform', async () => {
    await program.run(['build', '--platform', 'linux/arm64'], name);
    const run = await upload(
      `${name}_linux_arm64.tar.gz`,
      '--version',
      '2.0.0',
      '--platform',
      'linux/arm64',
      '--tag',
      'distro:debian',
    );
    expect(run).toMatchObject({ code: 0, stdout: `published acme:${name} 2.0.0 for linux/arm64\n` });
    expect((await describeModule()).versions[0]?.files.map(({ platform }) => platform)).toEqual(['linux/arm64']);
  });

  it('goes on after its connection was cut, wherever that was', async () => {
    // Incompressible ballast: a package of a thousand chunks.
    const ballast = Buffer.alloc(4 * 1024 * 1024);
    for (let at = 0; at < ballast.length; at += 32) createHash('sha256').update(`${at}`).digest().copy(ballast, at);
    await writeFile(path.join(program.folder, name, 'ballast.bin'), ballast);
    const manifest = path.join(program.folder, name, 'package.json');
    const content = JSON.parse(await readFile(manifest, 'utf8')) as Record<string, unknown>;
    await writeFile(manifest, JSON.stringify({ ...content, files: ['ballast.bin'] }));
    for (const share of [0.1, 0.5, 0.9]) {
      const relay = await cuttingRelay(Number(new URL(hub.url).port), ballast.length * share);
      const run = await program.run(
        ['upload', '--version', '1.0.0', ...keyOptions.map((word) => (word === hub.url ? relay.url : word))],
        name,
      );
      relay.server.close();
      expect(run.code).toBe(1);
      expect(run.stderr).toContain(`${relay.url} does not answer`);
      expect((await describeModule()).versions).toEqual([]);
    }
    const whole = await upload('--version', '1.0.0');
    expect(whole).toMatchObject({ code: 0 });
    expect(whole.stderr).toContain('uploaded 50 % of ');
  });

  it('signs with the key of this computer, once the organization accepts it', async () => {
    expect(await program.run(['key', 'show'])).toMatchObject({ code: 1 });
    const made = await program.run(['key', 'create', '--json']);
    const { id, file } = JSON.parse(made.stdout) as { id: string; file: string };
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    const again = await program.run(['key', 'create']);
    expect(again.code).toBe(1);
    expect(again.stderr).toContain(`There is a key already: ${id}`);

    const early = await upload('--version', '1.0.0');
    expect(early.code).toBe(1);
    expect(early.stderr).toContain('Run "armature module key register" with the key of an owner.');
    const registered = await program.run(['key', 'register', '--name', 'bench', ...keyOptions]);
    expect(registered).toMatchObject({ code: 0, stderr: '' });
    expect(registered.stdout).toMatch(new RegExp(`^the key ${id} signs for .* from now on\n$`));
    expect(await upload('--version', '1.0.0')).toMatchObject({ code: 0 });
    expect((await describeModule()).versions[0]?.files[0]?.signedBy).toBe('bench');

    const next = await program.run(['key', 'create', '--force', '--json']);
    const newer = (JSON.parse(next.stdout) as { id: string }).id;
    expect(await readdir(path.dirname(file))).toEqual(['publisher-key', `publisher-key-${id}`]);
    const endorsed = await program.run(['key', 'register', ...keyOptions]);
    expect(endorsed.stdout).toContain(`the key ${newer} signs for`);
    expect(endorsed.stdout).toContain('endorsed by the key before it');
    expect((await program.run(['key', 'register', ...keyOptions])).stdout).toContain('already');
    expect(await upload('--version', '1.1.0')).toMatchObject({ code: 0 });

    await chmod(file, 0o644);
    const open = await upload('--version', '1.2.0');
    expect(open.code).toBe(1);
    expect(open.stderr).toContain('others may read it');
    await rm(file);
    const unsigned = await upload('--version', '1.2.0');
    expect(unsigned.code).toBe(1);
    expect(unsigned.stderr).toContain('Run "armature module key create", then "armature module key register"');
  });

  it('lists and yanks what there is', async () => {
    await program.run(['key', 'create']);
    await program.run(['key', 'register', ...keyOptions]);
    await upload('--version', '1.0.0');
    await upload('--version', '1.0.1');
    const list = await program.run(['list', ...keyOptions]);
    expect(list.stdout).toContain(`acme:${name}  1.0.1  What ${name} is for`);
    const found = await program.run(['search', name, '--json', ...keyOptions]);
    expect(JSON.parse(found.stdout)).toMatchObject([{ module_id: `acme:${name}`, latest: '1.0.1', may_publish: true }]);
    expect(await program.run(['search', 'nothing-like-it', ...keyOptions])).toMatchObject({ stdout: 'no modules\n' });

    const yank = (...args: string[]): Promise<ModuleCommandRun> =>
      program.run(['yank', `acme:${name}`, ...args, ...keyOptions]);
    expect(await yank('1.0.1')).toMatchObject({ code: 2 });
    expect(await yank('1.0.1', '--reason', 'turns backward')).toMatchObject({ code: 0 });
    expect((await describeModule()).module?.latest).toBe('1.0.0');
    expect((await describeModule()).versions[0]?.yanked).toBe('turns backward');
    expect(await yank('1.0.1', '--undo')).toMatchObject({ code: 0 });
    expect((await describeModule()).module?.latest).toBe('1.0.1');
    expect(await yank('7.0.0', '--reason', 'x')).toMatchObject({ code: 1 });
  });

  it('says what is wrong with where, who and what', async () => {
    const ended = async (args: readonly string[]): Promise<[number, string]> => {
      const { code, stderr } = await program.run(args, name);
      return [code, stderr];
    };
    const words = (text: string): unknown => expect.stringContaining(text);
    expect(await ended(['upload'])).toEqual([2, words('--version is missing.')]);
    expect(await ended(['upload', '--version', '1.0.0', '--hub', 'http://127.0.0.1:1'])).toEqual([
      1,
      words('http://127.0.0.1:1 does not answer'),
    ]);
    expect(await ended(['upload', '--version', '1.0.0', '--hub', hub.url, '--key-id', 'x'])).toEqual([
      2,
      words('--key is missing: an API key is an id and a key.'),
    ]);
    const elsewhere = ['--hub', 'http://hub.example', '--key-id', 'x', '--key', 'y'];
    expect(await ended(['upload', '--version', '1.0.0', ...elsewhere])).toEqual([
      2,
      words('A key is not sent to http://hub.example in clear text: write https://.'),
    ]);
    const stranger = ['--hub', hub.url, '--key-id', 'x', '--key', 'y'];
    expect((await ended(['upload', '--version', '1.0.0', ...stranger]))[0]).toBe(1);
    expect(await ended(['upload', 'README.md', '--version', '1.0.0', ...keyOptions])).toEqual([
      1,
      words('README.md is no package that can be read'),
    ]);
    expect(await ended(['upload', '--version', 'one', ...keyOptions])).toEqual([
      2,
      words('--version is "one"; write MAJOR.MINOR.PATCH'),
    ]);
    const other = await program.run(['create', `umbrella:${name}`, '--folder', `other${name}`]);
    expect(other.code).toBe(0);
    const wrong = await program.run(['upload', '--version', '1.0.0', ...keyOptions], `other${name}`);
    expect(wrong.code).toBe(2);
    expect(wrong.stderr).toContain(`Write "acme:${name}" there, and in the models.`);
  });

  it('tells of keys that were refused on this computer, and accepts one by its name alone', async () => {
    expect(await program.run(['trust'])).toMatchObject({ code: 0, stdout: 'no key is known on this computer\n' });
    const folder = path.join(program.folder, 'home/packages');
    await program.run(['key', 'create']);
    const key = (byte: number): string => Buffer.alloc(32, byte).toString('base64');
    const idOf = (byte: number): string =>
      createHash('sha256').update(Buffer.alloc(32, byte)).digest('hex').slice(0, 16);
    const known = (byte: number): object => ({ key: key(byte), signedBy: 'bench', since: 0 });
    await mkdir(folder, { recursive: true });
    await writeFile(
      path.join(folder, 'trusted-keys.json'),
      JSON.stringify({ namespaces: { acme: known(1) }, refused: { acme: known(2) } }),
    );
    expect((await program.run(['trust', 'acme'])).stdout).toBe(
      `acme  ${idOf(1)}\nacme  ${idOf(2)}  refused; to accept it: armature module trust acme ${idOf(2)}\n`,
    );
    expect(await program.run(['trust', 'acme', idOf(3)])).toMatchObject({ code: 1 });
    expect(await program.run(['trust', 'acme', idOf(2)])).toMatchObject({ code: 0 });
    expect(JSON.parse((await program.run(['trust', '--json'])).stdout)).toEqual([
      { namespace: 'acme', key: idOf(2), is_accepted: true },
    ]);
  });
});

/** A relay to a port that is cut after this many bytes. */
async function cuttingRelay(port: number, bytes: number): Promise<{ readonly url: string; readonly server: Server }> {
  const server = createServer((from) => {
    const to = connect(port, '127.0.0.1');
    let passed = 0;
    from.on('data', (chunk: Buffer) => {
      passed += chunk.length;
      if (passed > bytes) {
        from.destroy();
        to.destroy();
      } else if (!to.write(chunk)) {
        from.pause();
        to.once('drain', () => from.resume());
      }
    });
    to.pipe(from);
    for (const socket of [from, to]) socket.on('error', () => undefined);
    from.on('close', () => to.destroy());
    to.on('close', () => from.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, server };
}
