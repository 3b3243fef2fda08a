import { setImmediate } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { ManualClock } from '../../base/clock.ts';
import { OK } from '../../base/status.ts';
import { callFixture, isMoving, methodFixture, setPower, type CallFixture } from '../sessions/call.fixture.ts';
import { STOP_DEADLINE_MS } from '../sessions/stop-within.ts';
import { operationInterceptor } from './operation-interceptor.ts';
import { OperationRegistry } from './operation-registry.ts';
import { stopAll, type StoppableActuator } from './stop-all.ts';
import type { JsonObject } from '../../apis/resource.ts';
import type { Method } from '../../rpc/method.ts';
import { StreamTicksRequest } from '../../../proto/gen/core/component/board/v1/board.ts';

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
const given = '11111111-2222-4333-8444-555555555555';
const getMachineStatus = methodFixture('/core.robot.v1.RobotService/GetMachineStatus', { hasResource: false });

function setUp() {
  const clock = new ManualClock();
  const operations = new OperationRegistry(clock);
  const interceptor = operationInterceptor(operations);
  const begin = (method: Method, overrides: Parameters<typeof callFixture>[2] = {}): CallFixture => {
    const call = callFixture(method, 'left', { startedAt: clock.monotonic(), ...overrides });
    void interceptor.start?.(call);
    return call;
  };
  const end = (call: CallFixture): void => interceptor.end?.(call, OK);
  return { clock, operations, begin, end };
}

describe('operations', () => {
  it('get an id of their own, echoed to the caller', () => {
    const { begin } = setUp();
    const [first, second] = [begin(setPower), begin(setPower)];
    expect(first.operationId).toMatch(UUID);
    expect(first.headers).toEqual({ opid: first.operationId });
    expect(second.operationId).not.toBe(first.operationId);
  });

  it.each([
    ['the id the caller sent', given, given],
    ['one of ours where that is no UUID', 'x'.repeat(4_000), UUID],
  ])('take %s', (_title, opid, expected) => {
    const { begin } = setUp();
    expect(begin(setPower, { metadata: { opid } }).headers['opid']).toMatch(expected);
  });

  it('are listed while they run, in the spelling of the asker, with arguments decoded only when read', () => {
    const { clock, operations, begin, end } = setUp();
    let decoded = 0;
    const request = { name: 'left', powerPct: 0.5 };
    const call = begin(setPower, {
      sessionId: 's1',
      requestAsJson: () => {
        decoded++;
        return request;
      },
    });
    const startedAt = clock.now();
    clock.advance(5_000);
    const [listed] = operations.list('viam');
    expect(listed).toMatchObject({
      id: call.operationId,
      method: '/viam.component.motor.v1.MotorService/SetPower',
      startedAt,
      sessionId: 's1',
    });
    expect(decoded).toBe(0);
    expect(listed?.arguments()).toBe(request);
    expect(operations.list('core')[0]?.method).toBe(setPower.path);
    end(call);
    expect(operations.list('core')).toEqual([]);
  });

  it.each([
    '/proto.rpc.v1.AuthService/Authenticate',
    '/proto.rpc.webrtc.v1.SignalingService/Call',
    '/grpc.reflection.v1.ServerReflection/ServerReflectionInfo',
    '/grpc.reflection.v1alpha.ServerReflection/ServerReflectionInfo',
    '/grpc.health.v1.Health/Check',
    '/core.robot.v1.RobotService/GetOperations',
    '/core.robot.v1.RobotService/StreamStatus',
  ])('do not track %s', (path) => {
    const { operations, begin, end } = setUp();
    const call = begin(methodFixture(path));
    expect(operations.size).toBe(0);
    expect(call.operationId).toBeUndefined();
    end(call);
  });

  it('are cancelled by id; an unknown id is no error', () => {
    const { operations, begin } = setUp();
    const [wanted, other] = [begin(setPower, { metadata: { opid: given } }), begin(setPower)];
    operations.cancel(given);
    operations.cancel('unknown');
    expect(wanted.cancelReasons).toEqual([expect.objectContaining({ code: 'call.cancelled' })]);
    expect(other.cancelReasons).toEqual([]);
  });

  it('can be waited for: until the last call with the id ended, without polling', async () => {
    const { clock, operations, begin, end } = setUp();
    const hops = [begin(setPower, { metadata: { opid: given } }), begin(isMoving, { metadata: { opid: given } })];
    const waiter = begin(getMachineStatus);
    let isOver = false;
    const wait = operations.blockFor(given, waiter).then(() => {
      isOver = true;
    });
    expect(clock.pending).toBe(0);
    for (const hop of hops) {
      await Promise.resolve();
      expect(isOver).toBe(false);
      end(hop);
    }
    await wait;
    expect(isOver).toBe(true);
  });

  it('do not hold up whoever waits for an unknown id or for itself', async () => {
    const { operations, begin } = setUp();
    const waiter = begin(getMachineStatus, { metadata: { opid: given } });
    await operations.blockFor('unknown', waiter);
    await operations.blockFor(given, waiter);
  });

  it('let a waiter go that was cancelled', async () => {
    const { operations, begin } = setUp();
    begin(setPower, { metadata: { opid: given } });
    const waiter = begin(getMachineStatus);
    const wait = operations.blockFor(given, waiter);
    waiter.cancel('gone');
    await expect(wait).rejects.toMatchObject({ code: 'call.cancelled' });
  });
});

