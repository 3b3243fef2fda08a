import { afterEach, describe, expect, it, vi } from 'vitest';
import { ManualClock } from '../../base/clock.ts';
import { ArmatureError } from '../../base/errors.ts';
import { silentLogger, type LogFields } from '../../base/logger.ts';
import { StatusCode, type Status } from '../../base/status.ts';
import { CallRouter } from './call-router.ts';
import type { Interceptor, ServerCall } from '../call.ts';
import { accessLogInterceptor } from '../interceptors/access-log.ts';
import { deadlineInterceptor } from '../interceptors/deadline.ts';
import { inFlightLimitInterceptor } from '../interceptors/in-flight-limit.ts';
import type { Forwarder, RequestSink, Responder, ResourceTarget } from '../router.ts';
import type { ServiceHandlers } from '../service.ts';
import { echo, echoPath, echoService, echoType, encodeEcho, type Echo } from '../testing/echo-service.ts';
import { callOnce, startCall, type RecordedCall } from '../testing/local-caller.ts';

const clock = new ManualClock();
const MAX_BYTES = 10_000;

interface Logged {
  readonly message: string;
  readonly fields: LogFields | undefined;
}

function newRouter(handlers: ServiceHandlers<typeof echoService>, interceptors: readonly Interceptor[] = []) {
  const errors: Logged[] = [];
  const router = new CallRouter({
    clock,
    logger: { ...silentLogger, error: (message, fields) => errors.push({ message, fields }) },
    maxMessageBytes: MAX_BYTES,
  });
  for (const interceptor of interceptors) router.addInterceptor(interceptor);
  router.addService(echoService, handlers);
  return { router, errors };
}

const request = encodeEcho(echo('left', 3));
const answers = (call: RecordedCall): Echo[] => call.messages.map((bytes) => echoType.decode(bytes));

afterEach(() => {
  vi.restoreAllMocks();
  vi.unstubAllGlobals();
});

