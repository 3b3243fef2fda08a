import { readFile } from 'node:fs/promises';
import type * as Sdk from '@viamrobotics/sdk';
import type { Page } from 'playwright';
import { afterAll, afterEach, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { key, keyId, withApiKey } from '../harness/api-key.ts';
import { browserNote, chromiumPath } from '../harness/chromium.ts';
import { roleAt } from '../harness/hub-process.ts';
import { MachineClient } from '../harness/machine-client.ts';
import { benchConfig, startServer, type ServerProcess } from '../harness/server-process.ts';
import { until } from '../harness/until.ts';
import { WindowFleet } from '../harness/window-fleet.ts';
import { SdkPages, type PageGlobals } from './sdk-pages.ts';

/** The part of a browser's RTCPeerConnection that this test uses. */
interface Connection {
  addEventListener(event: 'signalingstatechange', listener: () => void): void;
  restartIce(): void;
}

const bench = await readFile(benchConfig, 'utf8');

/** The public SDK in Debian's Chromium, over WebRTC, with the machine itself as the signaling service. */
describe.skipIf(chromiumPath === undefined)(`the public SDK over WebRTC${browserNote}`, () => {
  let pages: SdkPages;
  let server: ServerProcess;
  let onlooker: MachineClient | undefined;

  beforeAll(async () => {
    pages = await SdkPages.open();
  });

  afterAll(() => pages.close());

  afterEach(async () => {
    onlooker?.close();
    onlooker = undefined;
    await pages.closePages();
  });

  async function openPage(config: string): Promise<Page> {
    const opened = await pages.on(config);
    server = opened.server;
    onTestFinished(async () => expect(await opened.server.stop()).toBe(0));
    return opened.page;
  }

  /** Dials by signaling alone: resolves when the data channel is open, with the reason where it fails. */
  function dial(
    page: Page,
    credentials: Sdk.DialWebRTCConf['credentials'],
    host = '',
    { reconnects = false } = {},
  ): Promise<string> {
    return page.evaluate(
      async ({ shown, name, noReconnect }) => {
        const globals = globalThis as unknown as PageGlobals & { location: { origin: string; host: string } };
        const { sdk, location } = globals;
        try {
          globals.robot = await sdk.createRobotClient({
            host: name === '' ? location.host : name,
            signalingAddress: location.origin,
            iceServers: [],
            noReconnect,
            disableSessions: true,
            ...(shown === undefined ? {} : { credentials: shown }),
          });
          return 'dialled';
        } catch (error) {
          return [error, (error as Error).cause].flat().map(String).join('; ');
        }
      },
      { shown: credentials, name: host, noReconnect: !reconnects },
    );
  }

  const launchToken = (): Sdk.DialWebRTCConf['credentials'] =>
    ({ type: 'access-token', payload: server.token }) as never;

  // The machine waits up to 18 s for a closed page.
  const limits = { timeout: 90_000 };
  it(
    'lists resources, drives a motor, reads and streams, and its motor stops when the page is closed',
    limits,
    async () => {
      const page = await openPage(bench);
      expect(await dial(page, launchToken())).toBe('dialled');
      const seen = await page.evaluate(async () => {
        const { sdk, robot } = globalThis as unknown as PageGlobals;
        const motor = new sdk.MotorClient(robot, 'turntable');
        const board = new sdk.BoardClient(robot, 'bench');
        const names = (await robot.resourceNames()).map(({ subtype, name }) => `${subtype}/${name}`);
        await motor.resetZeroPosition(0);
        await motor.goFor(60, 1);
        const position = await motor.getPosition();
        const ticks: Sdk.Tick[] = [];
        const named = (): Sdk.Tick[] => ticks.filter(({ pinName }) => pinName !== '');
        void board.streamTicks(['button'], ticks).catch(() => undefined);
        while (named().length < 2) await new Promise((resolve) => setTimeout(resolve, 20));
        await motor.setPower(0.4);
        return { names, position, rises: Number(named()[1]?.time) > Number(named()[0]?.time) };
      });
      expect(seen.names).toContain('motor/turntable');
      expect(seen.position).toBeCloseTo(1, 1);
      expect(seen.rises).toBe(true);
      const looking = (onlooker = new MachineClient(server.url));
      expect(await looking.power('turntable')).toBe(0.4);
      await page.close();
      // A closed page sends no notification: the machine notices its silence.
      await until('the motor stands', async () => !(await looking.isMoving('turntable')), 60_000, 100);
    },
  );

  it(
    'is brought by a hub to another machine of its fleet, as whoever its key is, and stays when it would begin ICE anew',
    limits,
    async () => {
      const fleet = await WindowFleet.start('{}', pages.args);
      onTestFinished(() => fleet.stop());
      const { server: machine, partId } = await fleet.join('second', await fleet.addLocation('Hall'), bench);
      const organizationId = await fleet.organizationId();
      const { id, key: secret } = await fleet.call('createKey', {
        name: 'operator',
        authorizations: [roleAt('organization_operator', organizationId)],
      });
      const { part } = await fleet.call('getRobotPart', { id: partId });
      const looking = (onlooker = new MachineClient(machine));
      await until(
        'its motor is there',
        async () => (await looking.resourceNames()).includes('motor/turntable'),
        20_000,
      );

      const page = await pages.at(fleet.station);
      expect(await dial(page, { type: 'api-key', authEntity: id, payload: secret }, part?.fqdn)).toBe('dialled');
      await page.evaluate(async () => {
        const { sdk, robot } = globalThis as unknown as PageGlobals;
        await new sdk.MotorClient(robot, 'turntable').setPower(0.4);
      });
      expect(await looking.power('turntable')).toBe(0.4);
      await page.evaluate(async () => {
        const { sdk, robot } = globalThis as unknown as PageGlobals;
        const { peerConn: connection } = robot as unknown as { peerConn: Connection };
        const offered = new Promise<void>((resolve) => {
          connection.addEventListener('signalingstatechange', () => resolve());
        });
        connection.restartIce();
        await offered;
        await new sdk.MotorClient(robot, 'turntable').setPower(0.3);
      });
      expect(await looking.power('turntable')).toBe(0.3);
      await page.close();
      await until('the motor stands', async () => !(await looking.isMoving('turntable')), 60_000, 100);
    },
  );

  it('finds a machine again that was killed under it, by itself', limits, async () => {
    const config = (port: number): string => withApiKey(bench.replace('"localhost:0"', `"localhost:${port}"`));
    const { server: killed, page } = await pages.on(config(0));
    const credentials = { type: 'api-key', authEntity: keyId, payload: key } as const;
    expect(await dial(page, credentials, '', { reconnects: true })).toBe('dialled');
    const drives = (): Promise<boolean> =>
      page.evaluate(async () => {
        const { sdk, robot } = globalThis as unknown as PageGlobals;
        const driven = new sdk.MotorClient(robot, 'turntable').setPower(0.4).then(() => true);
        // The SDK never settles a call on a lost connection.
        const late = new Promise<boolean>((resolve) => setTimeout(resolve, 2_000, false));
        return Promise.race([driven, late]).catch(() => false);
      });
    expect(await drives()).toBe(true);
    await killed.crash();
    const again = await startServer({ config: config(killed.port), args: pages.args });
    onTestFinished(async () => expect(await again.stop()).toBe(0));
    const looking = (onlooker = new MachineClient(again));
    expect(await looking.power('turntable')).toBe(0);
    await until('it is driven again', drives, 60_000);
    expect(await looking.power('turntable')).toBe(0.4);
  });

  it('is not let in without a token, and is told that another host is none of ours', async () => {
    const page = await openPage(bench);
    expect(await dial(page, undefined)).toMatch(/token/);
    expect(await dial(page, launchToken(), 'other.local')).toMatch(/host not preconfigured/);
  });

  it('with auth.handlers comes with an API key, and with no other one', async () => {
    const page = await openPage(withApiKey(bench));
    expect(await dial(page, { type: 'api-key', authEntity: keyId, payload: 'wrong' })).toMatch(/invalid credentials/);
    expect(await dial(page, { type: 'api-key', authEntity: keyId, payload: key })).toBe('dialled');
    const names = await page.evaluate(
      async () => (await (globalThis as unknown as PageGlobals).robot.resourceNames()).length,
    );
    expect(names).toBeGreaterThan(4);
  });
});
