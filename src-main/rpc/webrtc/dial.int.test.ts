import * as library from 'node-datachannel';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  SignalingServiceDefinition,
  type CallResponse,
  type WebRTCConfig,
} from '../../../proto/gen/proto/rpc/webrtc/v1/signaling.ts';
import { ManualClock } from '../../base/clock.ts';
import { silentLogger } from '../../base/logger.ts';
import { StatusCode } from '../../base/status.ts';
import type { StartCall } from '../peer/outbound-call.ts';
import { localConnection } from '../routing/local-call.ts';
import type { ServiceHandlers } from '../service.ts';
import { echo, echoPath, echoType, encodeEcho, type Echo } from '../testing/echo-service.ts';
import { startTestMachine, WAIT, type TestMachine } from '../testing/test-machine.ts';
import { dial, type DialledMachine } from './dial.ts';
import { Signaling } from './signaling-calls.ts';

const HOST = 'bench.local:8080';
const codes = { unreachable: 'remote.unreachable', refused: 'remote.unreachable' } as const;

/** What a call came to. */
interface Outcome {
  readonly code: StatusCode;
  readonly message: string;
  readonly answers: readonly Echo[];
}

/** This program as the one that dials, and a machine in this process, with a real library on both sides. */
describe('a machine that is dialled over WebRTC', () => {
  let machine: TestMachine;
  let signaling: Signaling;
  let clock: ManualClock;
  let config: WebRTCConfig;
  /** Instead of the machine's own answers. */
  let answers: (() => AsyncIterable<CallResponse>) | undefined;
  let updates: (string | undefined)[];
  let candidates: string[];
  let ending: AbortController;

  beforeEach(async () => {
    clock = new ManualClock();
    config = { additionalIceServers: [], disableTrickle: false };
    answers = undefined;
    updates = [];
    candidates = [];
    ending = new AbortController();
    machine = await startTestMachine();
    signaling = new Signaling({
      router: machine.router,
      isOwnName: (name) => name === HOST,
      admit: () => Promise.resolve(),
      library: () => Promise.resolve(library),
      clock,
      logger: silentLogger,
    });
    const own = signaling.service();
    const service: ServiceHandlers<typeof SignalingServiceDefinition> = {
      ...own,
      call: (request, call) => answers?.() ?? own.call!(request, call),
      callUpdate: (request, call) => {
        updates.push(request.update?.$case);
        if (request.update?.$case === 'candidate') candidates.push(request.update.value.candidate);
        return own.callUpdate!(request, call);
      },
      optionalWebRTCConfig: () => ({ config }),
    };
    machine.router.addService(SignalingServiceDefinition, service);
  });

  afterEach(async () => {
    ending.abort();
    signaling.close('the test is over');
    await machine.listener.close(0);
  });

  const direct: StartCall = (path, metadata, timeoutMs, responder) =>
    machine.router.start({ path, metadata, timeoutMs, connection: localConnection('caller') }, responder);
  const dialled = (host = HOST): Promise<DialledMachine> =>
    dial({ signaling: direct, host, library, clock, codes, signal: ending.signal });
  const ask = ({ start }: DialledMachine, method: string, request: Echo): Promise<Outcome> =>
    new Promise((resolve) => {
      const found: Echo[] = [];
      const sink = start(echoPath(method), {}, undefined, {
        headers: () => undefined,
        message: (bytes) => {
          found.push(echoType.decode(bytes));
          return undefined;
        },
        end: ({ code, message }) => resolve({ code, message, answers: found }),
      });
      void sink.message(encodeEcho(request));
      sink.halfClose();
    });

  it('answers calls and streams, large ones too, until it is not wanted any more', async () => {
    const there = await dialled();
    expect(await ask(there, 'Say', echo('left', 7))).toMatchObject({ answers: [{ name: 'left', count: 7 }] });
    const payload = Buffer.alloc(3_000_000, 7);
    const { answers: large } = await ask(there, 'Say', echo('left', 1, payload));
    expect(Buffer.compare(large[0]?.payload ?? Buffer.alloc(0), payload)).toBe(0);
    const { answers: stream } = await ask(there, 'Repeat', echo('left', 5));
    expect(stream.map(({ count }) => count)).toEqual([0, 1, 2, 3, 4]);
    await there.signaled;
    expect(updates.at(-1)).toBe('done');
    // Peers in Go take nothing else.
    expect(candidates.filter((one) => one.startsWith('candidate:'))).toHaveLength(updates.length - 1);
    const waiting = ask(there, 'Say', echo('left', WAIT));
    await machine.resource.nextCall();
    there.close();
    expect((await waiting).code).toBe(StatusCode.UNAVAILABLE);
    expect((await ask(there, 'Say', echo('left', 7))).code).toBe(StatusCode.UNAVAILABLE);
  });

  it('that ends, ends the calls', async () => {
    const there = await dialled();
    const waiting = ask(there, 'Say', echo('left', WAIT));
    await machine.resource.nextCall();
    signaling.close('the server is stopping');
    expect(await waiting).toMatchObject({
      code: StatusCode.UNAVAILABLE,
      message: expect.stringContaining('the connection was lost') as string,
    });
  });

  it('is reached by a description with all addresses, where signaling takes no later ones', async () => {
    config = { additionalIceServers: [], disableTrickle: true };
    const there = await dialled();
    expect(await ask(there, 'Say', echo('left', 7))).toMatchObject({ answers: [{ count: 7 }] });
    await there.signaled;
    expect(updates).toEqual(['done']);
  });

  it('that does not have that name says so, and where there is no signaling that is told', async () => {
    await expect(dialled('other.local')).rejects.toMatchObject({
      code: 'call.bad_argument',
      message: expect.stringContaining('host not preconfigured') as string,
    });
    const nobody: StartCall = (_path, _metadata, _timeoutMs, responder) => {
      queueMicrotask(() => responder.end({ code: StatusCode.UNIMPLEMENTED, message: 'no such service' }, {}));
      return { message: () => undefined, halfClose: () => undefined, cancel: () => undefined };
    };
    const options = { signaling: nobody, host: HOST, library, clock, codes, signal: ending.signal };
    await expect(dial(options)).rejects.toMatchObject({ code: 'call.unimplemented' });
    expect(signaling.count).toBe(0);
  });

  it('is waited for ten seconds, and no longer than it is wanted', async () => {
    const silent = Promise.withResolvers<void>();
    const asked = Promise.withResolvers<void>();
    answers = async function* () {
      asked.resolve();
      await silent.promise;
    };
    const late = dialled();
    await asked.promise;
    clock.advance(10_000);
    await expect(late).rejects.toMatchObject({
      code: 'remote.unreachable',
      message: `No WebRTC connection to ${HOST}: it did not come about within 10 s.`,
    });
    const given = dialled();
    ending.abort();
    await expect(given).rejects.toThrow();
    silent.resolve();
  });

  it.each<[why: string, stages: readonly CallResponse[]]>([
    ['gave no answer', []],
    ['is no answer', [{ uuid: 'x', stage: { $case: 'init', value: { sdp: '?' } } }]],
    ['did not keep to the protocol', [{ uuid: 'x', stage: { $case: 'update', value: { candidate: undefined } } }]],
  ])('whose signaling talks nonsense (it %s) is not reached', async (why, stages) => {
    answers = async function* () {
      yield* stages;
    };
    await expect(dialled()).rejects.toThrow(why);
  });

  it('whose signaling names a server that is none is not reached, and says so', async () => {
    config = {
      additionalIceServers: [{ urls: ['nonsense'], username: '', credential: '' }],
      disableTrickle: false,
    };
    await expect(dialled()).rejects.toMatchObject({
      code: 'remote.unreachable',
      message: expect.stringContaining('names servers that cannot be used') as string,
    });
  });
});
