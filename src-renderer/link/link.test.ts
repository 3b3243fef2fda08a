import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { FakeMachine, settled } from './fake-machine.ts';
import { Link, type LinkState } from './link.ts';
import { ConnectError, type LinkPipe } from './pipe.ts';
import { StatusCode } from '../../proto/status-code.ts';

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance', 'Date'] });
});
afterEach(() => {
  vi.useRealTimers();
});

/** A connector whose attempts end as the test says. */
function setUp(random = 0) {
  const tries: { resolve: (pipe: LinkPipe) => void; reject: (error: Error) => void; signal: AbortSignal }[] = [];
  const connector = {
    connect: (signal: AbortSignal) =>
      new Promise<LinkPipe>((resolve, reject) => tries.push({ resolve, reject, signal })),
  };
  const link = new Link(connector, () => random);
  const states: LinkState[] = [];
  link.subscribe((state) => states.push(state));
  const kinds = (): string[] => states.map(({ kind }) => kind);
  return { link, tries, states, kinds };
}

const call = (link: Link, options = {}) =>
  link
    .call({ path: '/p.S/M', requests: [new Uint8Array()], options })
    [Symbol.asyncIterator]()
    .next();

describe('Link', () => {
  it('connects at once, and reconnects after its pipe is lost', async () => {
    const { tries, kinds, states } = setUp();
    const machine = new FakeMachine();
    tries[0]?.resolve(machine);
    await settled();
    machine.close();
    expect(kinds()).toEqual(['connecting', 'open', 'lost']);
    expect(states[2]).toEqual({ kind: 'lost', reason: 'closed', nextTryAt: Date.now() + 500 });
    await vi.advanceTimersByTimeAsync(500);
    tries[1]?.resolve(new FakeMachine());
    await settled();
    expect(kinds()).toEqual(['connecting', 'open', 'lost', 'connecting', 'open']);
  });

  it('waits longer after each failure, up to ten seconds, less a random part', async () => {
    const { tries, states } = setUp(0.5);
    const delays: number[] = [];
    for (let i = 0; i < 7; i++) {
      tries[i]?.reject(new ConnectError('nobody there', false));
      await settled();
      const state = states.at(-1);
      const delayMs = state?.kind === 'lost' ? state.nextTryAt - Date.now() : 0;
      delays.push(delayMs);
      await vi.advanceTimersByTimeAsync(delayMs);
    }
    expect(delays).toEqual([425, 850, 1_700, 3_400, 6_800, 8_500, 8_500]);
  });

  it('a connection that lasted resets the delays, a short one does not', async () => {
    const { tries, states } = setUp();
    const drop = async (index: number, heldMs: number): Promise<number> => {
      const machine = new FakeMachine();
      tries[index]?.resolve(machine);
      await settled();
      await vi.advanceTimersByTimeAsync(heldMs);
      machine.close();
      const state = states.at(-1);
      const delayMs = state?.kind === 'lost' ? state.nextTryAt - Date.now() : 0;
      await vi.advanceTimersByTimeAsync(delayMs);
      return delayMs;
    };
    expect([await drop(0, 100), await drop(1, 100), await drop(2, 5_000)]).toEqual([500, 1_000, 500]);
  });

  it('a refusal is final until somebody asks again', async () => {
    const { link, tries, states } = setUp();
    tries[0]?.reject(new ConnectError('no token', true));
    await settled();
    expect(states.at(-1)).toEqual({ kind: 'refused', reason: 'no token' });
    await vi.advanceTimersByTimeAsync(60_000);
    expect(tries).toHaveLength(1);
    link.retryNow();
    expect(tries).toHaveLength(2);
  });

  it('retryNow does not wait for the delay, and does nothing during an attempt', async () => {
    const { link, tries } = setUp();
    tries[0]?.reject(new ConnectError('x', false));
    await settled();
    link.retryNow();
    link.retryNow();
    expect(tries).toHaveLength(2);
    await vi.advanceTimersByTimeAsync(10_000);
    expect(tries).toHaveLength(2);
  });

  it('a call without a connection fails at once: nothing moves later by itself', async () => {
    const { link, tries } = setUp();
    await expect(call(link)).rejects.toMatchObject({ code: StatusCode.UNAVAILABLE });
    const machine = new FakeMachine();
    tries[0]?.resolve(machine);
    await settled();
    expect(machine.calls).toHaveLength(0);
  });

  it('a connection that is presumed lost fails its calls, is closed and replaced', async () => {
    const { link, tries, states } = setUp();
    const machine = new FakeMachine();
    tries[0]?.resolve(machine);
    await settled();
    const waiting = call(link);
    waiting.catch(() => undefined);
    await settled();
    link.presumeLost('silent for 2 s');
    await expect(waiting).rejects.toMatchObject({ code: StatusCode.UNAVAILABLE });
    expect([machine.isClosed, states.at(-1)]).toMatchObject([true, { kind: 'lost', reason: 'silent for 2 s' }]);
    await vi.advanceTimersByTimeAsync(500);
    expect(tries).toHaveLength(2);
  });

  it('close ends it: no further attempt, a late pipe is closed', async () => {
    const { link, tries, kinds } = setUp();
    link.close();
    expect(tries[0]?.signal.aborted).toBe(true);
    const machine = new FakeMachine();
    tries[0]?.resolve(machine);
    await settled();
    expect(machine.isClosed).toBe(true);
    expect(kinds()).toEqual(['connecting', 'closed']);
    await expect(call(link)).rejects.toMatchObject({ code: StatusCode.UNAVAILABLE });
  });
});