const resourceOf = (call: { readonly resourceName: string }): string => `core:component:motor/${call.resourceName}`;

describe('StopAll', () => {
  const actuator = (fullName: string, stop: StoppableActuator['stop'] = () => Promise.resolve()) => ({
    fullName,
    stop,
  });

  it('cancels what may move something, itself and mere watching apart, before it stops anything', async () => {
    const { clock, operations, begin } = setUp();
    const watch = methodFixture('/core.component.board.v1.BoardService/StreamTicks', {
      responseStream: true,
      requestType: StreamTicksRequest,
    });
    const unknownStream = methodFixture('/acme.Dancer/Dance', { responseStream: true });
    const moving = [begin(setPower), begin(unknownStream)];
    const untouched = [begin(watch), begin(getMachineStatus)];
    const caller = begin(methodFixture('/core.robot.v1.RobotService/StopAll', { hasResource: true }));
    let cancelledBefore = 0;
    await stopAll({
      clock,
      operations,
      resourceOf,
      caller,
      extras: new Map(),
      actuators: [
        actuator('core:component:motor/left', async () => {
          cancelledBefore = moving.filter((call) => call.isCancelled).length;
        }),
      ],
    });
    expect(cancelledBefore).toBe(2);
    expect([...untouched, caller].flatMap((call) => call.cancelReasons)).toEqual([]);
  });

  it('leaves commands alone that a stop ends by itself: their callers hear of no failure', async () => {
    const { clock, operations, begin } = setUp();
    const command = begin(setPower);
    const other = begin(methodFixture('/core.component.motor.v1.MotorService/DoCommand'));
    await stopAll({
      clock,
      operations,
      resourceOf,
      caller: undefined,
      extras: new Map(),
      actuators: [{ ...actuator('core:component:motor/left'), endsItsCommands: true }],
    });
    expect([command.isCancelled, other.isCancelled]).toEqual([false, true]);
  });

  it('hands each actuator its own extra', async () => {
    const { clock, operations, begin } = setUp();
    const extras: Record<string, JsonObject | undefined> = {};
    await stopAll({
      clock,
      operations,
      resourceOf,
      caller: begin(getMachineStatus),
      extras: new Map([['core:component:motor/left', { brake: true }]]),
      actuators: ['left', 'right'].map((name) =>
        actuator(`core:component:motor/${name}`, async ({ extra }) => {
          extras[name] = extra;
        }),
      ),
    });
    expect(extras).toEqual({ left: { brake: true }, right: undefined });
  });

  it('stops all at once and names those that failed or hung, each by its own deadline', async () => {
    const { clock, operations, begin } = setUp();
    const stopped: string[] = [];
    const hang = (): Promise<void> => new Promise(() => undefined);
    const done = stopAll({
      clock,
      operations,
      resourceOf,
      caller: begin(getMachineStatus),
      extras: new Map(),
      actuators: [
        actuator('core:component:motor/hangs', hang),
        actuator('core:component:motor/throws', () => {
          throw new Error('no power');
        }),
        actuator('core:component:motor/works', async () => void stopped.push('works')),
      ],
    });
    expect(stopped).toEqual(['works']);
    await setImmediate();
    clock.advance(STOP_DEADLINE_MS);
    await expect(done).rejects.toMatchObject({
      code: 'hardware.failed',
      message: expect.stringContaining('2 of 3 actuators') as string,
      details: {
        failures: {
          'core:component:motor/hangs': expect.stringContaining('within 2000 ms') as string,
          'core:component:motor/throws': 'no power',
        },
      },
    });
  });
});
