import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Browser, Page } from 'playwright';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { SetPowerRequest } from '../../proto/gen/core/component/motor/v1/motor.ts';
import { browserNote, chromiumPath, launchChromium } from '../harness/chromium.ts';
import { MachineClient } from '../harness/machine-client.ts';
import { benchConfig, startServer, type ServerProcess } from '../harness/server-process.ts';

/** A gRPC-Web frame that would turn the motor `left`. */
function setPowerFrame(): number[] {
  const message = SetPowerRequest.encode({ name: 'left', powerPct: 0.5 }).finish();
  return [0, 0, 0, 0, message.length, ...message];
}

/** The results of a page's attempts; runs in the browser. */
interface Attempts {
  /** `grpc-status`, HTTP status, or the name of the error. */
  readonly call: string;
  readonly blindCall: string;
  readonly channel: string;
  readonly page: string;
}

/** Tries every way from a page to the machine. */
function attack(page: Page, machineUrl: string, token: string | undefined): Promise<Attempts> {
  return page.evaluate(
    async ({ url, secret, frame }) => {
      const path = `${url}/core.component.motor.v1.MotorService/SetPower`;
      const nameOf = (error: unknown): string => (error as Error).name;
      const authorization: Record<string, string> = secret === undefined ? {} : { authorization: `Bearer ${secret}` };
      const body = new Uint8Array(frame);
      const call = await fetch(path, {
        method: 'POST',
        headers: { 'content-type': 'application/grpc-web+proto', ...authorization },
        body,
      }).then(async (response) => {
        const text = await response.text();
        return response.ok ? (response.headers.get('grpc-status') ?? text) : `HTTP ${response.status}`;
      }, nameOf);
      // A form's POST needs no preflight; its response cannot be read, but the request would arrive.
      const blindCall = await fetch(path, { method: 'POST', mode: 'no-cors', body }).then(({ type }) => type, nameOf);
      const channel = await new Promise<string>((resolve) => {
        const protocols = secret === undefined ? ['armature.v1'] : ['armature.v1', `armature.token.${secret}`];
        const socket = new WebSocket(`${url.replace('http', 'ws')}/channel`, protocols);
        socket.onopen = () => resolve('open');
        socket.onclose = () => resolve('refused');
      });
      const read = await fetch(`${url}/`).then(({ status }) => `HTTP ${status}`, nameOf);
      return { call, blindCall, channel, page: read };
    },
    { url: machineUrl, secret: token, frame: setPowerFrame() },
  );
}

describe.skipIf(chromiumPath === undefined)(`a browser${browserNote}`, () => {
  let browser: Browser;
  let elsewhere: Server;
  let elsewhereUrl: string;
  let server: ServerProcess;
  let onlooker: MachineClient;

  beforeAll(async () => {
    browser = await launchChromium(['--host-resolver-rules=MAP evil.test 127.0.0.1']);
    elsewhere = createServer((request, response) => {
      const framed = request.url?.split('?')[1];
      response.setHeader('content-type', 'text/html');
      response.end(`<title>elsewhere</title>${framed === undefined ? '' : `<iframe src="${framed}"></iframe>`}`);
    }).listen(0, '127.0.0.1');
    await once(elsewhere, 'listening');
    elsewhereUrl = `http://localhost:${(elsewhere.address() as AddressInfo).port}/`;
    server = await startServer({ config: await readFile(benchConfig, 'utf8') });
    onlooker = new MachineClient(server.url);
  });

  afterEach(async () => {
    for (const context of browser.contexts()) await context.close();
    // None of the attempts has moved a motor.
    expect(await onlooker.power('left')).toBe(0);
  });

  afterAll(async () => {
    onlooker.close();
    elsewhere.closeAllConnections();
    elsewhere.close();
    await browser.close();
    expect(await server.stop()).toBe(0);
  });

  it('on the page of another origin cannot reach the machine, not even with the right token', async () => {
    const page = await browser.newPage();
    await page.goto(elsewhereUrl);
    for (const token of [undefined, server.token]) {
      const attempts = await attack(page, server.url, token);
      expect(attempts).toMatchObject({ call: 'TypeError', channel: 'refused', page: 'TypeError' });
    }
  });

  it('on the page of another origin cannot show the page of the machine in a frame', async () => {
    const page = await browser.newPage();
    await page.goto(`${elsewhereUrl}?${server.url}/`);
    const inside = page.frames().find((frame) => frame !== page.mainFrame());
    expect(inside?.url()).toMatch(/^chrome-error:/);
  });

  it('whose host name was made to lead here gets nothing', async () => {
    const page = await browser.newPage();
    const rebound = `http://evil.test:${server.port}`;
    const response = await page.goto(`${rebound}/`);
    expect(response?.status()).toBe(403);
    expect(await response?.text()).toContain('is not a name of this machine');
    for (const token of [undefined, server.token]) {
      const attempts = await attack(page, rebound, token);
      expect(attempts).toMatchObject({ call: 'HTTP 403', channel: 'refused', page: 'HTTP 403' });
    }
  });

  it('on the page of the machine itself, without its token or with a wrong one, is refused', async () => {
    const page = await browser.newPage();
    await page.goto(`${server.url}/healthz/live`);
    for (const token of [undefined, 'wrong']) {
      const attempts = await attack(page, server.url, token);
      expect(attempts).toMatchObject({ call: '16', channel: 'refused', page: 'HTTP 200' });
    }
  });

  it('with its token is let in: what the attempts above tried does work', async () => {
    const page = await browser.newPage();
    await page.goto(`${server.url}/healthz/live`);
    const attempts = await attack(page, server.url, server.token);
    expect(attempts.channel).toBe('open');
    expect(await onlooker.power('left')).toBe(0.5);
    await onlooker.stopAll();
  });
});
