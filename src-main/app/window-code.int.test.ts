import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer, request, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createInterface } from 'node:readline';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ManualClock } from '../base/clock.ts';
import { silentLogger } from '../base/logger.ts';
import { RefusalLog } from '../rpc/access/refusals.ts';
import { WindowCode } from './window-code.ts';

const CODE = 'the-code-of-this-start-which-is-long';

describe('the code of a window', () => {
  let clock: ManualClock;
  let server: Server;
  let refusals: RefusalLog;
  let port: number;

  async function serve(code: string | undefined): Promise<void> {
    clock = new ManualClock();
    refusals = new RefusalLog(silentLogger, clock);
    const window = new WindowCode({ code, launchToken: 'launch', clock, refusals });
    server = createServer((asked, response) => void window.answer(asked, response));
    server.listen({ host: 'localhost', port: 0 });
    await once(server, 'listening');
    ({ port } = server.address() as AddressInfo);
  }
  beforeEach(() => serve(CODE));
  afterEach(() => {
    server.closeAllConnections();
    server.close();
  });

  function show(code: string, method = 'GET'): Promise<{ status: number; location: string | undefined }> {
    return new Promise((resolve, reject) => {
      request({ host: 'localhost', port, path: `/window?code=${code}`, method, agent: false }, (response) => {
        response.resume();
        resolve({ status: response.statusCode ?? 0, location: response.headers.location });
      })
        .on('error', reject)
        .end();
    });
  }

  /** A refusal is made to wait: lets that time pass as soon as it has begun. */
  async function refused(asked: Promise<{ status: number }>): Promise<void> {
    const before = refusals.count('bad-token');
    let isAnswered = false;
    void asked.then(() => (isAnswered = true));
    while (refusals.count('bad-token') === before) await new Promise((resolve) => setImmediate(resolve));
    expect(isAnswered).toBe(false);
    clock.advance(1_000);
    expect((await asked).status).toBe(403);
  }

  it('leads to the page with the launch token once', async () => {
    expect(await show(CODE)).toEqual({ status: 303, location: '/#token=launch' });
    await refused(show(CODE));
  });

  it('is good for one of those that show it at the same moment', async () => {
    const all = Array.from({ length: 5 }, () => show(CODE));
    const winner = await Promise.race(all);
    expect(winner.status).toBe(303);
    while (refusals.count('bad-token') < 4) await new Promise((resolve) => setImmediate(resolve));
    clock.advance(1_000);
    expect((await Promise.all(all)).map(({ status }) => status).sort()).toEqual([303, 403, 403, 403, 403]);
  });

  it('is slowed where it is wrong, and does not keep the right one from its window', async () => {
    await refused(show('another'));
    await refused(show(''));
    expect((await show(CODE)).status).toBe(303);
  });

  it('is good for a minute', async () => {
    clock.advance(60_000);
    await refused(show(CODE));
  });

  it('is taken from a request that opens a page alone', async () => {
    expect((await show(CODE, 'HEAD')).status).toBe(405);
    expect((await show(CODE, 'POST')).status).toBe(405);
    expect((await show(CODE)).status).toBe(303);
  });

  it('is not there where no window is opened', async () => {
    server.close();
    await serve(undefined);
    await refused(show(''));
  });

  it.runIf(process.getuid?.() === 0)('is worth nothing to another user who read it, and stays good', async () => {
    const program = `require('node:http').get(process.argv[1], ({ statusCode }) => console.log(statusCode));`;
    const url = `http://localhost:${port}/window?code=${CODE}`;
    const thief = spawn('/proc/self/exe', ['-e', program, url], {
      argv0: 'node',
      uid: 65_534,
      gid: 65_534,
      cwd: '/',
      stdio: 'pipe',
    });
    const said = once(createInterface({ input: thief.stdout }), 'line');
    while (refusals.count('bad-token') === 0) await new Promise((resolve) => setImmediate(resolve));
    clock.advance(1_000);
    expect(await said).toEqual(['403']);
    expect((await show(CODE)).status).toBe(303);
  });
});
