import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it, type TestContext } from 'vitest';
import { key, keyId, withApiKey } from '../harness/api-key.ts';
import { makeCertificate, withCertificate } from '../harness/certificate.ts';
import { MachineClient } from '../harness/machine-client.ts';
import { pythonWith, viamSdk } from '../harness/python-environment.ts';
import { benchConfig, startServer, withWindow, type ServerProcess } from '../harness/server-process.ts';
import { temporaryFolder } from '../harness/temporary-folder.ts';
import { until } from '../harness/until.ts';

const run = promisify(execFile);
const script = path.join(import.meta.dirname, 'drive_and_wait.py');

/** The public Python SDK over native gRPC. It starts and keeps sessions by itself. */
describe('the public Python SDK', () => {
  let python = '';
  let whyNot: string | undefined;
  let server: ServerProcess | undefined;

  beforeAll(() => {
    ({ python, whyNot } = pythonWith(viamSdk));
  }, 240_000);

  afterAll(async () => {
    await server?.stop();
  });

  async function serve(context: TestContext, config: string, args: readonly string[] = []): Promise<ServerProcess> {
    if (whyNot !== undefined) context.skip(whyNot);
    await server?.stop();
    server = await startServer({ config, args });
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

  it('does the same over WebRTC, and its motor stops when it is killed', async (context) => {
    const { url, port } = await serve(context, await readFile(benchConfig, 'utf8'), ['-debug']);
    const address = `127.0.0.1:${port}`;
    const { stdout } = await run(python, [script, '--webrtc', address, 'all'], { timeout: 25_000 });
    // The SDK's library logs to standard output too.
    const seen = JSON.parse(stdout.trim().split('\n').at(-1) ?? '') as unknown;
    expect(seen).toMatchObject({ powered: [true, 0.4], stopped: true, analogStep: 1 });
    expect(server?.stderr()).toMatch(/MotorService\/GoFor .*"transport":"webrtc"/);

    const child = spawn(python, [script, '--webrtc', address, 'hold'], { stdio: ['ignore', 'pipe', 'inherit'] });
    const onlooker = new MachineClient(url);
    await until('it drives', () => onlooker.isMoving('turntable'), 20_000);
    child.kill('SIGKILL');
    await until('the motor stands', async () => !(await onlooker.isMoving('turntable')), 30_000);
    onlooker.close();
  }, 90_000);

  it('loses its session and its motor when it is killed, long before its window', async (context) => {
    const { url, port } = await serve(context, withWindow(await readFile(benchConfig, 'utf8'), '1m'));
    const child = spawn(python, [script, `localhost:${port}`, 'hold'], { stdio: ['ignore', 'pipe', 'inherit'] });
    await once(child.stdout, 'data');
    const onlooker = new MachineClient(url);
    expect(await onlooker.isMoving('turntable')).toBe(true);
    child.kill('SIGKILL');
    await until('the motor stands', async () => !(await onlooker.isMoving('turntable')), 10_000);
    await until(
      'the log says why',
      () => server?.stderr().includes('last connection of its session closed') === true,
      5_000,
    );
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
