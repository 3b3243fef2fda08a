import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { MotorServiceDefinition, SetPowerRequest } from '../../proto/gen/core/component/motor/v1/motor.ts';
import { BoardServiceDefinition, StreamTicksResponse } from '../../proto/gen/core/component/board/v1/board.ts';
import { createClient } from './client.ts';
import type { CallSpec } from './channel.ts';
import { FakeMachine, settled } from './fake-machine.ts';
import { PipeChannel } from './pipe-channel.ts';
import { RpcError } from './rpc-error.ts';
import { StatusCode } from '../../proto/status-code.ts';

let machine: FakeMachine;
let channel: PipeChannel;
const lost: string[] = [];

beforeEach(() => {
  vi.useFakeTimers();
  machine = new FakeMachine();
  lost.length = 0;
  channel = new PipeChannel(machine, (reason) => lost.push(reason));
});
afterEach(() => {
  vi.useRealTimers();
});

const motors = () => createClient(MotorServiceDefinition, channel);
const power = { name: 'left', powerPct: 0.5, extra: undefined };
const bytes = (...values: number[]): Uint8Array => Uint8Array.from(values);

/** Starts a raw call and collects what comes. */
function start(requests: CallSpec['requests'], options: CallSpec['options'] = {}) {
  const received: Uint8Array[] = [];
  const done = (async () => {
    for await (const each of channel.call({ path: '/p.S/M', requests, options })) received.push(each);
  })();
  // Some tests check the failure only later.
  done.catch(() => undefined);
  return { received, done };
}

describe('a typed client', () => {
  it('sends path, metadata, deadline and message of a unary call, but no end, and returns the answer', async () => {
    const answer = motors().setPower(power, { metadata: { 'X-Key': 'v' }, timeoutMs: 1_500 });
    await settled();
    const [call] = machine.calls;
    expect(call?.head).toEqual({
      method: '/core.component.motor.v1.MotorService/SetPower',
      metadata: { md: { 'x-key': { values: ['v'] } } },
      timeout: { seconds: 1n, nanos: 500_000_000 },
    });
    expect(SetPowerRequest.decode(call?.packets[0]?.data ?? bytes())).toMatchObject({ name: 'left', powerPct: 0.5 });
    expect(call?.hasEnded).toBe(false);
    machine.answer(1n, bytes());
    await expect(answer).resolves.toEqual({});
    expect(channel.callsUnderWay).toBe(0);
    expect(call?.wasReset).toBe(false);
  });

  it('gives an RpcError with the code and the trailers', async () => {
    const answer = motors().setPower(power);
    await settled();
    machine.end(1n, 5, 'no motor "left"');
    await expect(answer).rejects.toMatchObject({
      code: StatusCode.NOT_FOUND,
      message: 'no motor "left"',
      trailers: { 'x-reason': ['a'] },
    });
  });

  it('an answer without a message, or with two, is an error', async () => {
    const none = motors().setPower(power);
    const two = motors().setPower(power);
    await settled();
    machine.end(1n);
    machine.message(2n, bytes());
    machine.message(2n, bytes());
    await expect(none).rejects.toMatchObject({ code: StatusCode.INTERNAL });
    await expect(two).rejects.toMatchObject({ code: StatusCode.INTERNAL });
    expect(machine.calls[1]?.wasReset).toBe(true);
  });

  it('a stream is an iterable; leaving it cancels the call', async () => {
    const boards = createClient(BoardServiceDefinition, channel);
    const pins: string[] = [];
    const reading = (async () => {
      for await (const tick of boards.streamTicks({ name: 'b', pinNames: ['1'], extra: undefined })) {
        pins.push(tick.pinName);
        if (pins.length === 2) break;
      }
    })();
    await settled();
    for (const pinName of ['a', 'b', 'c']) {
      machine.message(1n, StreamTicksResponse.encode({ pinName, high: true, time: 1n }).finish());
    }
    await reading;
    expect(pins).toEqual(['a', 'b']);
    expect(machine.calls[0]?.wasReset).toBe(true);
  });
});

