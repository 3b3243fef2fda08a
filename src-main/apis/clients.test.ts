import { beforeEach, describe, expect, it } from 'vitest';
import { findApi } from './all.ts';
import type { Board, DigitalInterrupt, Tick } from './board/types.ts';
import type { Encoder } from './encoder.ts';
import type { Motor } from './motor.ts';
import type { RemoteEndpoint } from './remote-resource.ts';
import type { Resource } from './resource.ts';
import type { Sensor } from './sensor.ts';
import type { Servo } from './servo.ts';
import { ManualClock } from '../base/clock.ts';
import { ArmatureError } from '../base/errors.ts';
import { silentLogger } from '../base/logger.ts';
import { CallRouter } from '../rpc/routing/call-router.ts';
import { localConnection } from '../rpc/routing/local-call.ts';

const settle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

let clock: ManualClock;
let closed: AbortController;

beforeEach(() => {
  clock = new ManualClock();
  closed = new AbortController();
});

/** The client of a resource that is served on the other side of a wire. */
function clientOf<R extends Resource>(api: string, resource: object): R {
  const known = findApi(api)!;
  const router = new CallRouter({ clock, logger: silentLogger, maxMessageBytes: 1 << 20 });
  router.addResourceService(known.service, known.handlers, (name) => {
    if (name !== 'left') throw new ArmatureError('resource.not_found', `no ${name} here`);
    return { kind: 'local', resource: { name, ...resource } };
  });
  const connection = localConnection('test');
  const endpoint: RemoteEndpoint = {
    name: 'left',
    start: (path, metadata, timeoutMs, responder) => router.start({ path, metadata, timeoutMs, connection }, responder),
    codes: { unreachable: 'peer.unreachable', refused: 'peer.unreachable' },
    clock,
    closed: closed.signal,
  };
  return known.client(endpoint) as R;
}

/** Records what reaches the resource, and answers with `answer`. */
function recorded(answer?: unknown): {
  readonly calls: unknown[][];
  readonly method: (...args: unknown[]) => Promise<unknown>;
} {
  const calls: unknown[][] = [];
  const method = (...args: unknown[]): Promise<unknown> => {
    calls.push(
      args.map((one) =>
        typeof one === 'object' && one !== null && 'signal' in one
          ? { extra: (one as { extra?: unknown }).extra }
          : one,
      ),
    );
    return Promise.resolve(answer);
  };
  return { calls, method };
}