describe('a call', () => {
  it('that is answered at once makes no AbortController and no timer of its own', () => {
    const { router } = newRouter({ say: (message) => message }, [
      accessLogInterceptor(silentLogger, clock, () => false),
      deadlineInterceptor(600_000),
      inFlightLimitInterceptor(100),
    ]);
    const controllers = vi.fn();
    vi.stubGlobal('AbortController', controllers);
    const before = clock.pending;
    for (let index = 0; index < 100; index++) expect(callOnce(router, echoPath('Say'), request).status?.code).toBe(0);
    expect(controllers).not.toHaveBeenCalled();
    // One timer is shared by the deadlines of all calls.
    expect(clock.pending - before).toBeLessThanOrEqual(1);
    expect(router.inFlight).toBe(0);
  });

  it('knows its dialect and its method', async () => {
    const seen: unknown[] = [];
    const handler = (message: Echo, call: ServerCall): Echo => {
      seen.push([call.dialect, call.method.path, call.requestAsJson()]);
      return message;
    };
    const { router } = newRouter({ say: handler });
    callOnce(router, '/viam.test.v1.EchoService/Say', request);
    callOnce(router, echoPath('Say'), request);
    expect(seen).toEqual([
      ['viam', echoPath('Say'), { name: 'left', count: 3 }],
      ['core', echoPath('Say'), { name: 'left', count: 3 }],
    ]);
  });

  it('sends headers and trailers of the handler', async () => {
    const { router } = newRouter({
      async say(message, call) {
        call.setHeader('OpId', '7');
        call.trailers['x-end'] = 'yes';
        return message;
      },
    });
    const call = callOnce(router, echoPath('Say'), request);
    await call.ended;
    expect([call.headerRecord, call.trailers, answers(call)]).toEqual([
      { opid: '7' },
      { 'x-end': 'yes' },
      [echo('left', 3)],
    ]);
  });

  it('that fails by a mistake is logged with its stack and answered without it', async () => {
    const { router, errors } = newRouter({
      say: () => {
        throw new TypeError('x is not a function');
      },
    });
    const call = callOnce(router, echoPath('Say'), request);
    expect(call.status).toEqual({ code: StatusCode.INTERNAL, message: 'x is not a function' });
    expect(errors[0]?.message).toContain(echoPath('Say'));
    expect(errors[0]?.fields?.['stack']).toContain('call-router.test.ts');
  });

  it('that fails as foreseen is not logged as a mistake', async () => {
    const { router, errors } = newRouter({
      say: () => Promise.reject(new ArmatureError('call.not_found', 'No such thing.')),
    });
    const call = callOnce(router, echoPath('Say'), request);
    expect(await call.ended).toEqual({ code: StatusCode.NOT_FOUND, message: 'No such thing.' });
    expect(errors).toEqual([]);
  });

  it('that fails says names in the spelling of its caller', async () => {
    const { router } = newRouter({
      say: () => {
        throw new ArmatureError('resource.not_found', 'no node found with api core:component:motor');
      },
    });
    const message = async (path: string) => (await callOnce(router, path, request).ended).message;
    expect(await message('/viam.test.v1.EchoService/Say')).toBe('no node found with api rdk:component:motor');
    expect(await message(echoPath('Say'))).toBe('no node found with api core:component:motor');
  });

  it('is refused an answer that is too large', () => {
    const { router } = newRouter({ say: () => echo('left', 1, new Uint8Array(MAX_BYTES)) });
    expect(callOnce(router, echoPath('Say'), request).status?.code).toBe(StatusCode.RESOURCE_EXHAUSTED);
  });

  it('of a method without a handler, or unknown, is told so by name', () => {
    const { router } = newRouter({});
    expect(callOnce(router, echoPath('Say'), request).status).toMatchObject({
      code: StatusCode.UNIMPLEMENTED,
      message: `${echoPath('Say')} is known but not implemented here.`,
    });
    expect(callOnce(router, '/viam.test.v1.EchoService/Sing', request).status?.message).toBe(
      'Unknown method /viam.test.v1.EchoService/Sing: the service is known and has Say, Repeat, Collect, Chat.',
    );
    expect(callOnce(router, '/a.b.C/D', request).status?.message).toBe(
      'Unknown method /a.b.C/D: no service a.b.C is served here.',
    );
    expect(callOnce(router, 'nonsense', request).status?.code).toBe(StatusCode.UNIMPLEMENTED);
  });
});

describe('deadlines', () => {
  const waiting: ServiceHandlers<typeof echoService> = {
    say: (_message, call) =>
      new Promise((_resolve, reject) =>
        call.signal.addEventListener('abort', () => reject(call.signal.reason as Error)),
      ),
  };

  it('end the call and abort its signal', async () => {
    const { router } = newRouter(waiting);
    const call = callOnce(router, echoPath('Say'), request, { timeoutMs: 100 });
    clock.advance(99);
    expect(call.status).toBeUndefined();
    clock.advance(6);
    expect(call.status).toMatchObject({
      code: StatusCode.DEADLINE_EXCEEDED,
      message: `${echoPath('Say')} did not end within its 100 ms.`,
    });
    await expect.poll(() => router.inFlight).toBe(0);
  });

  it("are ten minutes where the caller names none, and the caller's own where it does", () => {
    const seen: number[] = [];
    const { router } = newRouter(
      {
        say: (message, call) => {
          seen.push((call.deadline ?? 0) - call.startedAt);
          call.limitDeadline(call.startedAt + 50);
          call.limitDeadline(call.startedAt + 5_000);
          seen.push((call.deadline ?? 0) - call.startedAt);
          return message;
        },
      },
      [deadlineInterceptor(600_000)],
    );
    callOnce(router, echoPath('Say'), request);
    callOnce(router, echoPath('Say'), request, { timeoutMs: 3_600_000 });
    expect(seen).toEqual([600_000, 50, 3_600_000, 50]);
  });

  it('hold for a caller that never sends its request', () => {
    const { router } = newRouter(waiting);
    const call = startCall(router, echoPath('Say'), { timeoutMs: 100 });
    clock.advance(106);
    expect([call.status?.code, router.inFlight]).toEqual([StatusCode.DEADLINE_EXCEEDED, 0]);
  });
});

