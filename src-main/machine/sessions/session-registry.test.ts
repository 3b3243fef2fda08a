import { setImmediate } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { ManualClock } from '../../base/clock.ts';
import { ArmatureError } from '../../base/errors.ts';
import { StatusCode } from '../../base/status.ts';
import {
  callFixture,
  ConnectionFixture,
  isMoving,
  methodFixture,
  moveServo,
  setGpio,
  setPower,
  setPwm,
  writeAnalog,
  type CallFixture,
} from './call.fixture.ts';
import { describeTarget } from './output-claims.ts';
import { sessionInterceptor } from './session-interceptor.ts';
import { MAX_SESSIONS } from './session.ts';
import { SessionRegistry } from './session-registry.ts';
import { STOP_DEADLINE_MS } from './stop-within.ts';
import type { Logger, LogLevel } from '../../base/logger.ts';
import type { Principal } from '../../rpc/principal.ts';
import type { ServerCall } from '../../rpc/call.ts';
import type { Method } from '../../rpc/method.ts';

const apis: ReadonlyMap<string, string> = new Map([
  ['core.component.motor.v1.MotorService', 'core:component:motor'],
  ['core.component.servo.v1.ServoService', 'core:component:servo'],
  ['core.component.board.v1.BoardService', 'core:component:board'],
]);

const alice: Principal = { kind: 'api-key', entity: 'alice' };
const bob: Principal = { kind: 'api-key', entity: 'bob' };
const left = 'core:component:motor/left';

function recordingLogger(lines: [LogLevel, string][]): Logger {
  const logger: Logger = {
    name: 'core.sessions',
    debug: (message) => void lines.push(['debug', message]),
    info: (message) => void lines.push(['info', message]),
    warn: (message) => void lines.push(['warn', message]),
    error: (message) => void lines.push(['error', message]),
    child: () => logger,
  };
  return logger;
}

function setUp(
  stop: (what: string, signal: AbortSignal) => Promise<void> = () => Promise.resolve(),
  heldPins: readonly string[] = [],
) {
  const clock = new ManualClock();
  const stopped: string[] = [];
  const lines: [LogLevel, string][] = [];
  const registry = new SessionRegistry({
    clock,
    logger: recordingLogger(lines),
    windowMs: 2_000,
    stopOnDisconnect: true,
    apiOfService: (service) => apis.get(service),
    stopResource: (resource, signal) => {
      stopped.push(resource);
      return stop(resource, signal);
    },
    isPinHeld: ({ pin }) => heldPins.includes(pin),
    makePinSafe: (pin, signal) => {
      stopped.push(`${pin.drivenAs} ${describeTarget(pin)}`);
      return stop(pin.pin, signal);
    },
  });
  const interceptor = sessionInterceptor(registry);
  const connection = new ConnectionFixture('5000');

  /** A call up to its first request. */
  const begin = (method: Method, name: string, overrides: Parameters<typeof callFixture>[2] = {}): CallFixture => {
    const call = callFixture(method, name, { connection, principal: alice, ...overrides });
    void interceptor.start?.(call);
    interceptor.request?.(call);
    return call;
  };
  const end = (call: ServerCall, code: StatusCode = StatusCode.OK): void =>
    interceptor.end?.(call, { code, message: '' });
  const run = (method: Method, name: string, overrides: Parameters<typeof callFixture>[2] = {}): CallFixture => {
    const call = begin(method, name, overrides);
    end(call);
    return call;
  };
  const session = (): string => registry.start('', alice, connection).id;
  /** Runs the stops that were requested. */
  const flush = (): Promise<void> => registry.settled();
  return { clock, registry, connection, stopped, lines, begin, end, run, session, flush };
}

const withSession = (id: string) => ({ metadata: { 'viam-sid': id } });