describe('a call of a resource that another process has', () => {
  const extra = { quick: true };
  type Case = readonly [api: string, method: string, args: readonly unknown[], answer: unknown];
  const cases: readonly Case[] = [
    ['core:component:motor', 'setPower', [0.5, { extra }], undefined],
    ['core:component:motor', 'goFor', [60, 2.5, { extra }], undefined],
    ['core:component:motor', 'goTo', [60, -1, { extra }], undefined],
    ['core:component:motor', 'setRpm', [30, { extra }], undefined],
    ['core:component:motor', 'resetZeroPosition', [0.25, { extra }], undefined],
    ['core:component:motor', 'position', [{ extra }], 1.5],
    ['core:component:motor', 'properties', [{ extra }], { isPositionReported: true }],
    ['core:component:motor', 'stop', [{ extra, isCommanded: true }], undefined],
    ['core:component:motor', 'isMoving', [{ extra: undefined }], true],
    ['core:component:motor', 'poweredState', [{ extra: undefined }], { isOn: true, power: -0.5 }],
    ['core:component:servo', 'move', [45, { extra }], undefined],
    ['core:component:servo', 'position', [{ extra }], 90],
    ['core:component:servo', 'stop', [{ extra, isCommanded: true }], undefined],
    ['core:component:servo', 'isMoving', [{ extra: undefined }], false],
    ['core:component:encoder', 'position', ['ticks', { extra }], { value: 12, type: 'ticks' }],
    ['core:component:encoder', 'position', [undefined, { extra }], { value: 90, type: 'degrees' }],
    ['core:component:encoder', 'resetPosition', [{ extra }], undefined],
    ['core:component:encoder', 'properties', [{ extra }], { isTicksSupported: true, isDegreesSupported: false }],
    ['core:component:sensor', 'readings', [{ extra }], { t: 21.5, deep: { list: [1, 'a', null] } }],
    ['core:component:board', 'readAnalog', ['pot', { extra }], { value: 512, min: 0, max: 3.25, step: 0.5 }],
    ['core:component:board', 'writeAnalog', ['7', 3, { extra }], undefined],
    ['core:component:board', 'setPowerMode', ['offline-deep', 1500, { extra }], undefined],
    ['core:component:generic', 'doCommand', [{ a: 1 }, { extra: undefined }], { done: true }],
    ['core:service:generic', 'doCommand', [{ a: 1 }, { extra: undefined }], { done: true }],
    ['core:component:motor', 'status', [], { rpm: 5 }],
  ];

  it.each<Case>(cases)('%s %s %j', async (api, method, args, answer) => {
    const far = recorded(answer);
    const client = clientOf<Resource>(api, { [method]: far.method });
    const call = (client as unknown as Record<string, (...args: readonly unknown[]) => Promise<unknown>>)[method]!;
    expect(await call.call(client, ...args)).toEqual(answer);
    expect(far.calls).toEqual([args]);
  });

  it('of pins of a board', async () => {
    const calls: unknown[] = [];
    const log =
      (what: string, answer?: unknown) =>
      (...args: readonly unknown[]): Promise<unknown> => {
        calls.push([what, ...args]);
        return Promise.resolve(answer);
      };
    const pinOf = (pin: string): object => ({
      set: log(`${pin} set`),
      get: log(`${pin} get`, true),
      setPwm: log(`${pin} setPwm`),
      pwm: log(`${pin} pwm`, 0.5),
      setPwmFrequency: log(`${pin} freq`),
      pwmFrequency: log(`${pin} freqOf`, 800),
    });
    const pin = clientOf<Board>('core:component:board', { gpioPin: pinOf }).gpioPin('12');
    await pin.set(true, { x: 1 });
    expect(await pin.get()).toBe(true);
    await pin.setPwm(0.25);
    expect(await pin.pwm()).toBe(0.5);
    await pin.setPwmFrequency(800.4);
    expect(await pin.pwmFrequency()).toBe(800);
    expect(calls).toEqual([
      ['12 set', true, { x: 1 }],
      ['12 get', undefined],
      ['12 setPwm', 0.25, undefined],
      ['12 pwm', undefined],
      ['12 freq', 800, undefined],
      ['12 freqOf', undefined],
    ]);
  });

  it('fails with what the other side says', async () => {
    const motor = clientOf<Motor>('core:component:motor', {
      stop: () => Promise.reject(new ArmatureError('hardware.failed', 'the brake is stuck')),
    });
    await expect(motor.stop()).rejects.toMatchObject({ code: 'hardware.failed', message: 'the brake is stuck' });
    const servo = clientOf<Servo>('core:component:servo', {});
    await expect(servo.doCommand?.({})).rejects.toMatchObject({ code: 'call.unimplemented' });
    const sensor = clientOf<Sensor>('core:component:sensor', {});
    expect(await sensor.status?.()).toEqual({});
  });

  it('that is answered at once is given up on after 10 s, a motion is not', async () => {
    const never = (): Promise<never> => new Promise(() => undefined);
    const motor = clientOf<Motor>('core:component:motor', { position: never, goFor: never });
    let moved = 'moving';
    void motor.goFor(1, 1).catch(() => (moved = 'failed'));
    const position = motor.position();
    position.catch(() => undefined);
    await settle();
    clock.advance(10_005);
    await expect(position).rejects.toMatchObject({ code: 'call.deadline_exceeded' });
    clock.advance(500_000);
    await settle();
    expect(moved).toBe('moving');
  });

  it('ends at once when its caller leaves, and the other side is told', async () => {
    let far: AbortSignal | undefined;
    const motor = clientOf<Motor>('core:component:motor', {
      goFor: (_rpm: number, _revolutions: number, { signal }: { signal: AbortSignal }) => {
        far = signal;
        return new Promise(() => undefined);
      },
    });
    const leaving = new AbortController();
    const motion = motor.goFor(1, 1, { signal: leaving.signal });
    await settle();
    leaving.abort();
    await expect(motion).rejects.toMatchObject({ code: 'call.cancelled' });
    expect(far?.aborted).toBe(true);
  });
});