describe('interceptors', () => {
  function recorder(name: string, log: string[], refuses?: 'start' | 'request'): Interceptor {
    const step = (hook: 'start' | 'request'): void => {
      log.push(`${name} ${hook}`);
      if (refuses === hook) throw new ArmatureError('access.denied', 'No.');
    };
    return {
      name,
      start: () => step('start'),
      request: () => step('request'),
      end: (_call, status: Status) => log.push(`${name} end ${status.code}`),
    };
  }

  it('run in order, and end in reverse', () => {
    const log: string[] = [];
    const { router } = newRouter({ say: (message) => message }, [recorder('a', log), recorder('b', log)]);
    callOnce(router, echoPath('Say'), request);
    expect(log).toEqual(['a start', 'b start', 'a request', 'b request', 'b end 0', 'a end 0']);
  });

  it('refuse a call at its head: those not reached do not see it end', () => {
    const log: string[] = [];
    const { router } = newRouter({ say: (message) => message }, [
      recorder('a', log),
      recorder('b', log, 'start'),
      recorder('c', log),
    ]);
    expect(callOnce(router, echoPath('Say'), request).status?.code).toBe(StatusCode.PERMISSION_DENIED);
    expect(log).toEqual(['a start', 'b start', 'a end 7']);
  });

  it('refuse a call at its first request: the handler is not reached', () => {
    const log: string[] = [];
    const say = vi.fn((message: Echo) => message);
    const { router } = newRouter({ say }, [recorder('a', log, 'request'), recorder('b', log)]);
    expect(callOnce(router, echoPath('Say'), request).status?.code).toBe(StatusCode.PERMISSION_DENIED);
    expect(log).toEqual(['a start', 'b start', 'a request', 'b end 7', 'a end 7']);
    expect(say).not.toHaveBeenCalled();
  });

  it('come before the answer to an unknown method, so that access is asked first', () => {
    const { router } = newRouter({}, [recorder('access', [], 'start')]);
    expect(callOnce(router, '/a.b.C/D', request).status?.code).toBe(StatusCode.PERMISSION_DENIED);
  });

  it('that fail at the end are logged, and the others still run', () => {
    const log: string[] = [];
    const broken: Interceptor = {
      name: 'broken',
      end: () => {
        throw new Error('oops');
      },
    };
    const { router, errors } = newRouter({ say: (message) => message }, [recorder('a', log), broken]);
    callOnce(router, echoPath('Say'), request);
    expect(log.at(-1)).toBe('a end 0');
    expect(errors[0]?.message).toContain('broken');
  });

  it('the access log writes what happened, and only while somebody reads', () => {
    const lines: string[] = [];
    let isDebugOn = false;
    const logger = { ...silentLogger, debug: (message: string) => lines.push(message) };
    const { router } = newRouter({ say: (message) => message }, [accessLogInterceptor(logger, clock, () => isDebugOn)]);
    callOnce(router, echoPath('Say'), request);
    isDebugOn = true;
    callOnce(router, echoPath('Say'), request);
    callOnce(router, echoPath('Sing'), request);
    expect(lines).toEqual([`${echoPath('Say')} OK`, `${echoPath('Sing')} UNIMPLEMENTED`]);
  });
});

