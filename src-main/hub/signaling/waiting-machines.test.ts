import { beforeEach, describe, expect, it } from 'vitest';
import type {
  AnswerRequest,
  AnswerResponse,
  CallResponse,
  CallUpdateRequest,
  ICECandidate,
} from '../../../proto/gen/proto/rpc/webrtc/v1/signaling.ts';
import { AsyncQueue } from '../../base/async/async-queue.ts';
import { ManualClock } from '../../base/clock.ts';
import { WaitingMachines } from './waiting-machines.ts';

const PART = 'part-1';
const candidate = (text: string): ICECandidate => ({
  candidate: text,
  sdpMid: '0',
  sdpmLineIndex: undefined,
  usernameFragment: undefined,
});

/** One stream of a machine, with the messages that the hub has sent. */
class Machine {
  readonly says = new AsyncQueue<AnswerResponse>();
  readonly leaving = new AbortController();
  readonly #requests: AsyncGenerator<AnswerRequest>;

  constructor(waiting: WaitingMachines, takesHeartbeats = false) {
    this.#requests = waiting.answer(PART, this.says, { signal: this.leaving.signal, takesHeartbeats });
  }

  /** The next message; undefined when the hub has ended the stream. */
  async next(): Promise<AnswerRequest | undefined> {
    const result = await this.#requests.next();
    return result.done === true ? undefined : result.value;
  }
}

