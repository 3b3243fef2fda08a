import { createReadStream, mkdirSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { createGunzip } from 'node:zlib';
import { describe, expect, it, onTestFinished } from 'vitest';
import { extract } from 'tar-stream';
import { DiagnosticsServiceDefinition } from '../../proto/gen/core/diagnostics/v1/diagnostics.ts';
import { StatusCode } from '../../src-main/base/status.ts';
import { logFolder } from '../../src-main/machine/logging/stored/log-store.ts';
import { readStoredLog } from '../../src-main/machine/logging/stored/read-stored-log.ts';
import { GrpcClient } from '../harness/grpc-client.ts';
import { MachineClient } from '../harness/machine-client.ts';
import { writeLogLines } from '../harness/write-log-lines.ts';
import { storeLog } from '../harness/stored-log.ts';
import { runArmature, startServer, type ProgramRun, type ServerProcess } from '../harness/server-process.ts';
import { removeAfterTest, temporaryFolder } from '../harness/temporary-folder.ts';
import { until } from '../harness/until.ts';
import { bench } from '../harness/with-modules.ts';

const secrets = ['payload-of-the-remote', 'word-of-the-module', 'word-of-the-environment'];
const config = JSON.stringify({
  network: { bind_address: 'localhost:0' },
  components: [bench, { ...bench, name: 'no_such', model: 'acme:no:model', attributes: { wheels: 4 } }],
  modules: [{ name: 'm', type: 'local', executable_path: '/no/such/program', env: { ACME_SECRET: secrets[1] } }],
  remotes: [
    {
      name: 'other',
      address: 'localhost:9',
      auth: { entity: 'id-1', credentials: { type: 'api-key', payload: secrets[0] } },
    },
  ],
});
const environment = { ACME_TOKEN: secrets[2] ?? '' };

interface Bundle {
  /** By their paths in its folder. */
  readonly files: ReadonlyMap<string, Buffer>;
  text(name: string): string;
}

async function readBundle(file: string): Promise<Bundle> {
  const files = new Map<string, Buffer>();
  for await (const entry of createReadStream(file).pipe(createGunzip()).pipe(extract())) {
    const chunks: Buffer[] = [];
    for await (const chunk of entry) chunks.push(chunk as Buffer);
    const [folder = '', ...rest] = entry.header.name.split('/');
    expect(folder).toMatch(/^armature-support-\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d$/);
    files.set(rest.join('/'), Buffer.concat(chunks));
  }
  return { files, text: (name) => files.get(name)?.toString() ?? `no ${name}` };
}

/** Runs the command, and reads its output file. */
async function collect(server: ServerProcess, ...args: string[]): Promise<Bundle & { readonly run: ProgramRun }> {
  const folder = await temporaryFolder();
  const file = path.join(folder, 'bundle.tar.gz');
  const home = path.join(server.home, 'home');
  const options = ['--config', server.configPath, '--output', file, ...args];
  const run = await runArmature(['diagnostics', 'bundle', ...options], { SVC_HOME: home, ...environment });
  expect(run).toMatchObject({ code: 0, stdout: `${file}\n` });
  // The log is private: no other user of the computer may read it.
  expect(statSync(file).mode & 0o077).toBe(0);
  expect(readdirSync(folder)).toEqual(['bundle.tar.gz']);
  return { ...(await readBundle(file)), run };
}

/** A server whose log contains the secrets, as a careless program would write them. */
async function startWithLog(): Promise<ServerProcess> {
  const home = await temporaryFolder();
  // Enough for a database; later lines are in a file next to it.
  await storeLog(home, 3_000, (seq) => ({ message: `stored ${seq}` }));
  const server = await startServer({ config, environment, home });
  onTestFinished(async () => void (await server.kill('SIGKILL')));
  const client = new MachineClient(server);
  onTestFinished(() => client.close());
  await writeLogLines(client, [
    ...secrets.map((secret) => ({ message: `logged in with ${secret}`, level: 'info' as const })),
    { message: 'opening rtsp://admin:hunter2@10.0.0.7/stream', level: 'info' },
  ]);
  const stored = logFolder(path.join(home, 'home'), server.configPath);
  const isStored = (): boolean =>
    [...readStoredLog(stored, { text: 'rtsp:' })].some(({ entries }) => entries.length > 0);
  await until('the log is on the disk', isStored, 30_000);
  return server;
}

function expectNoSecrets({ files }: Bundle): void {
  for (const [name, content] of files) {
    for (const secret of [...secrets, 'hunter2']) expect(content.includes(secret), `${secret} in ${name}`).toBe(false);
  }
}

describe('a support bundle', () => {
  it('has what a server knows of itself, without secrets', { timeout: 120_000 }, async () => {
    const server = await startWithLog();
    const show = ['diagnostics', 'show', '--metric', 'process.uptime'];
    const isRecorded = async (): Promise<boolean> =>
      (await runArmature(show, { SVC_HOME: path.join(server.home, 'home') })).stdout.includes('process.uptime');
    await until('something is recorded', isRecorded, 60_000, 500);
    const bundle = await collect(server);
    expectNoSecrets(bundle);
    expect(bundle.files.get('computer.json')?.includes(server.token)).toBe(false);

    expect(bundle.text('README.txt')).toContain('Support bundle of Armature');
    expect(bundle.text('README.txt')).not.toContain('Could not be collected');
    expect(JSON.parse(bundle.text('configuration.json'))).toMatchObject({
      components: [{ name: 'bench' }, { name: 'no_such' }],
      remotes: [{ auth: { entity: 'id-1', credentials: { payload: '***' } } }],
    });
    const machine = JSON.parse(bundle.text('machine.json')) as {
      resources: { name: string; state: { kind: string } }[];
    };
    expect(machine.resources.map(({ name, state }) => [name, state.kind])).toContainEqual(['bench', 'ready']);
    expect(bundle.text('problems.txt')).toMatch(/\/no\/such\/program|no problems/i);
    const log = bundle.text('log.txt').split('\n');
    expect(log.findIndex((line) => line.includes('serving on'))).toBeGreaterThan(-1);
    expect(log.filter((line) => line.includes('logged in with ***'))).toHaveLength(secrets.length);
    expect(log.some((line) => line.includes('rtsp://***@10.0.0.7/stream'))).toBe(true);
    const placeOf = (words: string): number => log.findIndex((line) => line.includes(words));
    expect(placeOf('logged in with')).toBeGreaterThan(placeOf('serving on'));
    expect(bundle.text('doctor.txt')).toMatch(/^Armature +\d/);

    const copy = await temporaryFolder();
    mkdirSync(path.join(copy, 'diagnostics'));
    for (const [name, content] of bundle.files)
      if (name.startsWith('diagnostics/')) writeFileSync(path.join(copy, name), content);
    const shown = await runArmature([...show, '--folder', path.join(copy, 'diagnostics')]);
    expect(shown.stdout).toContain('process.uptime');
  });

  it('has what is on the disk where the server hangs, and where it is gone', { timeout: 120_000 }, async () => {
    const server = await startWithLog();
    server.process.kill('SIGSTOP');
    const ofHung = await collect(server);
    expect(ofHung.run.stderr).toContain('The bundle has what is on the disk.');
    server.process.kill('SIGCONT');
    await server.crash();
    const ofDead = await collect(server);
    for (const bundle of [ofHung, ofDead]) {
      expectNoSecrets(bundle);
      const log = bundle.text('log.txt');
      const places = ['stored 1', 'stored 3000', 'logged in with ***', 'rtsp://***@'].map((words) =>
        log.indexOf(words),
      );
      expect(places[0]).toBeGreaterThan(-1);
      expect(places).toEqual(places.toSorted((a, b) => a - b));
      expect(bundle.text('README.txt')).toMatch(/machine\.json: (No server runs|The server that runs)/);
      expect(JSON.parse(bundle.text('configuration.json'))).toMatchObject({ components: [{ name: 'bench' }, {}] });
      expect(bundle.text('doctor.txt')).toMatch(/^Armature/);
    }
  });

  it('leaves out a configuration of which nobody knows where its secrets are', { timeout: 60_000 }, async () => {
    const server = await startServer({ config, environment });
    removeAfterTest(server.home);
    await server.crash();
    await server.writeConfig(`${config.slice(0, -1)},`);
    const bundle = await collect(server);
    expectNoSecrets(bundle);
    expect(bundle.text('configuration.json')).toContain('it is left out');
    expect(bundle.text('problems.txt')).toContain('error');
  });

  it('is for those who may see log and records, and says what it cannot write', { timeout: 60_000 }, async () => {
    const server = await startServer({ config });
    onTestFinished(async () => void (await server.stop()));
    const stranger = new GrpcClient(server.url);
    onTestFinished(() => stranger.close());
    const asked = stranger.stream(DiagnosticsServiceDefinition, 'collectBundle', { backSeconds: 0 }).toArray();
    await expect(asked).rejects.toMatchObject({ code: StatusCode.UNAUTHENTICATED });
    const args = ['diagnostics', 'bundle', '--config', server.configPath, '--output', '/no/such/folder/bundle.tar.gz'];
    const run = await runArmature(args, { SVC_HOME: path.join(server.home, 'home') });
    expect(run.code).toBe(1);
    expect(run.stderr).toContain('/no/such/folder/bundle.tar.gz');
  });
});
