import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { systemClock } from '../base/clock.ts';
import { StatusCode } from '../base/status.ts';
import type { Motor } from '../apis/motor.ts';
import { ComputerHardware } from '../hardware/computer-hardware.ts';
import { AccessControl } from '../rpc/access/access-control.ts';
import { keyFromText } from '../rpc/access/access-policy.ts';
import { CallRouter, MAX_MESSAGE_BYTES } from '../rpc/routing/call-router.ts';
import { callOnce } from '../rpc/testing/local-caller.ts';
import {
  GetModelsFromModulesRequest,
  GetModelsFromModulesResponse,
  RestartModuleRequest,
} from '../../proto/gen/core/robot/v1/robot.ts';
import {
  GetMachineStatusRequest,
  GetMachineStatusResponse,
  ModuleStatus_State,
} from '../../proto/gen/core/robot/v1/status.ts';
import { LogRegistry } from './logging/log-registry.ts';
import { Machine } from './machine.ts';
import { builtinCatalog } from './models/catalog.ts';
import { programIn } from './modules/testing/module-bench.ts';
import { isAlive } from './modules/testing/process-facts.ts';

/** A whole machine with an `auth` block; modules authenticate by their sockets. */
describe('modules of a machine', () => {
  let home = '';
  let machine: Machine;
  let router: CallRouter;
  let logs: LogRegistry;

  const start = async (env: Readonly<Record<string, string>>, more: object = {}): Promise<void> => {
    const module = { name: 'test', type: 'local', module_id: 'acme:test', executable_path: programIn(home), env };
    const motor = { name: 'left', api: 'core:component:motor', model: 'fake', attributes: {} };
    const configPath = path.join(home, 'machine.json');
    writeFileSync(configPath, JSON.stringify({ components: [motor], modules: [{ ...module, ...more }] }));
    await machine.load();
    await machine.start();
  };

  const ready = (): Promise<number> =>
    new Promise((resolve) => {
      const look = (): void => {
        const [status] = machine.modules.statuses();
        if (status?.state.kind !== 'ready') return;
        unsubscribe();
        resolve(status.pid);
      };
      const unsubscribe = machine.modules.subscribe(look);
      look();
    });

  const call = async (method: string, request: Uint8Array): Promise<Uint8Array> => {
    const recorded = callOnce(router, `/viam.robot.v1.RobotService/${method}`, request);
    const status = await recorded.ended;
    if (status.code !== StatusCode.OK) throw new Error(`${status.code}: ${status.message}`);
    return recorded.messages[0] ?? new Uint8Array();
  };

  const motor = (): Motor => {
    const target = machine.graph.find('core:component:motor', 'left');
    if (target.kind !== 'local') throw new Error('the motor is elsewhere');
    return target.resource as unknown as Motor;
  };

  beforeEach(() => {
    home = mkdtempSync(path.join(tmpdir(), 'modules-machine-'));
    // Its program runs as a separate user if the tests run as root.
    chmodSync(home, 0o755);
    logs = new LogRegistry({
      clock: systemClock,
      isDebugFlagSet: false,
      historyCapacity: 1_000,
      store: undefined,
      firstSeq: 1,
    });
    const access = new AccessControl(
      {
        authEnabled: true,
        apiKeys: [keyFromText('key', 'secret')],
        launchToken: 'launch',
        fqdn: 'bench.local',
        hostnames: [],
        allowedOrigins: [],
        allowInsecureCreds: false,
      },
      systemClock,
      logs.logger('core.access'),
      () => true,
    );
    router = new CallRouter({
      clock: systemClock,
      logger: logs.logger('core.web'),
      maxMessageBytes: MAX_MESSAGE_BYTES,
    });
    router.addInterceptor(access.interceptor);
    machine = new Machine({
      name: 'bench',
      version: '1.0.0',
      configPath: path.join(home, 'machine.json'),
      stateFolder: path.join(home, 'state'),
      environment: process.env,
      catalog: builtinCatalog,
      hardware: new ComputerHardware('linux'),
      clock: systemClock,
      logs,
      resourceTimeoutMs: 60_000,
      modules: {
        home,
        trust: (connection, module) => access.trustModule(connection, module),
        isEnvironmentUntrusted: false,
      },
      revealsDiffs: false,
      remotes: { authority: '', usesWebRtc: false, allowsInsecureCreds: false },
      onConfig: () => undefined,
      shutDown: () => undefined,
    });
    machine.mount(router);
  });

  afterEach(async () => {
    await machine.close();
    rmSync(home, { recursive: true, force: true });
  });

  it('are told of by the public calls, and restarted by them, by name and by id', async () => {
    await start({});
    const pid = await ready();
    const status = GetMachineStatusResponse.decode(
      await call('GetMachineStatus', GetMachineStatusRequest.encode({}).finish()),
    );
    expect(status.modules).toMatchObject([
      { moduleName: 'test', state: ModuleStatus_State.READY, error: '', consecutiveFailures: 0 },
    ]);
    const models = GetModelsFromModulesResponse.decode(
      await call('GetModelsFromModules', GetModelsFromModulesRequest.encode({}).finish()),
    );
    expect(models.models).toEqual([
      { moduleName: 'test', model: 'acme:test:sensor', api: 'rdk:component:sensor', fromLocalModule: true },
    ]);
    const restart = (which: Partial<RestartModuleRequest>) =>
      call('RestartModule', RestartModuleRequest.encode({ moduleId: '', moduleName: '', ...which }).finish());
    await restart({ moduleName: 'test' });
    const second = await ready();
    expect(second).not.toBe(pid);
    await restart({ moduleId: 'acme:test' });
    const third = await ready();
    expect(third).not.toBe(second);
    // Some clients also send the other field, empty: field 2 with length 0.
    const emptyName = Uint8Array.of(0x12, 0);
    const byId = RestartModuleRequest.encode({ moduleId: 'acme:test', moduleName: '' }).finish();
    await call('RestartModule', Buffer.concat([byId, emptyName]));
    expect(await ready()).not.toBe(third);
    await expect(call('RestartModule', emptyName)).rejects.toThrow(/^3: RestartModule names no module/);
    await expect(restart({ moduleId: 'acme:nothing' })).rejects.toThrow(/^5: No module "acme:nothing"/);
  });

  it('what one moved stops when its process is gone', async () => {
    await start({ DRIVES: 'left' });
    const pid = await ready();
    expect(await motor().isMoving()).toBe(true);
    process.kill(pid, 'SIGKILL');
    const stopped = new Promise<void>((resolve) => {
      const timer = setInterval(() => {
        const said = logs.history
          .after(0)
          .some(({ message }) => message.includes('connection from module test closed'));
        if (!said) return;
        clearInterval(timer);
        resolve();
      }, 10);
    });
    await stopped;
    await machine.sessions.settled();
    // It restarts by itself and drives again; the test checks that it was stopped in between.
    expect(logs.history.after(0).find(({ message }) => message.startsWith('Stopping'))?.message).toBe(
      'Stopping core:component:motor/left: connection from module test closed and it used no session.',
    );
  });

  it('log through their machine under their own name', async () => {
    await start({ LOGS: 'the battery is low' });
    await ready();
    const entry = logs.history.after(0).find(({ message }) => message === 'the battery is low');
    expect(entry).toMatchObject({ logger: 'core.modmanager.test.of.the.module', level: 'warn' });
  });

  it('end with it, after its resources', async () => {
    await start({});
    const pid = await ready();
    await machine.close();
    expect(isAlive(-pid)).toBe(false);
  });
});