describe('machines that wait for callers', () => {
  let clock: ManualClock;
  let waiting: WaitingMachines;

  beforeEach(() => {
    clock = new ManualClock();
    waiting = new WaitingMachines(clock);
  });

  const call = (caller = 'api-key a', signal = new AbortController().signal): AsyncGenerator<CallResponse> =>
    waiting.call(PART, { sdp: 'offer', disableTrickle: false }, { caller, signal });
  const update = (uuid: string, add: CallUpdateRequest['update'], caller = 'api-key a'): boolean =>
    waiting.update({ uuid, update: add }, caller);
  /** Connects a caller to a waiting machine. */
  async function exchange(): Promise<{
    readonly machine: Machine;
    readonly uuid: string;
    readonly answers: AsyncGenerator<CallResponse>;
    readonly first: Promise<IteratorResult<CallResponse>>;
  }> {
    const machine = new Machine(waiting);
    const init = machine.next();
    const answers = call();
    const first = answers.next();
    const { uuid = '', stage } = (await init) ?? {};
    expect(stage).toMatchObject({ $case: 'init', value: { sdp: 'offer', deadline: new Date(clock.now() + 10_000) } });
    return { machine, uuid, answers, first };
  }

  it('get the offer, and updates of each side reach the other until both are done', async () => {
    const { machine, uuid, answers, first } = await exchange();
    expect(waiting.has(PART)).toBe(false);
    machine.says.push({ uuid, stage: { $case: 'init', value: { sdp: 'answer' } } });
    expect((await first).value).toEqual({ uuid, stage: { $case: 'init', value: { sdp: 'answer' } } });

    machine.says.push({ uuid, stage: { $case: 'update', value: { candidate: candidate('of the machine') } } });
    expect((await answers.next()).value).toMatchObject({
      stage: { value: { candidate: candidate('of the machine') } },
    });
    expect(update(uuid, { $case: 'candidate', value: candidate('of the caller') })).toBe(true);
    expect(await machine.next()).toMatchObject({ uuid, stage: { value: { candidate: candidate('of the caller') } } });

    machine.says.push({ uuid, stage: { $case: 'done', value: {} } });
    expect((await answers.next()).done).toBe(true);
    // The caller may still send updates.
    expect(update(uuid, { $case: 'candidate', value: candidate('a late one') })).toBe(true);
    expect(await machine.next()).toMatchObject({ stage: { value: { candidate: candidate('a late one') } } });
    expect(update(uuid, { $case: 'done', value: true })).toBe(true);
    expect(await machine.next()).toMatchObject({ uuid, stage: { $case: 'done' } });
    expect(await machine.next()).toBeUndefined();
    expect(update(uuid, { $case: 'done', value: true })).toBe(false);
  });

  it('only get updates from the caller of the exchange', async () => {
    const { uuid } = await exchange();
    expect(update(uuid, { $case: 'candidate', value: candidate('a stranger') }, 'api-key b')).toBe(false);
    expect(update('another', { $case: 'done', value: true })).toBe(false);
  });

  it('get an error when the caller gives up or disconnects', async () => {
    const gaveUp = await exchange();
    update(gaveUp.uuid, { $case: 'error', value: { code: 1, message: 'no route', details: [] } });
    expect(await gaveUp.machine.next()).toMatchObject({
      stage: { $case: 'error', value: { status: { message: 'The caller gave up: no route' } } },
    });
    expect(await gaveUp.machine.next()).toBeUndefined();
    await expect(gaveUp.first).rejects.toMatchObject({ code: 'part.unreachable' });

    const machine = new Machine(waiting);
    const init = machine.next();
    const leaving = new AbortController();
    const answers = call('api-key a', leaving.signal).next();
    await init;
    leaving.abort();
    expect(await machine.next()).toMatchObject({ stage: { $case: 'error' } });
    await expect(answers).rejects.toMatchObject({ code: 'part.unreachable' });
  });

  it('that answer with an error, too late, or disconnect make the call fail', async () => {
    const refused = await exchange();
    const status = { code: 2, message: 'no ICE candidate', details: [] };
    refused.machine.says.push({ uuid: refused.uuid, stage: { $case: 'error', value: { status } } });
    await expect(refused.first).rejects.toThrow('no ICE candidate');

    const late = await exchange();
    clock.advance(10_000);
    await expect(late.first).rejects.toThrow('did not answer within 10 s');

    const gone = await exchange();
    const rest = gone.machine.next();
    gone.machine.leaving.abort();
    await rest;
    await expect(gone.first).rejects.toThrow('has disconnected');

    await expect(call().next()).rejects.toMatchObject({ code: 'part.unreachable' });
  });

  it('serve one caller on each of up to eight streams', async () => {
    const machines = Array.from({ length: 8 }, () => new Machine(waiting));
    const inits = machines.map((machine) => machine.next());
    await expect(new Machine(waiting).next()).rejects.toMatchObject({ code: 'call.overloaded' });
    const calls = machines.map(() => call().next());
    const uuids = (await Promise.all(inits)).map((message) => message?.uuid);
    expect(new Set(uuids).size).toBe(8);
    await expect(call().next()).rejects.toMatchObject({ code: 'part.unreachable' });
    const ended = Promise.allSettled(calls);
    waiting.close();
    expect((await ended).map(({ status }) => status)).toEqual(Array<string>(8).fill('rejected'));
  });

  it('get a heartbeat every 15 s while nobody calls, if they asked for it', async () => {
    const machine = new Machine(waiting, true);
    const silent = new Machine(waiting);
    const [first, nothing] = [machine.next(), silent.next()];
    clock.advance(15_000);
    expect(await first).toMatchObject({ stage: { $case: 'heartbeat' } });
    clock.advance(15_000);
    expect(await machine.next()).toMatchObject({ stage: { $case: 'heartbeat' } });
    silent.leaving.abort();
    expect(await nothing).toBeUndefined();
    expect(waiting.has(PART)).toBe(true);
  });

  it('may send 256 candidates, and so may a caller', async () => {
    const { uuid, machine, first } = await exchange();
    for (let count = 0; count < 256; count++) update(uuid, { $case: 'candidate', value: candidate('again') });
    expect(() => update(uuid, { $case: 'candidate', value: candidate('again') })).toThrow(/256/);
    for (let count = 0; count <= 256; count++) machine.says.push({ uuid, stage: undefined });
    await expect(first).rejects.toThrow('more than 256 updates');
  });
});
