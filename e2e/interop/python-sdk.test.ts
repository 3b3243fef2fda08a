import { execFile, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { readFile, rm } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it, type TestContext } from 'vitest';
import { key, keyId, withApiKey } from '../harness/api-key.ts';
import { makeCertificate, withCertificate } from '../harness/certificate.ts';
import { MachineClient } from '../harness/machine-client.ts';
import { benchConfig, startServer, type ServerProcess } from '../harness/server-process.ts';
import { temporaryFolder } from '../harness/temporary-folder.ts';
import { until } from '../harness/until.ts';

const run = promisify(execFile);
const version = '0.85.1';
/** Kept between runs; named by the version, so that another one is another environment. */
const environment = path.resolve(import.meta.dirname, `../../node_modules/.cache/armature/viam-sdk-${version}`);
const python = path.join(environment, 'bin/python');
const script = path.join(import.meta.dirname, 'drive_and_wait.py');

/** Puts the SDK into an environment of its own. Gives the reason where that cannot be done here. */
function installSdk(): string | undefined {
  if (existsSync(python)) return undefined;
  const steps: [string, string[]][] = [
    ['python3', ['-m', 'venv', environment]],
    [python, ['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check', `viam-sdk==${version}`]],
  ];
  for (const [command, args] of steps) {
    const { status, stderr, error } = spawnSync(command, args, { encoding: 'utf8', timeout: 100_000 });
    if (status === 0) continue;
    return `viam-sdk ${version} cannot be installed: ${error?.message ?? stderr.trim().split('\n').at(-1)}`;
  }
  return undefined;
}

/** The public Python SDK over native gRPC. It starts and keeps sessions by itself. */
describe('the public Python SDK', () => {
  let whyNot: string | undefined;
  let server: ServerProcess | undefined;

  beforeAll(async () => {
    whyNot = installSdk();
    if (whyNot !== undefined) await rm(environment, { recursive: true, force: true });
  }, 240_000);

  afterAll(async () => {
    await server?.stop();
  });

  async function serve(context: TestContext, config: string): Promise<ServerProcess> {
    if (whyNot !== undefined) context.skip(whyNot);
    await server?.stop();
    server = await startServer({ config });
    return server;
  }

  it('lists resources, drives a motor, reads, and hears why it is refused', async (context) => {
    const { port } = await serve(context, await readFile(benchConfig, 'utf8'));
    const { stdout } = await run(python, [script, `localhost:${port}`, 'all'], { timeout: 25_000 });
    const seen = JSON.parse(stdout) as Record<string, unknown>;
    expect(seen['names']).toContain('rdk motor/turntable');
    expect(seen).toMatchObject({
      powered: [true, 0.4],
      stopped: true,
      analogStep: 1,
      readings: ['humidity', 'temperature'],
    });
    expect(seen['position']).toBeCloseTo(1, 1);
    expect(seen['refusal']).toMatch(/revolutions/);
  });

  it('loses its session and its motor when it is killed', async (context) => {
    const { url, port } = await serve(context, await readFile(benchConfig, 'utf8'));
    const child = spawn(python, [script, `localhost:${port}`, 'hold'], { stdio: ['ignore', 'pipe', 'inherit'] });
    await once(child.stdout, 'data');
    const onlooker = new MachineClient(url);
    expect(await onlooker.isMoving('turntable')).toBe(true);
    child.kill('SIGKILL');
    await until('the motor stands', async () => !(await onlooker.isMoving('turntable')), 10_000);
    await until('the log says why', () => server?.stderr().includes('session expired') === true, 5_000);
    onlooker.close();
  });

  it('with auth.handlers connects over TLS with an API key, and with no other one', async (context) => {
    const certificate = makeCertificate(await temporaryFolder());
    const config = withCertificate(withApiKey(await readFile(benchConfig, 'utf8')), certificate);
    const { url, port } = await serve(context, config);
    expect(url).toBe(`https://localhost:${port}`);
    const attempt = (...shown: string[]) =>
      run(python, [script, `localhost:${port}`, 'all', ...shown], { timeout: 25_000 });
    const refusal = { stderr: expect.stringContaining('invalid credentials') as string };
    await expect(attempt(keyId, 'wrong')).rejects.toMatchObject(refusal);
    expect(JSON.parse((await attempt(keyId, key)).stdout)).toMatchObject({ powered: [true, 0.4] });
  });
});
