import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { DoCommandRequest } from '../../proto/gen/core/common/v1/common.ts';
import { SetGPIORequest } from '../../proto/gen/core/component/board/v1/board.ts';
import {
  ResourceRPCSubtypesRequest,
  ResourceRPCSubtypesResponse,
  StartSessionRequest,
  StartSessionResponse,
} from '../../proto/gen/core/robot/v1/robot.ts';
import { GetMachineStatusRequest, GetMachineStatusResponse } from '../../proto/gen/core/robot/v1/status.ts';
import { ManualClock } from '../base/clock.ts';
import { StatusCode } from '../base/status.ts';
import { CallRouter, MAX_MESSAGE_BYTES } from '../rpc/routing/call-router.ts';
import { foreignService } from '../rpc/reflection/foreign-service.ts';
import type { Forwarder } from '../rpc/router.ts';
import { gizmoDescriptors } from '../rpc/testing/foreign-descriptors.ts';
import { callOnce } from '../rpc/testing/local-caller.ts';
import { silentLogger } from '../base/logger.ts';
import type { Board } from '../apis/board/types.ts';
import type { Motor } from '../apis/motor.ts';
import { revisionOf } from '../base/revision.ts';
import { LogRegistry } from './logging/log-registry.ts';
import { Machine } from './machine.ts';
import { ComputerHardware } from '../hardware/computer-hardware.ts';
import { builtinCatalog } from './models/catalog.ts';
import type { BuiltResource, CatalogEntry } from './catalog/model.ts';

const settle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

const BOARD = 'core:component:board';
const board = (attributes: object): object => ({ name: 'bench', api: BOARD, model: 'slow', attributes });
const wrong = { name: 'left', api: 'core:component:motor', model: 'gpio', attributes: {} };

/** A board that never finishes applying new attributes, and records what its pins are driven to. */
function slowBoard(driven: string[]): CatalogEntry {
  const built = {
    name: 'bench',
    close: async () => undefined,
    reconfigure: () => new Promise<void>(() => undefined),
    gpioPin: (pin: string) => ({ set: async (isHigh: boolean) => void driven.push(`${pin} ${isHigh}`) }),
    holdsPin: () => true,
  } as unknown as Board & BuiltResource;
  return {
    api: BOARD,
    model: 'core:builtin:slow',
    summary: '',
    schema: { type: 'object' },
    inPlace: ['value'],
    isActuator: false,
    mayCoexist: false,
    load: async () => ({ build: async () => built }),
  };
}

const GIZMO = 'acme:component:gizmo';
const gizmo = { name: 'spinner', api: GIZMO, model: 'acme:bench:gizmo', attributes: {} };

/** A resource of another process that answers every call with its request. */
function gizmoEntry(events: string[]): CatalogEntry {
  const forwarder: Forwarder = {
    start: (_call, path, responder) => {
      events.push(path);
      return {
        message: (bytes) => responder.message(bytes, true),
        halfClose: () => responder.end({ code: StatusCode.OK, message: '' }, {}),
        cancel: () => undefined,
      };
    },
  };
  const built = {
    name: 'spinner',
    forwarder,
    stop: async () => void events.push('stop'),
    isMoving: async () => false,
    close: async () => undefined,
  };
  return {
    api: GIZMO,
    model: 'acme:bench:gizmo',
    summary: '',
    schema: { type: 'object' },
    inPlace: [],
    isActuator: true,
    mayCoexist: false,
    load: async () => ({ build: async (): Promise<BuiltResource> => built }),
  };
}