describe('a session', () => {
  it('stops exactly what it commanded last, when its window passes without a sign of life', async () => {
    const { clock, run, session, stopped, flush } = setUp();
    const id = session();
    run(setPower, 'left', withSession(id));
    run(moveServo, 'arm', withSession(id));
    run(isMoving, 'right', withSession(id));
    clock.advance(1_999);
    await flush();
    expect(stopped).toEqual([]);
    clock.advance(1);
    await flush();
    expect(stopped).toEqual([left, 'core:component:servo/arm']);
  });

  it('answers for a motor that it tunes, and for none that it only asks', async () => {
    const { clock, begin, session, stopped, flush } = setUp();
    const id = session();
    const doCommand = methodFixture('/core.component.motor.v1.MotorService/DoCommand');
    const call = begin(doCommand, 'left', { ...withSession(id), request: { name: 'left', command: { tune: {} } } });
    begin(doCommand, 'right', { ...withSession(id), request: { name: 'right', command: { get_tuned_pid: true } } });
    begin(doCommand, 'back', { ...withSession(id), request: { name: 'back' } });
    clock.advance(2_000);
    await flush();
    expect(stopped).toEqual([left]);
    expect(call.cancelReasons).toHaveLength(1);
  });

  it('is kept alive by heartbeats and by any call with its id', () => {
    const { clock, connection, registry, run, session } = setUp();
    const id = session();
    clock.advance(1_500);
    registry.heartbeat(id, alice, connection);
    clock.advance(1_500);
    run(isMoving, 'left', withSession(id));
    clock.advance(1_999);
    expect(registry.list()).toHaveLength(1);
    clock.advance(1);
    expect(registry.list()).toHaveLength(0);
  });

  it('refuses a call with an unknown, expired or foreign id in the words clients match', () => {
    const { clock, connection, registry, run, session } = setUp();
    const id = session();
    const refusal = expect.objectContaining({ code: 'session.expired', message: 'SESSION_EXPIRED' }) as Error;
    expect(() => run(setPower, 'left', withSession('nobody'))).toThrow(refusal);
    expect(() => run(setPower, 'left', { ...withSession(id), principal: bob })).toThrow(refusal);
    expect(() => registry.heartbeat(id, bob, connection)).toThrow(refusal);
    clock.advance(2_000);
    expect(() => run(setPower, 'left', withSession(id))).toThrow(refusal);
    expect(new ArmatureError('session.expired', '').info.status).toBe(StatusCode.INVALID_ARGUMENT);
  });

  it('is resumed by its owner only; anybody else gets a new one', () => {
    const { clock, registry, connection, session } = setUp();
    const id = session();
    clock.advance(1_500);
    expect(registry.start(id, alice, connection)).toEqual({ id, windowMs: 2_000 });
    clock.advance(1_500);
    expect(registry.list().map((info) => info.id)).toEqual([id]);
    expect(registry.start(id, bob, connection).id).not.toBe(id);
    expect(registry.start('unknown', alice, connection).id).not.toBe(id);
  });

  it('loses a resource to the last writer, with a session or without', async () => {
    const { clock, registry, connection, run, session, stopped, flush } = setUp();
    const first = session();
    const second = registry.start('', bob, connection).id;
    const web = new ConnectionFixture('6000', false);
    run(setPower, 'left', withSession(first));
    run(setPower, 'right', withSession(first));
    run(setPower, 'left', { ...withSession(second), principal: bob });
    run(setPower, 'right', { connection: web });
    clock.advance(1_000);
    registry.heartbeat(second, bob, connection);
    clock.advance(1_000);
    await flush();
    expect(stopped).toEqual([]);
    clock.advance(1_000);
    await flush();
    expect(stopped).toEqual([left]);
  });

  it('never mixes resources of the same short name under different APIs', async () => {
    const { clock, registry, connection, run, session, stopped, flush } = setUp();
    const first = session();
    const second = registry.start('', bob, connection).id;
    run(setPower, 'left', withSession(first));
    run(moveServo, 'left', { ...withSession(second), principal: bob });
    clock.advance(1_500);
    registry.heartbeat(second, bob, connection);
    clock.advance(500);
    await flush();
    expect(stopped).toEqual([left]);
  });

  it('leaves pins as they are, as relays want it, but for those that ask to be held', async () => {
    const { clock, run, session, stopped, flush } = setUp(undefined, ['13']);
    const id = session();
    run(setGpio, 'bench', { ...withSession(id), request: { name: 'bench', pin: '12', high: true } });
    run(setPwm, 'bench', { ...withSession(id), request: { name: 'bench', pin: '13' } });
    run(writeAnalog, 'bench', { ...withSession(id), request: { name: 'bench', pin: '14', value: 7 } });
    clock.advance(2_000);
    await flush();
    expect(stopped).toEqual(['pwm pin 13 of core:component:board/bench']);
  });

  it('of a page takes all pins with it, each to its safe value', async () => {
    const { clock, registry, run, stopped, flush } = setUp();
    const page = new ConnectionFixture('5500', true, 'channel');
    const { id } = registry.start('', alice, page);
    run(setPwm, 'bench', { ...withSession(id), request: { name: 'bench', pin: '12', dutyCyclePct: 0.5 } });
    run(setGpio, 'bench', { ...withSession(id), request: { name: 'bench', pin: '12', high: true } });
    run(setPwm, 'bench', { ...withSession(id), request: { name: 'bench', pin: '13' } });
    run(writeAnalog, 'bench', { ...withSession(id), request: { name: 'bench', pin: '12', value: 7 } });
    clock.advance(2_000);
    await flush();
    const board = 'core:component:board/bench';
    expect(stopped.sort()).toEqual([`analog pin 12 of ${board}`, `gpio pin 12 of ${board}`, `pwm pin 13 of ${board}`]);
  });

  it('leaves nothing behind when it expires', async () => {
    const { clock, registry, run, session, flush } = setUp();
    for (let round = 0; round < 3; round++) {
      const id = session();
      for (let motor = 0; motor < 50; motor++) run(setPower, `m${motor}`, withSession(id));
      expect(registry.ownedOutputs).toBe(50);
      clock.advance(2_000);
      await flush();
      expect(registry.ownedOutputs).toBe(0);
      expect(clock.pending).toBe(0);
    }
  });

  it('takes a changed window at its next start or resume, without a restart', () => {
    const { clock, registry, connection, session } = setUp();
    const old = session();
    registry.setWindow(500);
    const quick = registry.start('', bob, connection);
    expect(quick.windowMs).toBe(500);
    clock.advance(500);
    expect(registry.list().map((info) => info.id)).toEqual([old]);
    registry.start(old, alice, connection);
    clock.advance(500);
    expect(registry.list()).toEqual([]);
  });

  it.each([29, 60_001, Number.NaN])('refuses a window of %s ms', (windowMs) => {
    const { registry } = setUp();
    expect(() => registry.setWindow(windowMs)).toThrow(expect.objectContaining({ code: 'config.invalid' }));
  });

  it('has a cap on the number of sessions that says what to do', () => {
    const { registry, connection, session } = setUp();
    for (let index = 0; index < MAX_SESSIONS; index++) session();
    expect(() => registry.start('', alice, connection)).toThrow(/1024 sessions are open/);
  });

  it('cancels its calls before it stops what they move, and stops again what still ended later', async () => {
    const { clock, begin, end, session, stopped, flush } = setUp();
    const id = session();
    const goFor = begin(setPower, 'left', withSession(id));
    clock.advance(2_000);
    expect(goFor.cancelReasons).toEqual([expect.objectContaining({ code: 'call.cancelled' })]);
    await flush();
    expect(stopped).toEqual([left]);
    end(goFor, StatusCode.OK);
    await flush();
    expect(stopped).toEqual([left, left]);
  });

  it('stops once what a call moved that ends as soon as it is cancelled', async () => {
    const { clock, begin, end, run, session, registry, connection, stopped, flush } = setUp();
    run(setPower, 'left', { ...withSession(registry.start('', bob, connection).id), principal: bob });
    const id = session();
    const goFor = begin(setPower, 'left', withSession(id));
    goFor.cancel = () => end(goFor, StatusCode.CANCELLED);
    clock.advance(2_000);
    await flush();
    expect(stopped).toEqual([left]);
    expect(registry.ownedOutputs).toBe(0);
  });

  it('keeps a motor that somebody else failed to command', async () => {
    const { clock, begin, end, run, session, stopped, flush } = setUp();
    const id = session();
    run(setPower, 'left', withSession(id));
    end(begin(setPower, 'left', { principal: bob }), StatusCode.INVALID_ARGUMENT);
    clock.advance(2_000);
    await flush();
    expect(stopped).toEqual([left]);
  });

  it('keeps nothing of commands on resources that do not exist', () => {
    const { registry, begin, end } = setUp();
    for (let index = 0; index < 100; index++) end(begin(setPower, `ghost${index}`), StatusCode.NOT_FOUND);
    expect(registry.ownedOutputs).toBe(0);
  });

  it('tells a chained server which resource it commanded, in the spelling of the caller', () => {
    const { run, session } = setUp();
    const id = session();
    expect(run(setPower, 'left', withSession(id)).headers).toEqual({ 'viam-smrn': 'rdk:component:motor/left' });
    expect(run(setPower, 'left').headers).toEqual({});
    expect(run(isMoving, 'left', withSession(id)).headers).toEqual({});
  });

  it('is listed with its connection and what expiry would stop', () => {
    const { registry, connection, run, session } = setUp();
    const id = session();
    run(setPower, 'left', withSession(id));
    expect(registry.list()).toEqual([
      { id, entity: 'alice', connection, outputs: [{ kind: 'resource', resource: left }] },
    ]);
  });

  it('expires after the program itself stalled, and the log says so', async () => {
    const { registry, clock, connection, lines, run, session, stopped, flush } = setUp();
    const id = session();
    run(setPower, 'left', withSession(id));
    const advance = clock.monotonic.bind(clock);
    clock.monotonic = () => advance() + 7_000;
    expect(() => registry.heartbeat(id, alice, connection)).toThrow('SESSION_EXPIRED');
    await flush();
    expect(stopped).toEqual([left]);
    expect(lines).toContainEqual(['warn', expect.stringContaining('this program itself was too busy')]);
  });
});

