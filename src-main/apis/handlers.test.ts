import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { builtinApis, findApi } from './all.ts';
import { TICKS_DROPPED_TRAILER } from './board/board-handlers.ts';
import type { Board, GpioPin, Tick } from './board/types.ts';
import { boardApi } from './board.ts';
import { encoderApi, type Encoder } from './encoder.ts';
import { genericComponentApi, genericServiceApi } from './generic.ts';
import { motorApi, type Motor } from './motor.ts';
import { sensorApi, type Sensor } from './sensor.ts';
import { servoApi, type Servo } from './servo.ts';
import { TickQueue } from './board/tick-queue.ts';
import { ArmatureError } from '../base/errors.ts';
import type { ServerCall } from '../rpc/call.ts';

type Calls = unknown[][];

/** A resource whose every method records its arguments and answers from `answers`. */
function recorder<R>(answers: Readonly<Record<string, unknown>> = {}): { resource: R; calls: Calls } {
  const calls: Calls = [];
  const resource = new Proxy(
    { name: 'left' },
    {
      get: (target, key) => {
        if (key === 'name') return target.name;
        const answer = answers[String(key)];
        if (answer === null) return undefined;
        return (...args: unknown[]) => {
          calls.push([key, ...args]);
          return Promise.resolve(answer);
        };
      },
    },
  );
  return { resource: resource as R, calls };
}

function call(signal: AbortSignal = new AbortController().signal): ServerCall {
  const partial: Pick<ServerCall, 'signal' | 'isCancelled' | 'trailers'> = {
    signal,
    isCancelled: signal.aborted,
    trailers: {},
  };
  return partial as ServerCall;
}

const bad = expect.objectContaining({ code: 'call.bad_argument' }) as Error;
const unimplemented = expect.objectContaining({ code: 'call.unimplemented' }) as Error;

describe('motor', () => {
  const { handlers } = motorApi;

  it('passes arguments, extra and, for GoFor and GoTo, the signal of the call', async () => {
    const { resource: motor, calls } = recorder<Motor>({ poweredState: { isOn: true, power: -0.5 } });
    const one = call();
    const extra = { x: 1 };
    await handlers.setPower?.(motor, { name: 'left', powerPct: -1, extra }, one);
    await handlers.goFor?.(motor, { name: 'left', rpm: 10, revolutions: -2 }, one);
    await handlers.goTo?.(motor, { name: 'left', rpm: 10, positionRevolutions: 3 }, one);
    await handlers.setRPM?.(motor, { name: 'left', rpm: -7 }, one);
    expect(await handlers.isPowered?.(motor, { name: 'left' }, one)).toEqual({ isOn: true, powerPct: -0.5 });
    expect(calls).toEqual([
      ['setPower', -1, { extra }],
      ['goFor', 10, -2, { extra: undefined, signal: one.signal }],
      ['goTo', 10, 3, { extra: undefined, signal: one.signal }],
      ['setRpm', -7, { extra: undefined }],
      ['poweredState', { extra: undefined }],
    ]);
  });

  it('holds power to its range, which clients overshoot', async () => {
    await fc.assert(
      fc.asyncProperty(fc.float({ noNaN: true }), async (powerPct) => {
        const { resource: motor, calls } = recorder<Motor>();
        await handlers.setPower?.(motor, { name: 'left', powerPct }, call());
        expect(calls).toEqual([['setPower', Math.min(1, Math.max(-1, powerPct)), { extra: undefined }]]);
      }),
    );
  });

  it('refuses what is no number, naming motor, value and what is allowed', async () => {
    const { resource: motor, calls } = recorder<Motor>();
    await expect(handlers.setPower?.(motor, { name: 'left', powerPct: Number.NaN }, call())).rejects.toThrow(
      '"left": power_pct is NaN; allowed is -1 to 1.',
    );
    for (const wrong of [Number.NaN, Number.POSITIVE_INFINITY]) {
      await expect(handlers.goFor?.(motor, { name: 'left', rpm: wrong, revolutions: 1 }, call())).rejects.toThrow(bad);
      await expect(
        handlers.goTo?.(motor, { name: 'left', rpm: 1, positionRevolutions: wrong }, call()),
      ).rejects.toThrow(bad);
      await expect(handlers.setRPM?.(motor, { name: 'left', rpm: wrong }, call())).rejects.toThrow(bad);
      await expect(handlers.resetZeroPosition?.(motor, { name: 'left', offset: wrong }, call())).rejects.toThrow(bad);
    }
    expect(calls).toEqual([]);
  });
});

