import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import {
  GetGPIORequest,
  GetGPIOResponse,
  SetGPIORequest,
  StreamTicksRequest,
  StreamTicksResponse,
} from '../../../proto/gen/core/component/board/v1/board.ts';
import {
  GetSessionsResponse,
  StartSessionRequest,
  StartSessionResponse,
} from '../../../proto/gen/core/robot/v1/robot.ts';
import { GetPropertiesRequest, GetPropertiesResponse } from '../../../proto/gen/core/component/motor/v1/motor.ts';
import {
  DoCommandRequest,
  DoCommandResponse,
  GetReadingsRequest,
  GetReadingsResponse,
} from '../../../proto/gen/core/common/v1/common.ts';
import { systemClock } from '../../base/clock.ts';
import { silentLogger } from '../../base/logger.ts';
import { StatusCode } from '../../base/status.ts';
import { ComputerHardware } from '../../hardware/computer-hardware.ts';
import { CallRouter, MAX_MESSAGE_BYTES } from '../../rpc/routing/call-router.ts';
import { callOnce, type RecordedCall } from '../../rpc/testing/local-caller.ts';
import type { ResourceStatus } from '../graph/state.ts';
import { LogRegistry } from '../logging/log-registry.ts';
import { Machine } from '../machine.ts';
import { builtinCatalog } from '../models/catalog.ts';
import { boardModel, motorModel, sensorModel } from './testing/fake-module.ts';
import { GIZMO_API, GIZMO_SERVICE, partsProgramIn } from './testing/parts-program.ts';

let folder: string;
let machine: Machine;
let router: CallRouter;
let program: string;

interface Entry {
  readonly name: string;
  readonly api: string;
  readonly model: string;
  readonly attributes?: object;
}

const board = (name: string, more: object = {}): Entry => ({
  name,
  api: 'rdk:component:board',
  model: boardModel.model,
  attributes: { fail_new: false, digital_interrupts: [{ name: 'i', pin: '5' }], ...more },
});
const sensor = (name: string, attributes: object = {}): Entry => ({
  name,
  api: 'rdk:component:sensor',
  model: sensorModel.model,
  attributes,
});
const turner = (name: string, attributes: object): Entry => ({
  name,
  api: 'rdk:component:motor',
  model: motorModel.model,
  attributes,
});

function textOf(components: readonly object[], module: object = {}): string {
  const modules = [
    { name: 'parts', type: 'local', module_id: 'acme:parts', version: '1.0.0', executable_path: program, ...module },
  ];
  return JSON.stringify({ modules, components });
}

async function start(...components: readonly object[]): Promise<void> {
  const configPath = path.join(folder, 'machine.json');
  await writeFile(configPath, textOf(components));
  const clock = systemClock;
  machine = new Machine({
    name: 'bench',
    version: '1.0.0',
    configPath,
    stateFolder: path.join(folder, 'state'),
    environment: process.env,
    catalog: builtinCatalog,
    hardware: new ComputerHardware('linux'),
    clock,
    logs: new LogRegistry({ clock, isDebugFlagSet: false, historyCapacity: 1_000, store: undefined, firstSeq: 1 }),
    resourceTimeoutMs: 60_000,
    modules: { home: folder, trust: () => undefined, isEnvironmentUntrusted: false },
    revealsDiffs: false,
    remotes: { authority: '', usesWebRtc: false, allowsInsecureCreds: false },
    onConfig: () => undefined,
    shutDown: () => undefined,
  });
  router = new CallRouter({ clock, logger: silentLogger, maxMessageBytes: MAX_MESSAGE_BYTES });
  machine.mount(router);
  await machine.load();
  await machine.start();
}

async function apply(text: string): Promise<void> {
  const { configuration } = machine;
  const { revision } = configuration.state;
  const done = new Promise<void>((resolve) => {
    const unsubscribe = configuration.subscribe(() => {
      const { outcome } = configuration.state;
      if (outcome.revision === revision || outcome.kind === 'applying') return;
      unsubscribe();
      resolve();
    });
  });
  await configuration.apply({ text, baseRevision: revision, author: 'somebody', note: '', returnAfterMs: 0 });
  await done;
}

