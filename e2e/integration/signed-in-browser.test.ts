import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile, rm } from 'node:fs/promises';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { MotorServiceDefinition } from '../../proto/gen/core/component/motor/v1/motor.ts';
import { ConfigServiceDefinition } from '../../proto/gen/core/config/v1/config.ts';
import { PageServiceDefinition } from '../../proto/gen/core/page/v1/page.ts';
import { MachineClient } from '../harness/machine-client.ts';
import { PageChannel } from '../harness/page-channel.ts';
import { benchConfig, startServer, type ServerProcess } from '../harness/server-process.ts';
import { until } from '../harness/until.ts';

const bench = await readFile(benchConfig, 'utf8');

/** Asks, as another program would, whether a secret opens a channel: 426 if so. */
const PROBE = `
  require('node:http').get(
    process.argv[1] + '/channel',
    { headers: { authorization: 'Bearer ' + process.argv[2] } },
    ({ statusCode }) => console.log(statusCode),
  );`;

describe('a browser that stays signed in', () => {
  let server: ServerProcess;
  let page: PageChannel;
  let key: string;
  let id: string;

  beforeEach(async () => {
    server = await startServer({ config: bench });
    page = await PageChannel.open(server.url, { token: server.token });
    const answer = await page.call(PageServiceDefinition, 'rememberBrowser', { name: 'Firefox on Linux' });
    ({ key } = answer);
    id = answer.browser?.id ?? '';
  });
  afterEach(async () => {
    page.close();
    await server.stop();
  });

  const isRead = async (channel: PageChannel): Promise<string> =>
    (await channel.call(ConfigServiceDefinition, 'get', { partId: '' })).text;

  it('opens channels with the rights of the launch token, after a crash and a restart too', async () => {
    const again = await PageChannel.open(server.url, { token: key });
    expect(await isRead(again)).toContain('"components"');
    again.close();
    await server.crash();
    const { home } = server;
    server = await startServer({ config: '', home });
    try {
      await expect(PageChannel.open(server.url, { token: 'the-launch-token-of-the-start-before' })).rejects.toThrow(
        '401',
      );
      page = await PageChannel.open(server.url, { token: key });
      expect(await isRead(page)).toContain('"components"');
      const { browsers } = await page.call(PageServiceDefinition, 'listBrowsers', {});
      expect(browsers.map((browser) => [browser.id, browser.name])).toEqual([[id, 'Firefox on Linux']]);
    } finally {
      await server.stop();
      await rm(home, { recursive: true });
    }
  });

  it('opens channels alone: in a call, its key is worth nothing', async () => {
    const response = await fetch(`${server.url}/core.config.v1.ConfigService/Get`, {
      method: 'POST',
      headers: { 'content-type': 'application/grpc-web+proto', authorization: `Bearer ${key}` },
      body: new Uint8Array(5),
    });
    expect(response.headers.get('grpc-status')).toBe('16');
  });

  it('that is signed out loses its channels at once, and what it moved stops', async () => {
    const other = await PageChannel.open(server.url, { token: key });
    await other.call(MotorServiceDefinition, 'setPower', { name: 'left', powerPct: 0.5, extra: {} });
    await page.call(PageServiceDefinition, 'forgetBrowser', { id });
    await expect(isRead(other)).rejects.toThrow();
    // The page that asked to be remembered is one of its own.
    await expect(isRead(page)).rejects.toThrow();
    await expect(PageChannel.open(server.url, { token: key })).rejects.toThrow(/401 .*Open the address/s);
    const program = new MachineClient(server.url);
    await until('the motor stops', async () => !(await program.isMoving('left')), 5_000);
    program.close();
  });

  it.runIf(process.getuid?.() === 0)('is signed in for its own user alone: a stolen key opens nothing', async () => {
    const probe = async (uid: number): Promise<string> => {
      const program = spawn('/proc/self/exe', ['-e', PROBE, server.url, key], {
        argv0: 'node',
        uid,
        gid: uid,
        cwd: '/',
        stdio: ['ignore', 'pipe', 'inherit'],
      });
      const [line] = (await once(createInterface({ input: program.stdout }), 'line')) as [string];
      return line;
    };
    expect(await probe(0)).toBe('426');
    expect(await probe(65_534)).toBe('401');
  });

  it('keeps no key on the disk', async () => {
    const stored = await readFile(path.join(server.home, 'home/state/browsers', `${id}.json`), 'utf8');
    expect(stored).not.toContain(key.split('.')[2]);
  });
});
