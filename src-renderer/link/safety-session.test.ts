import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { StartSessionRequest, StartSessionResponse } from '../../proto/gen/core/robot/v1/robot.ts';
import { FakeMachine, settled, type FakeCall } from './fake-machine.ts';
import { Link } from './link.ts';
import { StatusCode } from '../../proto/status-code.ts';
import { SafetySession } from './safety-session.ts';

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval', 'performance', 'Date'] });
});
afterEach(() => {
  vi.useRealTimers();
});

const methodOf = (call: FakeCall): string => call.head.method.split('/')[2] ?? '';
const sidOf = (call: FakeCall | undefined): string | undefined => call?.head.metadata?.md['viam-sid']?.values[0];

async function setUp(onStart?: (machine: FakeMachine, call: FakeCall) => void, windowS = 2) {
  const machines: FakeMachine[] = [];
  const resumed: string[] = [];
  /** Ids that the machine no longer knows. */
  const expired = new Set<string>();
  let sessions = 0;
  const connector = {
    connect: () => {
      const machine = new FakeMachine();
      machine.onCall = (call) => {
        const method = methodOf(call);
        if (method === 'StartSession') {
          resumed.push(StartSessionRequest.decode(call.packets[0]?.data ?? new Uint8Array()).resume);
          if (onStart !== undefined) onStart(machine, call);
          else {
            const heartbeatWindow = { seconds: BigInt(windowS), nanos: 0 };
            machine.answer(call.id, StartSessionResponse.encode({ id: `s${++sessions}`, heartbeatWindow }).finish());
          }
        } else if (expired.has(sidOf(call) ?? `s${sessions}`)) {
          machine.end(call.id, StatusCode.INVALID_ARGUMENT, 'SESSION_EXPIRED');
        } else {
          machine.answer(call.id, new Uint8Array());
        }
      };
      machines.push(machine);
      return Promise.resolve(machine);
    },
  };
  const link = new Link(connector, () => 0);
  const onExpired = vi.fn();
  const session = new SafetySession(link, onExpired);
  await settled();
  const call = async (path = '/p.S/M'): Promise<void> => {
    const responses = session.call({ path, requests: [new Uint8Array()], options: {} });
    while ((await responses.next()).done !== true);
  };
  const counted = (method: string): number =>
    machines.flatMap(({ calls }) => calls).filter((each) => methodOf(each) === method).length;
  return { link, session, machines, resumed, expired, onExpired, call, counted };
}

describe('SafetySession', () => {
  it('starts a session when the link opens, and puts every call into it', async () => {
    const { machines, call, resumed } = await setUp();
    await call();
    expect(resumed).toEqual(['']);
    expect(sidOf(machines[0]?.calls.at(-1))).toBe('s1');
  });

  it('sends five heartbeats per window', async () => {
    const { counted } = await setUp();
    await vi.advanceTimersByTimeAsync(2_000);
    expect(counted('SendSessionHeartbeat')).toBe(5);
  });

  it('starts another session on a new connection, so that the machine ends the old one and stops what it moved', async () => {
    const { machines, resumed, counted, call } = await setUp();
    machines[0]?.close();
    await vi.advanceTimersByTimeAsync(500);
    expect(resumed).toEqual(['', '']);
    await call();
    expect(sidOf(machines[1]?.calls.at(-1))).toBe('s2');
    const before = counted('SendSessionHeartbeat');
    await vi.advanceTimersByTimeAsync(400);
    expect(counted('SendSessionHeartbeat')).toBe(before + 1);
  });

  it('closes the connection when a heartbeat is not answered for a window', async () => {
    const { machines } = await setUp();
    const [machine] = machines;
    if (machine !== undefined) machine.onCall = () => undefined;
    await vi.advanceTimersByTimeAsync(400 + 1_999);
    expect(machine?.isClosed).toBe(false);
    await vi.advanceTimersByTimeAsync(1);
    expect(machine?.isClosed).toBe(true);
    await vi.advanceTimersByTimeAsync(500);
    expect(machines).toHaveLength(2);
  });

  it('notices a silent machine within 12 s, however long its window is', async () => {
    const { machines } = await setUp(undefined, 60);
    const [machine] = machines;
    if (machine !== undefined) machine.onCall = () => undefined;
    await vi.advanceTimersByTimeAsync(2_000 + 9_999);
    expect(machine?.isClosed).toBe(false);
    await vi.advanceTimersByTimeAsync(1);
    expect(machine?.isClosed).toBe(true);
  });

  it('closes the connection when no session is started on it', async () => {
    const { machines } = await setUp(() => undefined);
    await vi.advanceTimersByTimeAsync(5_000);
    expect(machines[0]?.isClosed).toBe(true);
  });

  it('reports that the machine ended the session, and starts another', async () => {
    const { expired, onExpired, resumed, call, machines } = await setUp();
    expired.add('s1');
    await vi.advanceTimersByTimeAsync(400);
    expect(onExpired).toHaveBeenCalledOnce();
    expect(resumed).toEqual(['', '']);
    await call();
    expect(sidOf(machines[0]?.calls.at(-1))).toBe('s2');
  });

  it('a call that finds the session expired fails and is not repeated: nothing moves after everything stopped', async () => {
    const { expired, onExpired, call, machines, counted } = await setUp();
    expired.add('s1');
    await expect(call()).rejects.toMatchObject({ code: StatusCode.ABORTED });
    expect(onExpired).toHaveBeenCalledOnce();
    await settled();
    expect(counted('M')).toBe(1);
    await call();
    expect(sidOf(machines[0]?.calls.at(-1))).toBe('s2');
  });

  it('works without a session if the machine has none', async () => {
    const { call, machines, counted } = await setUp((machine, { id }) =>
      machine.end(id, StatusCode.UNIMPLEMENTED, 'no'),
    );
    await call();
    expect(sidOf(machines[0]?.calls.at(-1))).toBeUndefined();
    await vi.advanceTimersByTimeAsync(5_000);
    expect(counted('SendSessionHeartbeat')).toBe(0);
  });

  it('a call never runs outside the session: it fails if none can be started, and the next call tries again', async () => {
    const { call, counted } = await setUp((machine, { id }) => machine.end(id, StatusCode.UNAVAILABLE, 'busy'));
    await expect(call()).rejects.toMatchObject({ message: 'busy' });
    await expect(call()).rejects.toMatchObject({ message: 'busy' });
    expect(counted('StartSession')).toBe(3);
    expect(counted('M')).toBe(0);
  });

  it('sends a heartbeat at once when asked, for a page that was hidden', async () => {
    const { session, counted } = await setUp();
    session.beatNow();
    await settled();
    expect(counted('SendSessionHeartbeat')).toBe(1);
  });

  it('sends no heartbeats after it was closed', async () => {
    const { session, counted } = await setUp();
    session.close();
    await vi.advanceTimersByTimeAsync(5_000);
    expect(counted('SendSessionHeartbeat')).toBe(0);
  });
});