describe('a session whose last connection closes', () => {
  it('is over at once: what it moved stops, its calls are cancelled, its id is refused', async () => {
    const { connection, clock, registry, lines, begin, run, session, stopped, flush } = setUp();
    const id = session();
    run(setPower, 'left', withSession(id));
    const goFor = begin(setPower, 'right', withSession(id));
    connection.close();
    await flush();
    expect(stopped).toEqual([left, 'core:component:motor/right']);
    expect(goFor.cancelReasons).toHaveLength(1);
    expect(lines).toContainEqual(['info', expect.stringContaining('last connection')]);
    expect(registry.list()).toEqual([]);
    expect(() => registry.heartbeat(id, alice, new ConnectionFixture('7000'))).toThrow('SESSION_EXPIRED');
    clock.advance(2_000);
    await flush();
    expect(stopped).toHaveLength(2);
  });

  it('lives on while another connection is open that started, resumed or beat it, or called in it', async () => {
    const { connection, registry, run, session, stopped, flush } = setUp();
    const id = session();
    const [beating, calling, resuming] = ['1', '2', '3'].map((name) => new ConnectionFixture(name));
    registry.heartbeat(id, alice, beating!);
    run(setPower, 'left', { ...withSession(id), connection: calling! });
    registry.start(id, alice, resuming!);
    for (const one of [connection, beating!, resuming!]) {
      one.close();
      await flush();
      expect(stopped).toEqual([]);
    }
    calling!.close();
    await flush();
    expect(stopped).toEqual([left]);
  });

  it('is over by its window alone where only gRPC-Web over HTTP/1.1 used it', async () => {
    const { clock, registry, run, stopped, flush } = setUp();
    const web = new ConnectionFixture('8000', false);
    const { id } = registry.start('', alice, web);
    run(setPower, 'left', { ...withSession(id), connection: web });
    web.close();
    clock.advance(1_999);
    await flush();
    expect(stopped).toEqual([]);
    clock.advance(1);
    await flush();
    expect(stopped).toEqual([left]);
  });

  it('lives for its window where connections are not to stop anything', async () => {
    const { connection, clock, registry, run, session, stopped, flush } = setUp();
    run(setPower, 'left', withSession(session()));
    registry.setStopOnDisconnect(false);
    connection.close();
    await flush();
    expect(stopped).toEqual([]);
    clock.advance(2_000);
    await flush();
    expect(stopped).toEqual([left]);
  });

  it('leaves nothing behind: neither listeners nor timers nor outputs', async () => {
    const { connection, clock, registry, run, session, flush } = setUp();
    const other = new ConnectionFixture('7000');
    const id = session();
    for (let index = 0; index < 10; index++) {
      run(setPower, `m${index}`, withSession(id));
      registry.heartbeat(id, alice, other);
    }
    expect([connection.listeners.size, other.listeners.size]).toEqual([1, 1]);
    clock.advance(2_000);
    expect([connection.listeners.size, other.listeners.size]).toEqual([0, 0]);
    await flush();
    expect(registry.ownedOutputs).toBe(0);
    expect(clock.pending).toBe(0);
  });
});