describe('calls over a pipe', () => {
  it('a stream of requests is sent in order and ended', async () => {
    const { done } = start(
      (async function* () {
        yield bytes(1);
        yield bytes(2);
      })(),
    );
    await settled();
    expect(machine.calls[0]?.packets.map(({ data }) => [...data])).toEqual([[1], [2]]);
    expect(machine.calls[0]?.hasEnded).toBe(true);
    machine.end(1n);
    await done;
  });

  it('requests that cannot be made cancel the call', async () => {
    const { done } = start(
      (async function* () {
        yield bytes(1);
        throw new Error('the file is gone');
      })(),
    );
    await expect(done).rejects.toThrow('the file is gone');
    expect(machine.calls[0]?.wasReset).toBe(true);
  });

  it('answers are joined from their packets', async () => {
    const { done, received } = start([bytes()]);
    await settled();
    machine.message(1n, bytes(1), false);
    machine.message(1n, bytes(2), true);
    machine.message(1n, bytes(3), true);
    machine.end(1n);
    await done;
    expect(received.map((each) => [...each])).toEqual([[1, 2], [3]]);
  });

  it('an aborted signal cancels, before and during a call', async () => {
    const early = start([bytes()], { signal: AbortSignal.abort() });
    await expect(early.done).rejects.toMatchObject({ code: StatusCode.CANCELLED });
    expect(machine.calls).toHaveLength(0);
    const controller = new AbortController();
    const { done } = start([bytes()], { signal: controller.signal });
    await settled();
    controller.abort();
    await expect(done).rejects.toMatchObject({ code: StatusCode.CANCELLED });
    expect(machine.calls[0]?.wasReset).toBe(true);
  });

  it('a call ends at its deadline even when the machine is silent', async () => {
    const { done } = start([bytes()], { timeoutMs: 200 });
    await vi.advanceTimersByTimeAsync(199);
    expect(channel.callsUnderWay).toBe(1);
    await vi.advanceTimersByTimeAsync(1);
    await expect(done).rejects.toMatchObject({ code: StatusCode.DEADLINE_EXCEEDED });
    expect(machine.calls[0]?.wasReset).toBe(true);
  });

  it('a lost pipe fails all calls with UNAVAILABLE, and later ones too', async () => {
    const first = start([bytes()]);
    await settled();
    machine.close();
    await expect(first.done).rejects.toMatchObject({ code: StatusCode.UNAVAILABLE });
    await expect(start([bytes()]).done).rejects.toBeInstanceOf(RpcError);
    expect(lost).toEqual(['closed']);
  });

  it('a large request takes turns with a small one, at the pace of the pipe', async () => {
    machine.holdsBack = true;
    start([new Uint8Array(5_000_000)]);
    start([bytes(1)]);
    await settled();
    expect(machine.buffered).toBeLessThan(1_200_000);
    expect(machine.calls[0]?.packets.at(-1)?.eom).toBe(false);
    machine.drain();
    expect(machine.calls[1]?.packets).toHaveLength(1);
    expect(machine.calls[0]?.packets.at(-1)?.eom).toBe(false);
    for (let i = 0; i < 5; i++) machine.drain();
    expect(machine.calls[0]?.packets.at(-1)?.eom).toBe(true);
    expect(machine.calls[0]?.packets.reduce((sum, { data }) => sum + data.length, 0)).toBe(5_000_000);
  });

  it('an answer over 32 MiB ends its call alone', async () => {
    const other = start([bytes()]);
    const { done } = start([bytes()]);
    await settled();
    const half = new Uint8Array(16_777_216);
    machine.message(2n, half, false);
    machine.message(2n, half, false);
    machine.message(2n, bytes(1), false);
    await expect(done).rejects.toMatchObject({ code: StatusCode.RESOURCE_EXHAUSTED });
    machine.end(1n);
    await other.done;
  });

  it('bytes that are not a frame close the pipe', async () => {
    const { done } = start([bytes()]);
    await settled();
    machine.onMessage(bytes(0xff, 0xff, 0xff));
    expect(machine.isClosed).toBe(true);
    await expect(done).rejects.toMatchObject({ code: StatusCode.UNAVAILABLE });
  });
});
