import { describe, expect, it } from 'vitest';
import { methodTraits } from '../../../proto/method-traits.ts';
import { ManualClock } from '../../base/clock.ts';
import { silentLogger } from '../../base/logger.ts';
import { StatusCode } from '../../base/status.ts';
import { CallRouter } from '../routing/call-router.ts';
import { echo, echoPath, echoService, encodeEcho } from '../testing/echo-service.ts';
import { callOnce, LocalConnection, startCall, type RecordedCall } from '../testing/local-caller.ts';
import { inFlightLimitInterceptor } from './in-flight-limit.ts';

function busyRouter(limit: number): { readonly router: CallRouter; finish(): void } {
  const router = new CallRouter({ clock: new ManualClock(), logger: silentLogger, maxMessageBytes: 1_000 });
  router.addInterceptor(inFlightLimitInterceptor(limit));
  let finish: () => void = () => undefined;
  const finished = new Promise<void>((resolve) => (finish = resolve));
  router.addResourceService<string, typeof echoService>(
    echoService,
    {
      say: async (_name, request) => {
        await finished;
        return request;
      },
      async *repeat(_name, request) {
        yield request;
        await finished;
      },
    },
    (name) => ({ kind: 'local', resource: name }),
  );
  return { router, finish };
}

const statusOf = (call: RecordedCall): number | undefined => call.status?.code;
const request = (name: string): Uint8Array => encodeEcho(echo(name));

describe('the in-flight limit', () => {
  it('counts unary calls and streams of one resource together', () => {
    const { router } = busyRouter(5);
    const say = (id: string): RecordedCall =>
      callOnce(router, echoPath('Say'), request('left'), { connection: new LocalConnection(id) });
    for (const id of ['a', 'b', 'c']) expect(statusOf(say(id))).toBeUndefined();
    for (const id of ['d', 'e']) {
      const stream = callOnce(router, echoPath('Repeat'), request('left'), { connection: new LocalConnection(id) });
      expect(statusOf(stream)).toBeUndefined();
    }
    expect(say('f').status).toMatchObject({
      code: StatusCode.RESOURCE_EXHAUSTED,
      message: expect.stringMatching(/^5 calls to resource "left" .* retry after 100 ms/) as string,
    });
    expect(statusOf(callOnce(router, echoPath('Say'), request('right')))).toBeUndefined();
  });

  it('leaves one fifth of a resource to other connections', () => {
    const { router } = busyRouter(10);
    const [greedy, modest] = [new LocalConnection('greedy'), new LocalConnection('modest')];
    const statuses = Array.from({ length: 9 }, () =>
      statusOf(callOnce(router, echoPath('Say'), request('left'), { connection: greedy })),
    );
    expect(statuses).toEqual([...Array<undefined>(8), StatusCode.RESOURCE_EXHAUSTED]);
    const others = Array.from({ length: 3 }, () =>
      statusOf(callOnce(router, echoPath('Say'), request('left'), { connection: modest })),
    );
    expect(others).toEqual([undefined, undefined, StatusCode.RESOURCE_EXHAUSTED]);
  });

  it('tells a refused caller when to come again', () => {
    const { router } = busyRouter(1);
    callOnce(router, echoPath('Say'), request('left'));
    const refused = callOnce(router, echoPath('Say'), request('left'));
    expect(refused.trailers['grpc-retry-pushback-ms']).toBe('100');
    const details = Buffer.from(refused.trailers['grpc-status-details-bin'] as string, 'base64').toString('latin1');
    expect(details).toContain('google.rpc.RetryInfo');
  });

  it('frees a place when the handler has returned, not when its caller left', async () => {
    const { router, finish } = busyRouter(1);
    const first = callOnce(router, echoPath('Say'), request('left'));
    first.sink.cancel('gone');
    expect(statusOf(first)).toBe(StatusCode.CANCELLED);
    expect(statusOf(callOnce(router, echoPath('Say'), request('left')))).toBe(StatusCode.RESOURCE_EXHAUSTED);
    finish();
    await expect.poll(() => router.inFlight).toBe(0);
    expect((await callOnce(router, echoPath('Say'), request('left')).ended).code).toBe(StatusCode.OK);
  });

  it('never refuses what stops a machine, what keeps its session, and what clients poll to know that it lives', () => {
    const interceptor = inFlightLimitInterceptor(1);
    const { router } = busyRouter(1);
    const seen: string[] = [];
    router.addInterceptor({
      name: 'probe',
      start(call) {
        for (const path of [
          ...['Log', 'SendTraces', 'StopAll', 'SendSessionHeartbeat', 'GetOperations', 'ResourceNames'].map(
            (name) => `robot.v1.RobotService/${name}`,
          ),
          'component.motor.v1.MotorService/Stop',
          'robot.v1.RobotService/GetStatus',
          'component.motor.v1.MotorService/SetPower',
        ]) {
          const [service = '', name = ''] = path.split('/');
          const traits = methodTraits(`core.${service}`, name);
          const method = { ...call.method, path: `/core.${path}`, service: `core.${service}`, name, traits };
          const robotCall = (): void =>
            interceptor.request?.(
              Object.create(call, {
                method: { value: method },
                resourceName: { value: '' },
                trailers: { value: {} },
              }) as typeof call,
            );
          robotCall();
          try {
            robotCall();
            seen.push(`${name} passed`);
          } catch {
            seen.push(`${name} refused`);
          }
        }
      },
    });
    startCall(router, echoPath('Say'));
    expect(seen).toEqual([
      'Log passed',
      'SendTraces passed',
      'StopAll passed',
      'SendSessionHeartbeat passed',
      'GetOperations passed',
      'ResourceNames passed',
      'Stop passed',
      'GetStatus refused',
      'SetPower refused',
    ]);
  });
});