describe('an interceptor that waits', () => {
  /** Its `start` settles when it is told to. */
  function waiter(log: string[]): { interceptor: Interceptor; pass(): void; refuse(): void } {
    let pass = (): void => undefined;
    let refuse = (): void => undefined;
    const decided = new Promise<void>((resolve, reject) => {
      pass = resolve;
      refuse = () => reject(new ArmatureError('access.unauthenticated', 'No.'));
    });
    const interceptor: Interceptor = {
      name: 'waiter',
      start: () => decided,
      end: (_call, status) => log.push(`waiter end ${status.code}`),
    };
    return { interceptor, pass: () => pass(), refuse: () => refuse() };
  }
  const after = (log: string[]): Interceptor => ({
    name: 'after',
    start: () => void log.push('after start'),
    end: (_call, status) => log.push(`after end ${status.code}`),
  });
  const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

  it('holds what the caller sends, and lets it in whole and in order', async () => {
    const log: string[] = [];
    const { interceptor, pass } = waiter(log);
    const seen: number[] = [];
    const { router } = newRouter(
      {
        async collect(messages) {
          for await (const { count } of messages) seen.push(count);
          return echo('all', seen.length);
        },
      },
      [interceptor, after(log)],
    );
    const call = startCall(router, echoPath('Collect'));
    for (let count = 1; count <= 3; count++) void call.sink.message(encodeEcho(echo('', count)));
    call.sink.halfClose();
    await settled();
    expect([seen, log]).toEqual([[], []]);
    pass();
    expect((await call.ended).code).toBe(0);
    expect(seen).toEqual([1, 2, 3]);
    expect(log).toEqual(['after start', 'after end 0', 'waiter end 0']);
    expect(router.inFlight).toBe(0);
  });

  it('tells the transport to wait with the next message', async () => {
    const { interceptor, pass } = waiter([]);
    const { router } = newRouter({ say: (message) => message }, [interceptor]);
    const call = startCall(router, echoPath('Say'));
    const taken = call.sink.message(request);
    expect(taken).toBeInstanceOf(Promise);
    pass();
    await taken;
    expect((await call.ended).code).toBe(0);
  });

  it('refuses by rejecting: nothing behind it is reached', async () => {
    const log: string[] = [];
    const { interceptor, refuse } = waiter(log);
    const say = vi.fn((message: Echo) => message);
    const { router } = newRouter({ say }, [interceptor, after(log)]);
    const call = callOnce(router, echoPath('Say'), request);
    refuse();
    expect((await call.ended).code).toBe(StatusCode.UNAUTHENTICATED);
    await settled();
    expect([say.mock.calls.length, log, router.inFlight]).toEqual([0, [], 0]);
  });

  it('is told of the end of a call that was cancelled meanwhile, and the call goes no further', async () => {
    const log: string[] = [];
    const { interceptor, pass } = waiter(log);
    const say = vi.fn((message: Echo) => message);
    const { router } = newRouter({ say }, [interceptor, after(log)]);
    const call = callOnce(router, echoPath('Say'), request);
    call.sink.cancel('gone');
    expect((await call.ended).code).toBe(StatusCode.CANCELLED);
    expect(router.inFlight).toBe(0);
    pass();
    await settled();
    expect([say.mock.calls.length, log]).toEqual([0, ['waiter end 1']]);
  });
});