describe('pins driven directly', () => {
  const board = 'core:component:board/bench';

  it('are known until they were made safe, whoever drove them and whether that is still there', () => {
    const { clock, registry, run, session } = setUp();
    run(setGpio, 'bench', { ...withSession(session()), request: { pin: '7' } });
    run(setPwm, 'bench', { connection: new ConnectionFixture('8000', false), request: { pin: '8' } });
    run(setPower, 'left');
    clock.advance(2_000);
    const [first, second] = registry.drivenPins;
    expect([first, second]).toEqual([
      { kind: 'pin', board, pin: '7', drivenAs: 'gpio' },
      { kind: 'pin', board, pin: '8', drivenAs: 'pwm' },
    ]);
    registry.forgetDriven(first!);
    run(setPwm, 'bench', { request: { pin: '8' } });
    registry.forgetDriven(second!);
    expect(registry.drivenPins.map(({ pin }) => pin)).toEqual(['8']);
  });

  it('are none of theirs where the command was refused', () => {
    const { registry, begin, end } = setUp();
    end(begin(setGpio, 'bench', { request: { pin: '7' } }), StatusCode.NOT_FOUND);
    expect(registry.drivenPins).toEqual([]);
  });
});

describe('stopping', () => {
  it('an actuator that hangs holds up neither other stops nor other sessions', async () => {
    const { clock, registry, connection, run, session, stopped, lines, flush } = setUp((what) =>
      what === left ? new Promise(() => undefined) : Promise.resolve(),
    );
    const id = session();
    run(setPower, 'left', withSession(id));
    run(setPower, 'right', withSession(id));
    clock.advance(1_000);
    const other = registry.start('', bob, connection).id;
    clock.advance(1_000);
    await setImmediate();
    expect(stopped).toEqual([left, 'core:component:motor/right']);
    registry.heartbeat(other, bob, connection);
    clock.advance(1_999);
    expect(registry.list().map((info) => info.id)).toEqual([other]);
    clock.advance(STOP_DEADLINE_MS);
    await flush();
    const errors = lines.filter(([level]) => level === 'error').map(([, message]) => message);
    expect(errors).toEqual([expect.stringMatching(/motor\/left could not be stopped.*did not stop within 2000 ms/)]);
  });

  it('gives up the call to a hanging stop at its deadline', async () => {
    const signals: AbortSignal[] = [];
    const { clock, run, session, flush } = setUp((_what, signal) => {
      signals.push(signal);
      return new Promise(() => undefined);
    });
    run(setPower, 'left', withSession(session()));
    clock.advance(2_000);
    expect(signals.map((signal) => signal.aborted)).toEqual([false]);
    clock.advance(STOP_DEADLINE_MS);
    await flush();
    expect(signals.map((signal) => signal.aborted)).toEqual([true]);
  });

  it('reports a stop that throws at once, and carries on with the others', async () => {
    const { clock, run, session, stopped, lines, flush } = setUp((what) => {
      if (what === left) throw new Error('bus is gone');
      return Promise.resolve();
    });
    const id = session();
    run(setPower, 'left', withSession(id));
    run(setPower, 'right', withSession(id));
    clock.advance(2_000);
    await flush();
    expect(stopped).toHaveLength(2);
    expect(lines).toContainEqual(['error', expect.stringContaining('bus is gone')]);
  });
});

