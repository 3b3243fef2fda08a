import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { StatusServiceDefinition } from '../../proto/gen/core/status/v1/status.ts';
import { GrpcClient } from '../harness/grpc-client.ts';
import { runArmature } from '../harness/server-process.ts';
import { temporaryFolder } from '../harness/temporary-folder.ts';
import { until } from '../harness/until.ts';

const repository = path.resolve(import.meta.dirname, '../..');
const started: ChildProcess[] = [];

interface Start {
  readonly process: ChildProcess;
  readonly url: string;
  readonly token: string;
  readonly stdout: () => string;
  readonly stderr: () => string;
}

/** Runs build/start.mjs as a terminal would: as the leader of its own process group. */
async function start(args: readonly string[], environment: Readonly<Record<string, string>>): Promise<Start> {
  const home = await temporaryFolder();
  const config = path.join(home, 'given.json');
  await writeFile(config, '{ "network": { "bind_address": "localhost:0" } }');
  const child = spawn(process.execPath, ['build/start.mjs', ...args, '-config', config], {
    cwd: repository,
    detached: true,
    env: { ...process.env, SVC_HOME: home, ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  started.push(child);
  let stdout = '';
  let stderr = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => (stdout += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text));
  const url = (): string | undefined => /^open (\S+)$/m.exec(stdout)?.[1];
  await until('the server serves', () => url() !== undefined, 20_000);
  const { origin, hash } = new URL(url() ?? '');
  const token = hash.replace('#token=', '');
  return { process: child, url: origin, token, stdout: () => stdout, stderr: () => stderr };
}

/** As a terminal does on Ctrl+C: sends the signal to all processes of the group. */
function signalAll({ process: child }: Start, signal: NodeJS.Signals): void {
  process.kill(-(child.pid ?? 0), signal);
}

afterEach(() => {
  for (const child of started.splice(0)) {
    try {
      process.kill(-(child.pid ?? 0), 'SIGKILL');
    } catch {
      // It has exited by itself, as it should.
    }
  }
});

describe('npm start', () => {
  it.each(['SIGINT', 'SIGHUP'] as const)(
    'stops in order by one %s of the terminal, which reaches the server directly and passed on',
    async (signal) => {
      const program = await start(['--headless'], {});
      const client = new GrpcClient(program);
      // An open stream makes the shutdown take long enough for both to arrive.
      const stream = client.stream(StatusServiceDefinition, 'watch', {});
      stream.on('error', () => undefined);
      await once(stream, 'data');
      const exited = once(program.process, 'exit');
      signalAll(program, signal);
      expect(await exited).toEqual([0, null]);
      expect(program.stderr()).toMatch(/stopping: SIG[^]*stopped/);
      client.close();
    },
  );

  it('goes on serving, and prints what to do, where the window does not open', async () => {
    const browser = path.join(await temporaryFolder(), 'browser');
    await writeFile(browser, '#!/bin/sh\nexit 1\n', { mode: 0o755 });
    const program = await start([], { DISPLAY: ':77', ARMATURE_BROWSER: browser });
    await until('it says so', () => /open the address above/.test(program.stdout()), 10_000);
    expect((await fetch(`${program.url}/healthz/live`)).status).toBe(200);
  });

  it('goes on serving where the browser is no program', async () => {
    const browser = path.join(await temporaryFolder(), 'browser');
    await writeFile(browser, 'not a program', { mode: 0o644 });
    const program = await start([], { DISPLAY: ':77', ARMATURE_BROWSER: browser });
    await until('it says so', () => /open the address above/.test(program.stdout()), 10_000);
    expect((await fetch(`${program.url}/healthz/live`)).status).toBe(200);
  });

  it('opens its window without the launch token in the arguments, which every user can read', async () => {
    const folder = await temporaryFolder();
    const browser = path.join(folder, 'browser');
    const told = path.join(folder, 'arguments');
    await writeFile(browser, `#!/bin/sh\necho "$@" > ${told}.part; mv ${told}.part ${told}\nexec sleep 60\n`, {
      mode: 0o755,
    });
    const program = await start([], { DISPLAY: ':77', ARMATURE_BROWSER: browser });
    let given = '';
    await until('the window is open', async () => (given = await readFile(told, 'utf8').catch(() => '')) !== '', 5_000);
    expect(given).not.toContain(program.token);
    const address = /--app=(\S+)/.exec(given)?.[1] ?? '';
    expect(new URL(address).origin).toBe(program.url);
    const open = (): Promise<Response> => fetch(address, { redirect: 'manual' });
    const first = await open();
    expect([first.status, first.headers.get('location')]).toEqual([303, `/#token=${program.token}`]);
    expect((await open()).status).toBe(403);
  });

  it('ends with its window, and its window with it', async () => {
    const folder = await temporaryFolder();
    const browser = path.join(folder, 'browser');
    const pidFile = path.join(folder, 'pid');
    await writeFile(browser, `#!/bin/sh\necho $$ > ${pidFile}\nexec sleep 60\n`, { mode: 0o755 });
    const program = await start([], { DISPLAY: ':77', ARMATURE_BROWSER: browser });
    const pid = (): Promise<number> => readFile(pidFile, 'utf8').then(Number, () => 0);
    await until('the window is open', async () => (await pid()) > 0, 5_000);
    const window = await pid();
    const exited = once(program.process, 'exit');
    program.process.kill('SIGTERM');
    expect(await exited).toEqual([0, null]);
    const isThere = (): boolean => {
      try {
        return process.kill(window, 0);
      } catch {
        return false;
      }
    };
    await until('the window is closed', () => !isThere(), 5_000);
  });
});

describe('a first start', () => {
  it('that cannot write its configuration says where, and what to do', async () => {
    const { code, stderr } = await runArmature(['server', '-starter'], { SVC_HOME: '/dev/null/home' });
    expect(code).toBe(2);
    expect(stderr).toMatch(/^armature: .*\/dev\/null\/home\/machine\.json .*Set SVC_HOME/);
  });
});