describe('servo', () => {
  it('passes the angle and extra, and answers a position in whole degrees', async () => {
    const { handlers } = servoApi;
    const { resource: servo, calls } = recorder<Servo>({ position: 44.6, isMoving: true });
    const extra = { x: 1 };
    await handlers.move?.(servo, { name: 'pan', angleDeg: 45, extra }, call());
    expect(await handlers.getPosition?.(servo, { name: 'pan' }, call())).toEqual({ positionDeg: 45 });
    expect(await handlers.isMoving?.(servo, { name: 'pan' }, call())).toEqual({ isMoving: true });
    await handlers.stop?.(servo, { name: 'pan', extra }, call());
    expect(calls).toEqual([
      ['move', 45, { extra }],
      ['position', { extra: undefined }],
      ['isMoving', { extra: undefined }],
      ['stop', { extra, isCommanded: true }],
    ]);
  });
});

describe('board', () => {
  const { handlers } = boardApi;
  const pin = recorder<GpioPin>({ get: true, pwm: 0.25, pwmFrequency: 800 });
  const boardWith = (extra: Partial<Board>): Board => ({
    ...({ name: 'bench' } as Board),
    closed: new AbortController().signal,
    gpioPin: () => pin.resource,
    ...extra,
  });

  it('checks pin names, duty, frequency and analog values', async () => {
    const board = boardWith({});
    await expect(handlers.setGPIO?.(board, { name: 'bench', pin: '', high: true }, call())).rejects.toThrow(bad);
    await handlers.setPWM?.(board, { name: 'bench', pin: '1', dutyCyclePct: 1.7 }, call());
    await handlers.setPWM?.(board, { name: 'bench', pin: '1', dutyCyclePct: -1 }, call());
    expect(pin.calls).toEqual([
      ['setPwm', 1, undefined],
      ['setPwm', 0, undefined],
    ]);
    await expect(
      handlers.setPWM?.(board, { name: 'bench', pin: '1', dutyCyclePct: Number.NaN }, call()),
    ).rejects.toThrow(bad);
    await expect(
      handlers.setPWMFrequency?.(board, { name: 'bench', pin: '1', frequencyHz: 2n ** 63n }, call()),
    ).rejects.toThrow(bad);
    expect(await handlers.pWMFrequency?.(board, { name: 'bench', pin: '1' }, call())).toEqual({ frequencyHz: 800n });
    expect(await handlers.pWM?.(board, { name: 'bench', pin: '1' }, call())).toEqual({ dutyCyclePct: 0.25 });
    expect(await handlers.getGPIO?.(board, { name: 'bench', pin: '1' }, call())).toEqual({ high: true });
  });

  it('reads analogs and interrupts by the names of the wire', async () => {
    const board = boardWith({
      readAnalog: () => Promise.resolve({ value: 7, min: 0, max: 1000, step: 1 }),
      digitalInterrupt: () => ({
        name: 'i',
        value: () => Promise.resolve(41),
        level: () => Promise.resolve(true),
        onTick: () => () => undefined,
      }),
    });
    expect(await handlers.readAnalogReader?.(board, { boardName: 'bench', analogReaderName: 'x' }, call())).toEqual({
      value: 7,
      minRange: 0,
      maxRange: 1000,
      stepSize: 1,
    });
    expect(
      await handlers.getDigitalInterruptValue?.(board, { boardName: 'bench', digitalInterruptName: 'i' }, call()),
    ).toEqual({ value: 41n });
  });

  it('a board without power modes answers Unimplemented', async () => {
    await expect(handlers.setPowerMode?.(boardWith({}), { name: 'bench', powerMode: 1 }, call())).rejects.toThrow(
      unimplemented,
    );
  });

  /** A board with any interrupt, whose ticks come from the test. */
  const tickingBoard = (closed: AbortSignal) => {
    const listeners = new Set<(tick: Tick) => void>();
    const board = boardWith({
      closed,
      digitalInterrupt: (name) => ({
        name,
        value: () => Promise.resolve(0),
        level: () => Promise.resolve(false),
        onTick: (listener) => {
          listeners.add(listener);
          return () => void listeners.delete(listener);
        },
      }),
    });
    const tick = (one: Tick): void => listeners.forEach((listener) => listener(one));
    return { board, tick, listeners };
  };

  it('StreamTicks sends an empty response first, then ticks, and lets go when the caller leaves', async () => {
    const { board, tick, listeners } = tickingBoard(new AbortController().signal);
    const caller = new AbortController();
    const one = call(caller.signal);
    const stream = handlers.streamTicks?.(board, { name: 'bench', pinNames: ['i'] }, one)[Symbol.asyncIterator]();
    expect((await stream?.next())?.value).toEqual({ pinName: '', time: 0n, high: false });
    tick({ interrupt: 'i', timeNs: 1_700_000_000_000_000_001n, isHigh: true });
    expect((await stream?.next())?.value).toEqual({ pinName: 'i', time: 1_700_000_000_000_000_001n, high: true });
    expect(one.trailers[TICKS_DROPPED_TRAILER]).toBe('0');
    caller.abort();
    expect((await stream?.next())?.done).toBe(true);
    expect(listeners.size).toBe(0);
  });

  it('StreamTicks ends with an error when its board is closed, after the ticks that came before', async () => {
    const closing = new AbortController();
    const { board, tick, listeners } = tickingBoard(closing.signal);
    const request = { name: 'bench', pinNames: ['i'] };
    const stream = handlers.streamTicks?.(board, request, call())[Symbol.asyncIterator]();
    await stream?.next();
    tick({ interrupt: 'i', timeNs: 1n, isHigh: true });
    closing.abort();
    expect((await stream?.next())?.value).toMatchObject({ pinName: 'i' });
    await expect(stream?.next()).rejects.toMatchObject({
      code: 'resource.not_ready',
      message: expect.stringContaining('"bench" was closed') as string,
    });
    expect(listeners.size).toBe(0);
  });

  it('StreamTicks of an unknown interrupt, or of none, fails before anything is sent', async () => {
    const board = boardWith({
      digitalInterrupt: () => {
        throw new ArmatureError('call.not_found', 'no such interrupt');
      },
    });
    const stream = (pinNames: string[]) =>
      handlers.streamTicks?.(board, { name: 'bench', pinNames }, call())[Symbol.asyncIterator]().next();
    await expect(stream(['x'])).rejects.toMatchObject({ code: 'call.not_found' });
    await expect(stream([])).rejects.toThrow(bad);
  });
});

