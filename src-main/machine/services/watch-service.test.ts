import { describe, expect, it } from 'vitest';
import { motorApi } from '../../apis/motor.ts';
import { boardApi } from '../../apis/board.ts';
import { ManualClock } from '../../base/clock.ts';
import { silentLogger } from '../../base/logger.ts';
import { CallRouter, MAX_MESSAGE_BYTES } from '../../rpc/routing/call-router.ts';
import { GetPositionResponse, MotorServiceDefinition } from '../../../proto/gen/core/component/motor/v1/motor.ts';
import { methodTraits } from '../../../proto/method-traits.ts';
import type { WatchItem, WatchUpdate } from '../../../proto/gen/core/watch/v1/watch.ts';
import { StatusCode } from '../../base/status.ts';
import { ArmatureError } from '../../base/errors.ts';
import { SharedPollers } from '../watch/shared-pollers.ts';
import { cancellableCall, next } from './streaming-call.fixture.ts';
import { builtinApis } from '../../apis/all.ts';
import { LONGEST_INTERVAL_MS, watchService } from './watch-service.ts';

const settle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

function bench() {
  const clock = new ManualClock(0);
  const router = new CallRouter({ clock, logger: silentLogger, maxMessageBytes: MAX_MESSAGE_BYTES });
  const asked: string[] = [];
  router.addService(MotorServiceDefinition, {
    getPosition: ({ name }) => {
      asked.push(name);
      if (name === 'broken') throw new ArmatureError('hardware.failed', 'cable out');
      return { position: asked.length };
    },
  });
  const pollers = new SharedPollers(clock);
  const service = watchService(router, pollers, [motorApi, boardApi], clock);
  const open = (items: readonly WatchItem[]) => {
    const { call, cancel } = cancellableCall();
    const stream = service.watch?.({ items: [...items] }, call)[Symbol.asyncIterator]() as AsyncIterator<WatchUpdate>;
    return { stream, cancel };
  };
  return { clock, asked, pollers, open };
}

const item = (changed: Partial<WatchItem>): WatchItem => ({
  id: 'p',
  resource: 'core:component:motor/left',
  method: 'GetPosition',
  request: new Uint8Array(),
  interval: { seconds: 0n, nanos: 100_000_000 },
  ...changed,
});

async function first(stream: AsyncIterator<WatchUpdate>, clock: ManualClock): Promise<WatchUpdate> {
  const update = next(stream);
  await settle();
  clock.advance(0);
  return update;
}

describe('core.watch.v1.WatchService', () => {
  it('fills in the name, sends the encoded answer, and asks once for two viewers', async () => {
    const { clock, asked, pollers, open } = bench();
    const one = open([item({})]);
    const update = await first(one.stream, clock);
    expect(update.result?.$case === 'response' && GetPositionResponse.decode(update.result.value).position).toBe(1);
    const two = open([item({ method: '/viam.component.motor.v1.MotorService/GetPosition' })]);
    expect(await next(two.stream)).toMatchObject({ id: 'p', viewers: 2 });
    expect([asked, pollers.size]).toEqual([['left'], 1]);
    one.cancel();
    two.cancel();
    await Promise.all([one.stream.next(), two.stream.next()]);
    expect(pollers.size).toBe(0);
  });

  it('refuses two items with one id, which could not be told apart', async () => {
    const { open, pollers } = bench();
    const items = [item({}), item({ resource: 'core:component:motor/right' })];
    await expect(open(items).stream.next()).rejects.toMatchObject({
      code: 'call.bad_argument',
      message: expect.stringContaining('"p"') as string,
    });
    expect(pollers.size).toBe(0);
  });

  it('refuses a request that is none of the method, and names the item', async () => {
    const { open } = bench();
    const stream = open([item({ request: Uint8Array.of(0x0a, 0xff) })]).stream;
    await expect(stream.next()).rejects.toMatchObject({
      code: 'call.bad_argument',
      message: expect.stringContaining('Watch item "p"') as string,
    });
  });

  it('asks at its own limits however short or long the interval that is wanted', async () => {
    const { clock, asked, open } = bench();
    const { stream, cancel } = open([item({ interval: { seconds: 10_000_000_000n, nanos: 0 } })]);
    await first(stream, clock);
    clock.advance(LONGEST_INTERVAL_MS);
    await settle();
    expect(asked).toHaveLength(2);
    cancel();
    await stream.next();
  });

  it('leaves answers out for a slow reader, sends the latest, and says how many it left out', async () => {
    const { clock, open } = bench();
    const { stream, cancel } = open([item({})]);
    expect((await first(stream, clock)).skipped).toBe(0);
    for (let poll = 0; poll < 4; poll++) {
      clock.advance(100);
      await settle();
    }
    const late = await next(stream);
    expect(late.result?.$case === 'response' && GetPositionResponse.decode(late.result.value).position).toBe(5);
    expect(late.skipped).toBe(3);
    clock.advance(100);
    await settle();
    expect((await next(stream)).skipped).toBe(0);
    cancel();
    await stream.next();
  });

  it('takes only methods that read, whatever the API calls the others', () => {
    const reading = builtinApis.flatMap(({ service, readings }) =>
      [...readings].map((key) => ({ service: service.fullName, name: service.methods[key]?.name ?? '' })),
    );
    for (const name of ['GetPosition', 'GetReadings', 'GetGPIO', 'PWM', 'GetDigitalInterruptValue', 'GetStatus']) {
      expect(reading.map((one) => one.name)).toContain(name);
    }
    for (const { service, name } of reading) {
      // A model that is run, and a picture that is looked at, change nothing either.
      expect(name).toMatch(/^(Get|Is|Read|PWM|Infer|Metadata|CaptureAll)/);
      expect(methodTraits(service, name)).not.toHaveProperty('moves');
    }
  });

  it('tells the status of a call that fails, and goes on', async () => {
    const { clock, open } = bench();
    const { stream, cancel } = open([item({ resource: 'rdk:component:motor/broken' })]);
    const update = await first(stream, clock);
    expect(update.result).toMatchObject({
      $case: 'error',
      value: { code: StatusCode.INTERNAL, message: 'cable out' },
    });
    cancel();
    await stream.next();
  });

  it.each([
    ['starts motion', item({ method: 'SetPower' }), 'changes something'],
    ['stops', item({ method: 'Stop' }), 'changes something'],
    ['streams', item({ resource: 'core:component:board/b', method: 'StreamTicks' }), 'streams'],
    ['drives a pin', item({ resource: 'core:component:board/b', method: 'SetGPIO' }), 'changes something'],
    ['does not exist', item({ method: 'Fly' }), 'no such method'],
    ['belongs to another API', item({ method: '/core.component.board.v1.BoardService/PWM' }), 'no such method'],
    ['is for a short name', item({ resource: 'left' }), 'full resource name'],
    ['is for an API nobody serves', item({ resource: 'core:component:arm/a' }), 'cannot be watched'],
  ])('refuses a method that %s', async (_what, wanted, reason) => {
    const { open, pollers } = bench();
    await expect(open([wanted]).stream.next()).rejects.toThrow(reason);
    expect(pollers.size).toBe(0);
  });
});