describe('interrupts of a board that another process has', () => {
  class Line implements DigitalInterrupt {
    readonly name: string;
    readonly listeners = new Set<(tick: Tick) => void>();
    isHigh = false;
    constructor(name: string) {
      this.name = name;
    }
    value = (): Promise<number> => Promise.resolve(7);
    level = (): Promise<boolean> => Promise.resolve(this.isHigh);
    onTick(listener: (tick: Tick) => void): () => void {
      this.listeners.add(listener);
      return () => void this.listeners.delete(listener);
    }
    edge(timeNs: bigint, isHigh: boolean): void {
      for (const listener of this.listeners) listener({ interrupt: this.name, timeNs, isHigh });
    }
  }
  let lines: Map<string, Line>;
  let farClosed: AbortController;
  let board: Board;

  beforeEach(() => {
    lines = new Map([new Line('a'), new Line('b')].map((line) => [line.name, line]));
    farClosed = new AbortController();
    board = clientOf<Board>('core:component:board', {
      get closed() {
        return farClosed.signal;
      },
      digitalInterrupt: (name: string) => {
        const line = lines.get(name);
        if (line === undefined) throw new ArmatureError('call.not_found', `no interrupt ${name}`);
        return line;
      },
      gpioPin: (pin: string) => {
        if (pin === 'b') throw new ArmatureError('call.not_found', 'b is no pin');
        return { get: () => Promise.resolve(true) };
      },
    });
  });

  it('those listened to in one turn come by one stream, in their order, and end with the last listener', async () => {
    const seen: string[] = [];
    const [a, b] = [board.digitalInterrupt('a'), board.digitalInterrupt('b')];
    const tell = ({ interrupt, timeNs, isHigh }: Tick): void => void seen.push(`${interrupt} ${timeNs} ${isHigh}`);
    const undo = [a.onTick(tell), b.onTick(tell)];
    await settle();
    expect([...lines.values()].map(({ listeners }) => listeners.size)).toEqual([1, 1]);
    lines.get('a')!.edge(1n, true);
    lines.get('b')!.edge(2n, true);
    lines.get('a')!.edge(3n, false);
    await settle();
    expect(seen).toEqual(['a 1 true', 'b 2 true', 'a 3 false']);
    expect(await a.value()).toBe(7);
    undo[0]!();
    lines.get('a')!.edge(4n, true);
    await settle();
    expect(seen).toHaveLength(3);
    undo[1]!();
    await settle();
    expect([...lines.values()].map(({ listeners }) => listeners.size)).toEqual([0, 0]);
  });

  it('have the level of the pin of their name; one that is no pin has that of its last edge', async () => {
    const [a, b] = [board.digitalInterrupt('a'), board.digitalInterrupt('b')];
    expect(await a.level()).toBe(true);
    expect(await b.level()).toBe(false);
    const undo = b.onTick(() => undefined);
    await settle();
    lines.get('b')!.edge(1n, true);
    await settle();
    expect(await b.level()).toBe(true);
    undo();
  });

  it('say why no edge is seen, and are listened to again by themselves', async () => {
    const a = board.digitalInterrupt('a');
    const seen: bigint[] = [];
    a.onTick(({ timeNs }) => seen.push(timeNs));
    await settle();
    expect(a.failure).toBeUndefined();
    farClosed.abort();
    await settle();
    expect(a.failure).toMatchObject({ code: 'resource.not_ready' });
    farClosed = new AbortController();
    clock.advance(2_000);
    await settle();
    expect(a.failure).toBeUndefined();
    lines.get('a')!.edge(5n, true);
    await settle();
    expect(seen).toEqual([5n]);
    closed.abort();
    await settle();
    expect(lines.get('a')!.listeners.size).toBe(0);
    expect(clock.pending).toBe(0);
  });

  it('that the board does not have fail as their reason says', async () => {
    const ghost = board.digitalInterrupt('ghost');
    ghost.onTick(() => undefined);
    await settle();
    expect(ghost.failure).toMatchObject({ code: 'call.not_found', message: 'no interrupt ghost' });
    await expect(ghost.value()).rejects.toMatchObject({ code: 'call.not_found' });
  });
});

describe('an encoder and a servo', () => {
  it("carry what the wire can: whole degrees, the encoder's own kind", async () => {
    const moved: number[] = [];
    const servo = clientOf<Servo>('core:component:servo', { move: async (angle: number) => void moved.push(angle) });
    await servo.move(44.6);
    await servo.move(-3);
    expect(moved).toEqual([45, 0]);
    const encoder = clientOf<Encoder>('core:component:encoder', {
      position: async () => ({ value: 3, type: 'ticks' }),
    });
    expect(await encoder.position('degrees')).toEqual({ value: 3, type: 'ticks' });
  });
});