describe('Machine', () => {
  let folder = '';
  let machine: Machine;
  let router: CallRouter;
  let clock: ManualClock;
  let driven: string[] = [];

  const start = async (document: object, isEnvironmentUntrusted = false): Promise<void> => {
    const configPath = path.join(folder, 'machine.json');
    await writeFile(configPath, JSON.stringify(document));
    clock = new ManualClock();
    driven = [];
    const added = [slowBoard(driven), gizmoEntry(driven)];
    machine = new Machine({
      name: 'bench',
      version: '1.0.0',
      configPath,
      stateFolder: path.join(path.dirname(configPath), 'state'),
      environment: {},
      catalog: {
        entries: () => [...builtinCatalog.entries(), ...added],
        find: (api, model) => added.find((entry) => entry.model === model) ?? builtinCatalog.find(api, model),
        apis: () => builtinCatalog.apis(),
      },
      hardware: new ComputerHardware('linux'),
      clock,
      logs: new LogRegistry({ clock, isDebugFlagSet: false, historyCapacity: 1_000, store: undefined, firstSeq: 1 }),
      resourceTimeoutMs: 60_000,
      modules: { home: folder, trust: () => undefined, isEnvironmentUntrusted },
      revealsDiffs: false,
      remotes: { authority: '', usesWebRtc: false, allowsInsecureCreds: false },
      onConfig: () => undefined,
      shutDown: () => undefined,
    });
    router = new CallRouter({ clock, logger: silentLogger, maxMessageBytes: MAX_MESSAGE_BYTES });
    machine.mount(router);
    await machine.load();
    await machine.start();
  };

  const apply = (document: object): Promise<unknown> =>
    machine.configuration.apply({
      text: JSON.stringify(document),
      baseRevision: machine.configuration.state.revision,
      author: 'somebody',
      note: '',
      returnAfterMs: 0,
    });

  const call = async (method: string, request: Uint8Array, metadata: Record<string, string> = {}) => {
    const recorded = callOnce(router, method, request, { metadata });
    expect(await recorded.ended).toMatchObject({ code: StatusCode.OK });
    return recorded.messages[0] ?? new Uint8Array();
  };

  const machineStatus = async (): Promise<GetMachineStatusResponse> => {
    const request = GetMachineStatusRequest.encode({}).finish();
    return GetMachineStatusResponse.decode(await call('/viam.robot.v1.RobotService/GetMachineStatus', request));
  };

  beforeEach(async () => {
    folder = await mkdtemp(path.join(os.tmpdir(), 'armature-machine-'));
  });

  afterEach(async () => {
    await machine.close();
    await rm(folder, { recursive: true, force: true });
  });

  it('GetMachineStatus gives machine and resources the revision the document states', async () => {
    await start({ revision: 'v7', components: [board({})] });
    const status = await machineStatus();
    expect([status.config?.revision, status.resources[0]?.revision]).toEqual(['v7', 'v7']);
    await apply({ components: [board({})] });
    await settle();
    const { revision } = machine.configuration.state;
    const later = await machineStatus();
    expect([later.config?.revision, later.resources[0]?.revision]).toEqual([revision, revision]);
  });

  it('GetMachineStatus keeps the revision in force while a newer one is being carried out', async () => {
    await start({ components: [board({})] });
    const { revision } = machine.configuration.state;
    await apply({ components: [board({ value: 1 })] });
    expect(machine.configuration.state.outcome.kind).toBe('applying');
    expect((await machineStatus()).config?.revision).toBe(revision);
  });

  it('-untrusted-env: refuses what needs a process, and says so in its status', async () => {
    const camera = { name: 'eye', api: 'core:component:camera', model: 'webcam', attributes: {} };
    await start({ components: [camera, board({})] }, true);
    await vi.waitFor(() => {
      const eye = machine.graph.statuses().find(({ name }) => name === 'eye');
      expect(JSON.stringify(eye?.state)).toContain('-untrusted-env');
    });
  });

  it('says of each applied text what does not run, also where the text did not touch it', async () => {
    await start({ components: [board({}), wrong] });
    expect(machine.configuration.state.outcome).toMatchObject({ kind: 'applied-with-failures' });
    const text = { components: [{ ...board({}), notes: 'on the left' }, wrong] };
    await apply(text);
    await settle();
    expect(machine.configuration.state).toMatchObject({
      appliedRevision: revisionOf(JSON.stringify(text)),
      outcome: {
        kind: 'applied-with-failures',
        message: expect.stringContaining('core:component:motor/left: ') as string,
      },
    });
  });

  it('serves an API of another process: tells of it, passes calls on, stops what a lost session moved', async () => {
    await start({ components: [gizmo] });
    const turn = Buffer.from('\n\u0007spinner', 'latin1');
    const service = foreignService('acme.gizmo.v1.GizmoService', gizmoDescriptors('acme'));
    const path = `/${service.fullName}/Turn`;
    expect((await callOnce(router, path, turn).ended).code).toBe(StatusCode.UNIMPLEMENTED);
    const remove = machine.addForeignApi(GIZMO, service);

    for (const spelling of ['core', 'viam']) {
      const request = ResourceRPCSubtypesRequest.encode({}).finish();
      const answer = await call(`/${spelling}.robot.v1.RobotService/ResourceRPCSubtypes`, request);
      expect(ResourceRPCSubtypesResponse.decode(answer).resourceRpcSubtypes).toContainEqual({
        subtype: { namespace: 'acme', type: 'component', subtype: 'gizmo', name: '' },
        protoService: service.fullName,
      });
    }
    const started = await call(
      '/core.robot.v1.RobotService/StartSession',
      StartSessionRequest.encode({ resume: '' }).finish(),
    );
    const answer = await call(path, turn, { 'viam-sid': StartSessionResponse.decode(started).id });
    expect([Buffer.from(answer), driven]).toEqual([turn, [path]]);
    const elsewhere = Buffer.from('\n\u0005other', 'latin1');
    expect((await callOnce(router, path, elsewhere).ended).message).toBe(
      `no node found with api ${GIZMO} and name other`,
    );
    clock.advance(2_001);
    await machine.sessions.settled();
    expect(driven).toEqual([path, 'stop']);

    remove();
    expect((await callOnce(router, path, turn).ended).code).toBe(StatusCode.UNIMPLEMENTED);
  });

  it('a client whose session ends while it tunes a motor stops it, and its call says why', async () => {
    const pins = { a: 'a', b: 'b', en_high: 'en' };
    const encoderPins = { a: 'ea', b: 'eb' };
    await start({
      components: [
        {
          name: 'rig',
          api: BOARD,
          model: 'fake',
          attributes: {
            simulated_motors: [{ pins, encoder_pins: encoderPins, ticks_per_rotation: 200, max_rpm: 100 }],
          },
        },
        {
          name: 'enc',
          api: 'core:component:encoder',
          model: 'incremental',
          attributes: { board: 'rig', pins: encoderPins },
        },
        {
          name: 'left',
          api: 'core:component:motor',
          model: 'gpio',
          attributes: { board: 'rig', pins, encoder: 'enc', ticks_per_rotation: 200 },
        },
      ],
    });
    const motor = machine.graph.resourceOf('core:component:motor/left') as Motor;
    const started = await call(
      '/core.robot.v1.RobotService/StartSession',
      StartSessionRequest.encode({ resume: '' }).finish(),
    );
    const request = DoCommandRequest.encode({ name: 'left', command: { tune: {} } }).finish();
    const tuning = callOnce(router, '/viam.component.motor.v1.MotorService/DoCommand', request, {
      metadata: { 'viam-sid': StartSessionResponse.decode(started).id },
    });
    const pass = async (ms: number): Promise<void> => {
      for (let passed = 0; passed < ms; passed += 10) {
        clock.advance(10);
        await settle();
      }
    };
    await pass(1_900);
    expect([await motor.isMoving(), (await motor.poweredState()).isOn]).toEqual([true, true]);
    await pass(110);
    await machine.sessions.settled();
    expect([await motor.isMoving(), (await motor.poweredState()).isOn]).toEqual([false, false]);
    const ended = await tuning.ended;
    expect(ended.code).toBe(StatusCode.CANCELLED);
    expect(ended.message).toMatch(/session expired/);
  });

  it('makes the pin of a lost session safe also while its board takes new attributes', async () => {
    await start({ components: [board({})] });
    const started = await call(
      '/core.robot.v1.RobotService/StartSession',
      StartSessionRequest.encode({ resume: '' }).finish(),
    );
    const request = SetGPIORequest.encode({ name: 'bench', pin: '11', high: true, extra: undefined }).finish();
    await call('/core.component.board.v1.BoardService/SetGPIO', request, {
      'viam-sid': StartSessionResponse.decode(started).id,
    });
    await apply({ components: [board({ value: 1 })] });
    expect(machine.graph.status(`${BOARD}/bench`)?.state.kind).toBe('configuring');
    clock.advance(2_001);
    await machine.sessions.settled();
    expect(driven).toEqual(['11 true', '11 false']);
  });
});