/** Settles when a resource meets the condition. */
function until(fullName: string, is: (status: ResourceStatus) => boolean): Promise<ResourceStatus> {
  return new Promise((resolve) => {
    let unsubscribe = (): void => undefined;
    let found: ResourceStatus | undefined;
    const look = (): void => {
      const status = machine.graph.status(fullName);
      if (found !== undefined || status === undefined || !is(status)) return;
      found = status;
      queueMicrotask(() => unsubscribe());
      resolve(status);
    };
    unsubscribe = machine.graph.subscribe(look);
  });
}

const isReady = ({ state }: ResourceStatus): boolean => state.kind === 'ready';

async function answerOf(call: RecordedCall): Promise<Uint8Array> {
  expect(await call.ended).toMatchObject({ code: StatusCode.OK });
  return call.messages[0] ?? new Uint8Array();
}

async function pidOf(name: string): Promise<number> {
  const request = DoCommandRequest.encode({ name, command: {} }).finish();
  const answer = await answerOf(callOnce(router, '/viam.component.sensor.v1.SensorService/DoCommand', request));
  return Number(DoCommandResponse.decode(answer).result?.['pid']);
}

async function readingsOf(name: string): Promise<unknown> {
  const request = GetReadingsRequest.encode({ name, extra: undefined }).finish();
  const answer = await answerOf(callOnce(router, '/core.component.sensor.v1.SensorService/GetReadings', request));
  return GetReadingsResponse.decode(answer).readings;
}

/** A stream of ticks; `next` waits for the next one at any time. */
function ticksOf(name: string): { readonly call: RecordedCall; next(): Promise<void> } {
  const request = StreamTicksRequest.encode({ name, pinNames: ['i'], extra: undefined }).finish();
  const call = callOnce(router, '/viam.component.board.v1.BoardService/StreamTicks', request);
  let told: (() => void)[] = [];
  const { message } = call;
  call.message = (bytes, isLast) => {
    if (StreamTicksResponse.decode(bytes).pinName !== '') {
      for (const tell of told) tell();
      told = [];
    }
    return message.call(call, bytes, isLast);
  };
  return { call, next: () => new Promise((resolve) => told.push(resolve)) };
}

beforeEach(async () => {
  folder = await mkdtemp(path.join(os.tmpdir(), 'armature-modular-'));
  // If the server is root, modules run as users of their own.
  await chmod(folder, 0o755);
  program = partsProgramIn(folder);
});

afterEach(async () => {
  await machine.close();
  await rm(folder, { recursive: true, force: true });
});