describe('streams', () => {
  it('wait for a caller that does not read', async () => {
    let produced = 0;
    const { router } = newRouter({
      async *repeat(message) {
        for (; produced < 10; produced++) yield message;
      },
    });
    const call = startCall(router, echoPath('Repeat'));
    let release: () => void = () => undefined;
    call.pressure = new Promise((resolve) => (release = resolve));
    void call.sink.message(request);
    await expect.poll(() => call.messages.length).toBe(1);
    await new Promise((resolve) => setImmediate(resolve));
    expect([call.messages.length, produced]).toEqual([1, 0]);
    call.pressure = undefined;
    release();
    await call.ended;
    expect(call.messages).toHaveLength(10);
  });

  it('are cleaned up when their caller leaves, also while they wait for it', async () => {
    const cleaned = vi.fn();
    const { router } = newRouter({
      async *repeat(message) {
        try {
          for (;;) yield message;
        } finally {
          cleaned();
        }
      },
    });
    const call = startCall(router, echoPath('Repeat'));
    let release: () => void = () => undefined;
    call.pressure = new Promise((resolve) => (release = resolve));
    void call.sink.message(request);
    await expect.poll(() => call.messages.length).toBe(1);
    call.sink.cancel('gone');
    release();
    await expect.poll(() => router.inFlight).toBe(0);
    expect(cleaned).toHaveBeenCalledTimes(1);
    expect(call.messages).toHaveLength(1);
  });

  it('end with their deadline where the caller never reads: the call counts no more', async () => {
    const cleaned = vi.fn();
    const { router } = newRouter({
      async *repeat(message) {
        try {
          for (;;) yield message;
        } finally {
          cleaned();
        }
      },
    });
    const call = startCall(router, echoPath('Repeat'), { timeoutMs: 1_000 });
    call.pressure = new Promise(() => undefined);
    void call.sink.message(request);
    await expect.poll(() => call.messages.length).toBe(1);
    clock.advance(1_010);
    expect(call.status?.code).toBe(StatusCode.DEADLINE_EXCEEDED);
    await expect.poll(() => router.inFlight).toBe(0);
    expect(cleaned).toHaveBeenCalledTimes(1);
  });

  it('hold back a caller that sends faster than they are read, and release it when the call ends', async () => {
    let read: () => void = () => undefined;
    const { router } = newRouter({
      async collect(requests) {
        let count = 0;
        for await (const message of requests) {
          count += message.count;
          await new Promise<void>((resolve) => (read = resolve));
        }
        return echo('', count);
      },
    });
    const call = startCall(router, echoPath('Collect'));
    let taken: Promise<void> | undefined;
    let sent = 0;
    while (taken === undefined && sent < 1_000) {
      taken = call.sink.message(request);
      sent++;
    }
    expect(sent).toBeLessThan(1_000);
    call.sink.cancel('gone');
    await taken;
    await expect
      .poll(() => {
        read();
        return router.inFlight;
      })
      .toBe(0);
  });

  it('of a service without resources begin before the first request', async () => {
    const { router } = newRouter({
      async *chat(requests) {
        yield echo('hello');
        for await (const message of requests) yield message;
      },
    });
    const call = startCall(router, echoPath('Chat'));
    await expect.poll(() => call.messages.length).toBe(1);
    void call.sink.message(request);
    call.sink.halfClose();
    await call.ended;
    expect(answers(call)).toEqual([echo('hello'), echo('left', 3)]);
  });

  it('tell a handler of a request that cannot be read', async () => {
    const { router } = newRouter({
      async collect(requests) {
        let last = echo('');
        for await (const message of requests) last = message;
        return last;
      },
    });
    const call = startCall(router, echoPath('Collect'));
    void call.sink.message(Buffer.from([0x0a, 0x7f]));
    expect((await call.ended).code).toBe(StatusCode.INVALID_ARGUMENT);
  });
});

