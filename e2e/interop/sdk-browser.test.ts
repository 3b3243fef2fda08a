import { readFile } from 'node:fs/promises';
import type * as Sdk from '@viamrobotics/sdk';
import type { Page } from 'playwright';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { key, keyId, withApiKey } from '../harness/api-key.ts';
import { browserNote, chromiumPath } from '../harness/chromium.ts';
import { MachineClient } from '../harness/machine-client.ts';
import { benchConfig, type ServerProcess } from '../harness/server-process.ts';
import { until } from '../harness/until.ts';
import { SdkPages, type PageGlobals } from './sdk-pages.ts';

const bench = await readFile(benchConfig, 'utf8');

/** The public SDK, bundled for browsers, in Debian's Chromium: gRPC-Web from a page that the machine itself serves. */
describe.skipIf(chromiumPath === undefined)(`the public SDK in a browser${browserNote}`, () => {
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
    expect(await server.stop()).toBe(0);
  });

  async function openPage(config: string): Promise<Page> {
    const opened = await pages.on(config);
    server = opened.server;
    return opened.page;
  }

  /** Dials from the page, as an application would. Returns the reason where it fails. */
  function dial(page: Page, credentials: Sdk.DialDirectConf['credentials']): Promise<string> {
    return page.evaluate(async (shown) => {
      const globals = globalThis as unknown as PageGlobals & { location: { origin: string } };
      globals.robot = new globals.sdk.RobotClient();
      const conf = { host: globals.location.origin, noReconnect: true, disableSessions: true };
      try {
        await globals.robot.dial(shown === undefined ? conf : { ...conf, credentials: shown });
        return 'dialled';
      } catch (error) {
        // "Failed to connect via all methods", with the reasons as its cause.
        return [error, (error as Error).cause].flat().map(String).join('; ');
      }
    }, credentials);
  }

  const launchToken = (): Sdk.DialDirectConf['credentials'] =>
    ({ type: 'access-token', payload: server.token }) as never;

  it('without a token is refused', async () => {
    const page = await openPage(bench);
    expect(await dial(page, undefined)).toMatch(/token/);
  });

  it('with the launch token lists resources, drives a motor, reads and streams', async () => {
    const page = await openPage(bench);
    expect(await dial(page, launchToken())).toBe('dialled');
    const seen = await page.evaluate(async () => {
      const { sdk, robot } = globalThis as unknown as PageGlobals;
      const motor = new sdk.MotorClient(robot, 'turntable');
      const board = new sdk.BoardClient(robot, 'bench');
      const names = (await robot.resourceNames()).map(
        ({ namespace, subtype, name }) => `${namespace} ${subtype}/${name}`,
      );
      await motor.setPower(0.5);
      const powered = await motor.isPowered();
      await motor.stop();
      const isMovingAfterStop = await motor.isMoving();
      await motor.resetZeroPosition(0);
      await motor.goFor(60, 1);
      const position = await motor.getPosition();
      const first = (await board.readAnalogReader('level')).value;
      const second = (await board.readAnalogReader('level')).value;
      const ticks: Sdk.Tick[] = [];
      const named = (): Sdk.Tick[] => ticks.filter(({ pinName }) => pinName !== '');
      void board.streamTicks(['button'], ticks).catch(() => undefined);
      while (named().length < 2) await new Promise((resolve) => setTimeout(resolve, 20));
      const rises = Number(named()[1]?.time) > Number(named()[0]?.time);
      const value = await board.getDigitalInterruptValue('button');
      return { names, powered, isMovingAfterStop, position, analogStep: second - first, rises, value };
    });
    expect(seen.names).toContain('rdk motor/turntable');
    expect(seen.names).toContain('rdk board/bench');
    expect(seen.powered).toEqual([true, 0.5]);
    expect(seen.isMovingAfterStop).toBe(false);
    expect(seen.position).toBeCloseTo(1, 1);
    expect(seen.analogStep).toBe(1);
    expect(seen.rises).toBe(true);
    expect(seen.value).toBeGreaterThanOrEqual(2);
  });

  it('in a session started by hand loses its motor when the page is closed', async () => {
    const page = await openPage(bench);
    expect(await dial(page, launchToken())).toBe('dialled');
    await page.evaluate(async () => {
      const { sdk, robot } = globalThis as unknown as PageGlobals;
      // This version of the SDK starts no session by itself.
      const { id } = await robot.robotService.startSession({ resume: '' });
      setInterval(() => void robot.robotService.sendSessionHeartbeat({ id }), 400);
      await new sdk.MotorClient(robot, 'turntable').setPower(0.4, {}, { headers: { 'viam-sid': id } });
    });
    const looking = (onlooker = new MachineClient(server.url));
    // Longer than the window of 2 s: heartbeats keep it turning.
    const startedAt = performance.now();
    await until('the window has passed', () => performance.now() - startedAt > 2_500, 5_000);
    expect(await looking.power('turntable')).toBe(0.4);
    await page.close();
    await until('the motor stands', async () => !(await looking.isMoving('turntable')), 10_000);
    await until('the log says why', () => server.stderr().includes('motor/turntable: session expired'), 5_000);
  });

  it('without a session has no connection that the machine could watch: its motor turns on until somebody stops it', async () => {
    const page = await openPage(bench);
    expect(await dial(page, launchToken())).toBe('dialled');
    await page.evaluate(async () => {
      const { sdk, robot } = globalThis as unknown as PageGlobals;
      await new sdk.MotorClient(robot, 'left').setPower(0.4);
    });
    await page.close();
    const looking = (onlooker = new MachineClient(server.url));
    expect(await looking.power('left')).toBe(0.4);
    await looking.stopAll();
    expect(await looking.power('left')).toBe(0);
  });

  it('that goes away in the middle of GoFor leaves the motor standing, without a session too', async () => {
    const page = await openPage(bench);
    expect(await dial(page, launchToken())).toBe('dialled');
    await page.evaluate(() => {
      const { sdk, robot } = globalThis as unknown as PageGlobals;
      new sdk.MotorClient(robot, 'turntable').goFor(60, 1_000).catch(() => undefined);
    });
    const looking = (onlooker = new MachineClient(server.url));
    await until('the motor turns', () => looking.isMoving('turntable'), 5_000);
    await page.close();
    await until('the motor stands', async () => !(await looking.isMoving('turntable')), 10_000);
  });

  it('with auth.handlers dials with an API key, and with no other one', async () => {
    const page = await openPage(withApiKey(bench));
    expect(await dial(page, undefined)).toMatch(/Authenticate|token/);
    expect(await dial(page, { type: 'api-key', authEntity: keyId, payload: 'wrong' })).toMatch(/invalid credentials/);
    expect(await dial(page, { type: 'api-key', authEntity: keyId, payload: key })).toBe('dialled');
    const names = await page.evaluate(
      async () => (await (globalThis as unknown as PageGlobals).robot.resourceNames()).length,
    );
    expect(names).toBeGreaterThan(4);
  });
});
