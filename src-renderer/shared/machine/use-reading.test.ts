import { createApp, effectScope, ref } from 'vue';
import { describe, expect, it } from 'vitest';
import { WatchRequest as WatchRequestMessage, WatchUpdate } from '../../../proto/gen/core/watch/v1/watch.ts';
import { GetPositionResponse, MotorServiceDefinition } from '../../../proto/gen/core/component/motor/v1/motor.ts';
import { FakeMachine, settled, type FakeCall } from '../../link/fake-machine.ts';
import { Link } from '../../link/link.ts';
import { watchReadings } from './calls/watch.ts';
import { machineKey, type Machine } from './machine.ts';
import { poll, valueOf, type WatchRequest } from './poll.ts';
import { useReadings, type LiveReading } from './use-reading.ts';

const { getPosition, isPowered } = MotorServiceDefinition.methods;
const common = { resource: 'core:component:motor/left', request: {} };
const position = (frequencyHz: number): WatchRequest =>
  poll({ ...common, id: 'position', method: getPosition, frequencyHz });
const power = poll({ ...common, id: 'power', method: isPowered, frequencyHz: 20 });

async function bench() {
  const far = new FakeMachine();
  const link = new Link({ connect: async () => far });
  await settled();
  const machine = {
    connection: {
      subscribe: (onChange: (view: unknown) => void) => {
        onChange({ kind: 'connected', reason: '', nextTryAt: 0 });
        return () => undefined;
      },
      retryNow: () => undefined,
    },
    watchReadings: (requests: readonly WatchRequest[], signal: AbortSignal) => watchReadings(link, requests, signal),
  } as unknown as Machine;
  const app = createApp({}).provide(machineKey, machine);
  const open = (): FakeCall[] => far.calls.filter(({ wasReset }) => !wasReset);
  const send = (call: FakeCall | undefined, revolutions: number, time: Date): void => {
    const update = WatchUpdate.fromPartial({
      id: 'position',
      result: { $case: 'response', value: GetPositionResponse.encode({ position: revolutions }).finish() },
      time,
      age: { seconds: 0n, nanos: 5_000_000 },
      skipped: 2,
    });
    far.message(call?.id ?? 0n, WatchUpdate.encode(update).finish());
  };
  return { far, open, send, app };
}

describe('live values', () => {
  it('come over one stream for all requests of a card, with the time of the machine', async () => {
    const { app, open, send } = await bench();
    const got: LiveReading[] = [];
    const scope = effectScope(true);
    app.runWithContext(() =>
      scope.run(() =>
        useReadings(
          () => [position(50), power],
          (each) => got.push(each),
        ),
      ),
    );
    await settled();
    expect(open()).toHaveLength(1);
    const asked = WatchRequestMessage.decode(open()[0]?.packets[0]?.data ?? new Uint8Array());
    expect(asked.items.map(({ id, method, interval }) => [id, method, interval?.nanos])).toEqual([
      ['position', 'GetPosition', 20_000_000],
      ['power', 'IsPowered', 50_000_000],
    ]);
    send(open()[0], 2.5, new Date(1_000));
    await settled();
    expect(got).toMatchObject([{ id: 'position', machineAt: 1_000, skipped: 2, ageMs: 5, value: { position: 2.5 } }]);
    scope.stop();
  });

  it('keep their last value while the frequency changes, and end the previous stream', async () => {
    const { app, open, send } = await bench();
    const hz = ref(50);
    const scope = effectScope(true);
    const readings = app.runWithContext(() => scope.run(() => useReadings(() => [position(hz.value)])));
    await settled();
    send(open()[0], 2.5, new Date(1_000));
    await settled();
    hz.value = 1;
    await settled();
    expect(open()).toHaveLength(1);
    expect(valueOf(readings?.value.get('position'), getPosition)?.position).toBe(2.5);
    scope.stop();
  });

  it('leave no stream open after 100 cards came and went', async () => {
    const { app, far, open } = await bench();
    for (let index = 0; index < 100; index++) {
      const scope = effectScope(true);
      app.runWithContext(() => scope.run(() => useReadings(() => [position(50), power])));
      await settled();
      expect(open()).toHaveLength(1);
      scope.stop();
      await settled();
    }
    expect(far.calls).toHaveLength(100);
    expect(open()).toEqual([]);
  });
});