describe('resources of a real module', () => {
  it('adding, changing and removing one leaves the streams of its siblings unbroken', async () => {
    await start(board('bench'), sensor('t', { c: 1 }));
    const stream = ticksOf('bench');
    await stream.next();
    const pid = await pidOf('t');
    await apply(textOf([board('bench'), sensor('t', { c: 1 }), sensor('second')]));
    await stream.next();
    await apply(textOf([board('bench'), sensor('t', { c: 2 }), sensor('second')]));
    expect(await readingsOf('t')).toMatchObject({ c: 1, reads: 1 }); // as the program has it: built with c 1
    await stream.next();
    await apply(textOf([board('bench'), sensor('second')]));
    await stream.next();
    expect(stream.call.status).toBeUndefined();
    expect(await pidOf('second')).toBe(pid);
    stream.call.sink.cancel('enough');
  }, 60_000);

  it('fail with the reason when it is killed, and are there again by themselves', async () => {
    const motor = { name: 'wheel', api: 'rdk:component:motor', model: 'gpio' };
    const attributes = { board: 'bench', pins: { pwm: '12', dir: '16' }, max_rpm: 100 };
    await start(board('bench'), sensor('t'), { ...motor, attributes });
    expect(machine.graph.status('core:component:motor/wheel')?.state).toEqual({ kind: 'ready' });
    const stream = ticksOf('bench');
    await stream.next();
    const pid = await pidOf('t');
    const says = ({ state }: ResourceStatus): string => ('reason' in state ? `${state.kind} ${state.reason}` : '');
    const reason = /module parts ended: killed by SIGKILL after [\d.]+ s/;
    // The lost connection may be noticed before the end of the process.
    const failed = until('core:component:sensor/t', (status) => reason.test(says(status)));
    const stopped = until('core:component:motor/wheel', (status) => reason.test(says(status)));
    process.kill(pid, 'SIGKILL');
    await Promise.all([failed, stopped]);
    expect(await stream.call.ended).toMatchObject({ code: StatusCode.UNAVAILABLE });
    await Promise.all([until('core:component:sensor/t', isReady), until('core:component:motor/wheel', isReady)]);
    expect(await pidOf('t')).not.toBe(pid);
  }, 60_000);

  it('wait for what the module says they need, and the editor hears of it at the field', async () => {
    await start(turner('left', { board: 'bench' }));
    const waiting = await until('core:component:motor/left', ({ state }) => state.kind === 'waiting');
    expect(waiting.state).toMatchObject({ reason: 'waiting for bench, which is not configured' });
    const text = textOf([turner('left', { board: 'bnch' }), turner('right', { board: 7 }), board('bench')]);
    const problems = await machine.configuration.validate(text);
    expect(problems.map(({ severity, pointer, code }) => [severity, pointer, code])).toEqual([
      ['warning', '/components/0/attributes/board', 'dependency.missing'],
      ['error', '/components/1/attributes/board', 'module.invalid'],
    ]);
    await apply(textOf([turner('left', { board: 'bench' }), board('bench')]));
    const left = machine.graph.status('core:component:motor/left');
    expect(left).toMatchObject({ state: { kind: 'ready' }, dependsOn: ['core:component:board/bench'] });
    const { plan } = await machine.configuration.plan(textOf([turner('left', { board: 'bench' })]));
    expect(plan?.resources.map(({ kind, name, reason }) => [kind, name, reason])).toEqual([
      ['remove', 'core:component:board/bench', 'removed'],
      ['rebuild', 'core:component:motor/left', 'its board bench is removed'],
    ]);
    const request = GetPropertiesRequest.encode({ name: 'left', extra: undefined }).finish();
    const answer = await answerOf(callOnce(router, '/viam.component.motor.v1.MotorService/GetProperties', request));
    expect(GetPropertiesResponse.decode(answer).positionReporting).toBe(true);
  }, 60_000);

  it('keep the pins that a client set when its session is over: they may be relays', async () => {
    await start(board('bench'));
    const gpio = async (): Promise<boolean> => {
      const request = GetGPIORequest.encode({ name: 'bench', pin: '7', extra: undefined }).finish();
      const answer = await answerOf(callOnce(router, '/viam.component.board.v1.BoardService/GetGPIO', request));
      return GetGPIOResponse.decode(answer).high;
    };
    const asked = StartSessionRequest.encode({ resume: '' }).finish();
    const session = await answerOf(callOnce(router, '/viam.robot.v1.RobotService/StartSession', asked));
    const metadata = { 'viam-sid': StartSessionResponse.decode(session).id };
    const request = SetGPIORequest.encode({ name: 'bench', pin: '7', high: true, extra: undefined }).finish();
    await answerOf(callOnce(router, '/viam.component.board.v1.BoardService/SetGPIO', request, { metadata }));
    expect(await gpio()).toBe(true);
    // No heartbeat arrives.
    const open = async (): Promise<readonly unknown[]> => {
      const answer = await answerOf(callOnce(router, '/viam.robot.v1.RobotService/GetSessions', new Uint8Array()));
      return GetSessionsResponse.decode(answer).sessions;
    };
    await vi.waitFor(async () => expect(await open()).toEqual([]), { timeout: 20_000, interval: 50 });
    await machine.sessions.settled();
    expect(await gpio()).toBe(true);
  }, 60_000);

  it('have APIs that nobody knew, as long as the module is configured', async () => {
    const gizmo = { name: 'g', api: GIZMO_API, model: 'acme:parts:gizmo', attributes: {} };
    await start(gizmo);
    expect(router.serviceNames).toContain(GIZMO_SERVICE);
    const request = GetReadingsRequest.encode({ name: 'g', extra: undefined }).finish();
    const answer = await answerOf(callOnce(router, `/${GIZMO_SERVICE}/Turn`, request));
    expect(GetReadingsRequest.decode(answer).name).toBe('g');
    await apply(textOf([], { disabled: true }));
    const isOver = new Promise<void>((resolve) => {
      const look = (): void => {
        if (!router.serviceNames.includes(GIZMO_SERVICE)) resolve();
      };
      machine.modules.subscribe(look);
      look();
    });
    await isOver;
    const late = callOnce(router, `/${GIZMO_SERVICE}/Turn`, request);
    expect(await late.ended).toMatchObject({ code: StatusCode.UNIMPLEMENTED });
  }, 60_000);
});