describe('tick queue', () => {
  it('a slow reader loses the oldest ticks, counted, and nobody waits', async () => {
    const queue = new TickQueue(3);
    for (let index = 1; index <= 5; index++) queue.push({ interrupt: 'i', timeNs: BigInt(index), isHigh: true });
    queue.end();
    const seen: bigint[] = [];
    for await (const tick of queue) seen.push(tick.timeNs);
    expect(seen).toEqual([3n, 4n, 5n]);
    expect(queue.dropped).toBe(2);
  });
});

describe('encoder, sensor, generic', () => {
  it('encoder position types travel both ways', async () => {
    const { resource: encoder, calls } = recorder<Encoder>({ position: { value: 90, type: 'degrees' } });
    for (const positionType of [undefined, 0, 1, 2] as const) {
      expect(await encoderApi.handlers.getPosition?.(encoder, { name: 'e', positionType }, call())).toEqual({
        value: 90,
        positionType: 2,
      });
    }
    expect(calls.map((args) => args[1])).toEqual([undefined, undefined, 'ticks', 'degrees']);
    await expect(
      encoderApi.handlers.getPosition?.(encoder, { name: 'e', positionType: 9 as 2 }, call()),
    ).rejects.toThrow(bad);
  });

  it('a sensor without readings is an error', async () => {
    for (const readings of [undefined, null]) {
      const sensor = { name: 's', readings: () => Promise.resolve(readings), close: () => Promise.resolve() } as Sensor;
      await expect(sensorApi.handlers.getReadings?.(sensor, { name: 's' }, call())).rejects.toThrow(
        '"s" returned no readings',
      );
    }
    const sensor = { name: 's', readings: () => Promise.resolve({}), close: () => Promise.resolve() } as Sensor;
    expect(await sensorApi.handlers.getReadings?.(sensor, { name: 's' }, call())).toEqual({ readings: {} });
  });

  it('DoCommand, GetStatus, GetGeometries: answered, or Unimplemented where a model has them not', async () => {
    const none = { name: 'g', close: () => Promise.resolve() };
    const { handlers } = genericComponentApi;
    await expect(handlers.doCommand?.(none, { name: 'g', command: {} }, call())).rejects.toThrow(unimplemented);
    expect(await handlers.getStatus?.(none, { name: 'g' }, call())).toEqual({ result: {} });
    await expect(handlers.getGeometries?.(none, { name: 'g' }, call())).rejects.toThrow(unimplemented);
    const echo = { ...none, doCommand: (command: object) => Promise.resolve(command as never) };
    expect(await genericServiceApi.handlers.doCommand?.(echo, { name: 'g', command: { a: 1 } }, call())).toEqual({
      result: { a: 1 },
    });
  });

  it('every API is listed once and implements every method of its service', () => {
    expect(builtinApis.length).toBeGreaterThan(6);
    expect(new Set(builtinApis.map(({ api }) => api)).size).toBe(builtinApis.length);
    for (const { service, handlers } of builtinApis) {
      expect(Object.keys(handlers).toSorted()).toEqual(Object.keys(service.methods).toSorted());
    }
    expect(findApi('core:component:motor')).toBe(motorApi);
    expect(findApi('core:component:arm')).toBeUndefined();
  });
});