describe('resources', () => {
  function forwardingRouter(target: (name: string) => ResourceTarget<string>): CallRouter {
    const router = new CallRouter({ clock, logger: silentLogger, maxMessageBytes: MAX_BYTES });
    router.addResourceService<string, typeof echoService>(echoService, { say: (resource) => echo(resource) }, target);
    return router;
  }

  class RecordingForwarder implements Forwarder {
    readonly log: unknown[] = [];
    responder: Responder | undefined;

    start(call: ServerCall, path: string, responder: Responder): RequestSink {
      this.responder = responder;
      this.log.push(['start', call.resourceName, path]);
      return {
        message: (bytes) => void this.log.push(['message', bytes]),
        halfClose: () => this.log.push('halfClose'),
        cancel: (reason) => this.log.push(['cancel', reason]),
      };
    }
  }

  it('are found by the name in the request', () => {
    const router = forwardingRouter((name) => ({ kind: 'local', resource: `${name}!` }));
    expect(answers(callOnce(router, echoPath('Say'), request))).toEqual([echo('left!')]);
  });

  it('that another process has get the bytes untouched, and its answer is passed on', () => {
    const forwarder = new RecordingForwarder();
    const router = forwardingRouter(() => ({ kind: 'forward', forwarder }));
    const call = callOnce(router, '/viam.test.v1.EchoService/Say', request);
    expect(forwarder.log).toEqual([
      ['start', 'left', '/viam.test.v1.EchoService/Say'],
      ['message', request],
      'halfClose',
    ]);
    expect((forwarder.log[1] as unknown[])[1]).toBe(request);
    const answer = Buffer.from('any bytes');
    forwarder.responder?.headers({ 'x-a': '1' });
    void forwarder.responder?.message(answer, false);
    forwarder.responder?.end({ code: StatusCode.OK, message: '' }, { 'x-b': '2' });
    expect([call.headerRecord, call.messages, call.status?.code, call.trailers]).toEqual([
      { 'x-a': '1' },
      [answer],
      0,
      { 'x-b': '2' },
    ]);
    expect(router.inFlight).toBe(0);
  });

  it('that another process has are told the end of the one request, once, whether the transport says it or not', () => {
    const forwarder = new RecordingForwarder();
    const router = forwardingRouter(() => ({ kind: 'forward', forwarder }));
    const call = startCall(router, echoPath('Say'));
    void call.sink.message(request);
    expect(forwarder.log.slice(1)).toEqual([['message', request], 'halfClose']);
    call.sink.halfClose();
    expect(forwarder.log).toHaveLength(3);
    void call.sink.message(request);
    expect(call.status?.message).toContain('takes one request, but the caller sent another');
  });

  it('that another process has are told when the caller leaves', () => {
    const forwarder = new RecordingForwarder();
    const router = forwardingRouter(() => ({ kind: 'forward', forwarder }));
    const call = callOnce(router, echoPath('Say'), request);
    call.sink.cancel('its caller is gone');
    expect(forwarder.log.at(-1)).toEqual(['cancel', 'The call was cancelled: its caller is gone.']);
    forwarder.responder?.end({ code: StatusCode.OK, message: '' }, {});
    expect(call.status?.code).toBe(StatusCode.CANCELLED);
  });

  it('of an API nobody here knows are forwarded as long as the service is there', () => {
    const forwarder = new RecordingForwarder();
    const router = new CallRouter({ clock, logger: silentLogger, maxMessageBytes: MAX_BYTES });
    const method = {
      path: '/acme.gizmo.v1.GizmoService/Do',
      service: 'acme.gizmo.v1.GizmoService',
      name: 'Do',
      requestStream: true,
      responseStream: true,
      traits: { needs: 'machine.operate' as const },
      hasResource: true,
      requestType: undefined,
      answerShape: undefined,
    };
    const service = { fullName: method.service, methods: [method], descriptors: new Uint8Array() };
    const remove = router.addForwardedService(service, () => ({ kind: 'forward', forwarder }));
    expect([router.serviceNames, router.forwardedServices]).toEqual([[method.service], [service]]);
    callOnce(router, method.path, request);
    expect(forwarder.log).toHaveLength(3);
    remove();
    expect(callOnce(router, method.path, request).status?.code).toBe(StatusCode.UNIMPLEMENTED);
    expect([router.serviceNames, router.forwardedServices]).toEqual([[], []]);
  });
});

describe('a service that ought to be here', () => {
  it('is refused with the reason why it is not, until that is taken back', () => {
    const { router } = newRouter({});
    const forget = router.explainAbsence('acme.gizmo.v1.GizmoService', 'its module does not describe it');
    const call = (): unknown => callOnce(router, '/acme.gizmo.v1.GizmoService/Turn', request).status;
    const message = 'Unknown method /acme.gizmo.v1.GizmoService/Turn: its module does not describe it.';
    expect(call()).toEqual({ code: StatusCode.UNIMPLEMENTED, message });
    forget();
    expect(call()).toMatchObject({
      message: expect.stringContaining('no service acme.gizmo.v1.GizmoService') as string,
    });
  });
});

describe('draining', () => {
  it('refuses new calls, waits for the running ones, and then cancels what is left', async () => {
    let finish: (message: Echo) => void = () => undefined;
    const { router } = newRouter({ say: () => new Promise((resolve) => (finish = resolve)) });
    const running = callOnce(router, echoPath('Say'), request);
    const drained = router.drain(1_000);
    expect(callOnce(router, echoPath('Say'), request).status).toMatchObject({ code: StatusCode.UNAVAILABLE });
    finish(echo('done'));
    await drained;
    expect(answers(running)).toEqual([echo('done')]);
  });

  it('gives up on handlers that do not return', async () => {
    const { router } = newRouter({ say: () => new Promise(() => undefined) });
    const stuck = callOnce(router, echoPath('Say'), request);
    const drained = router.drain(1_000);
    clock.advance(1_000);
    await drained;
    expect(stuck.status?.code).toBe(StatusCode.UNAVAILABLE);
  });
});