describe('a connection without a session', () => {
  it('stops what it commanded when it closes', async () => {
    const { connection, run, stopped, flush } = setUp(undefined, ['7']);
    run(setPower, 'left');
    run(setGpio, 'bench', { request: { pin: '7' } });
    run(setGpio, 'bench', { request: { pin: '8' } });
    connection.close();
    await flush();
    expect(stopped).toEqual([left, 'gpio pin 7 of core:component:board/bench']);
  });

  it('of a module takes all its pins with it: they may be what its motor is made of', async () => {
    const { run, stopped, flush } = setUp();
    const socket = new ConnectionFixture('module');
    const principal = { kind: 'module', entity: 'drive' } as const;
    run(setGpio, 'bench', { connection: socket, principal, request: { pin: '8' } });
    socket.close();
    await flush();
    expect(stopped).toEqual(['gpio pin 8 of core:component:board/bench']);
  });

  it('of a page takes all its pins with it', async () => {
    const { run, stopped, flush } = setUp();
    const page = new ConnectionFixture('5500', true, 'channel');
    run(setGpio, 'bench', { connection: page, request: { pin: '8' } });
    page.close();
    await flush();
    expect(stopped).toEqual(['gpio pin 8 of core:component:board/bench']);
  });

  it('leaves a pin alone whose command ends after it, unless that is held', async () => {
    const { connection, begin, end, stopped, flush } = setUp(undefined, ['7']);
    const calls = ['7', '8'].map((pin) => begin(setGpio, 'bench', { request: { pin } }));
    connection.close();
    await flush();
    stopped.length = 0;
    for (const call of calls) end(call);
    await flush();
    expect(stopped).toEqual(['gpio pin 7 of core:component:board/bench']);
  });

  it('leaves alone what somebody else commanded since', async () => {
    const { connection, run, stopped, flush } = setUp();
    const other = new ConnectionFixture('7000');
    run(setPower, 'left');
    run(setPower, 'left', { connection: other });
    connection.close();
    await flush();
    expect(stopped).toEqual([]);
    other.close();
    await flush();
    expect(stopped).toEqual([left]);
  });

  it('does not answer for what it commanded in a session that others keep', async () => {
    const { connection, registry, run, session, stopped, flush } = setUp();
    const id = session();
    registry.heartbeat(id, alice, new ConnectionFixture('7000'));
    run(setPower, 'left', withSession(id));
    connection.close();
    await flush();
    expect(stopped).toEqual([]);
  });

  it('can be told not to stop anything, while it is open', async () => {
    const { connection, registry, begin, end, run, stopped, flush } = setUp();
    run(setPower, 'left');
    const late = begin(setPower, 'right');
    registry.setStopOnDisconnect(false);
    connection.close();
    end(late);
    await flush();
    expect(stopped).toEqual([]);
    expect(registry.ownedOutputs).toBe(0);
  });

  it('is not watched where it is one request of gRPC-Web over HTTP/1.1', async () => {
    const { run, stopped, flush } = setUp();
    const web = new ConnectionFixture('8000', false);
    run(setPower, 'left', { connection: web });
    expect(web.listeners.size).toBe(0);
    web.close();
    await flush();
    expect(stopped).toEqual([]);
  });

  it('is watched by one listener however much it commands, and by none after disposal', () => {
    const { connection, registry, run } = setUp();
    for (let index = 0; index < 10; index++) run(setPower, `m${index}`);
    expect(connection.listeners.size).toBe(1);
    registry.dispose();
    expect(connection.listeners.size).toBe(0);
  });
});
