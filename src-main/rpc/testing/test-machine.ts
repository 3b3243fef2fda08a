import type { ConnectionLimits } from '../port/connection-limits.ts';
import type { KeepaliveOptions } from '../grpc/grpc-http2.ts';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { ArmatureError } from '../../base/errors.ts';
import { systemClock, type Clock } from '../../base/clock.ts';
import { silentLogger } from '../../base/logger.ts';
import { CallRouter, MAX_MESSAGE_BYTES } from '../routing/call-router.ts';
import type { ServerCall } from '../call.ts';
import { answerText } from '../port/http-routes.ts';
import { deadlineInterceptor } from '../interceptors/deadline.ts';
import { Listener, type Certificate, type ListenerOptions } from '../port/listener.ts';
import type { ResourceHandlers } from '../service.ts';
import { echo, echoService, type Echo } from './echo-service.ts';

/** A resource of the echo service; a test can wait for the calls that reach it. */
export class EchoResource {
  readonly name: string;
  readonly calls: ServerCall[] = [];
  #waiting: ((call: ServerCall) => void)[] = [];

  constructor(name: string) {
    this.name = name;
  }

  entered(call: ServerCall): void {
    this.calls.push(call);
    for (const waiting of this.#waiting.splice(0)) waiting(call);
  }

  /** The next call that reaches the handler. */
  nextCall(): Promise<ServerCall> {
    return new Promise((resolve) => this.#waiting.push(resolve));
  }
}

/** Settles when a call is cancelled. */
export function cancelled(call: ServerCall): Promise<unknown> {
  return new Promise((resolve) => {
    if (call.signal.aborted) resolve(call.signal.reason);
    call.signal.addEventListener('abort', () => resolve(call.signal.reason));
  });
}

/** Count of a request that asks the handler to wait for its own cancellation. */
export const WAIT = 999;
/** Count of a request that asks for an error of ours, and for one that is a mistake. */
export const FAIL = 500;
export const CRASH = 501;

const handlers: ResourceHandlers<EchoResource, typeof echoService> = {
  async say(resource, request, call) {
    resource.entered(call);
    if (request.count === WAIT) throw await cancelled(call);
    if (request.count === FAIL) {
      throw new ArmatureError('resource.not_ready', 'Résource "left" is not ready: 100 % of its wires are cut.', {
        details: { state: 'failed', retryAfterMs: 1500 },
      });
    }
    if (request.count === CRASH) throw new TypeError('x is not a function');
    const mark = call.metadata['x-mark'];
    if (typeof mark === 'string') {
      call.setHeader('x-mark', mark);
      call.trailers['x-mark-bin'] = String(call.metadata['x-mark-bin']);
    }
    return request;
  },
  async *repeat(resource, request, call) {
    resource.entered(call);
    for (let index = 0; index < request.count; index++) yield echo(`${request.name}${index}`, index, request.payload);
    if (request.count === WAIT) await cancelled(call);
    if (request.count === FAIL) throw new ArmatureError('hardware.failed', 'The wire broke.');
  },
  async collect(resource, requests, call) {
    resource.entered(call);
    let count = 0;
    let bytes = 0;
    for await (const request of requests) {
      count++;
      bytes += request.payload.length;
    }
    return echo(`${bytes}`, count);
  },
  async *chat(resource, requests, call) {
    resource.entered(call);
    for await (const request of requests) {
      if (request.count === FAIL) throw new ArmatureError('call.failed_precondition', 'Not now.');
      yield request;
    }
  },
};

export interface TestMachine {
  readonly router: CallRouter;
  readonly listener: Listener;
  readonly port: number;
  readonly resource: EchoResource;
}

export interface TestMachineOptions {
  readonly clock?: Clock;
  readonly certificate?: Certificate;
  readonly mayTakeTls?: boolean;
  readonly host?: string;
  readonly webAccess?: ListenerOptions['webAccess'];
  readonly onUpgrade?: (request: IncomingMessage, socket: Duplex, head: Buffer) => void;
  readonly onPage?: (request: IncomingMessage, response: ServerResponse) => void;
  readonly isReady?: () => boolean;
  readonly keepalive?: KeepaliveOptions;
  readonly connectionLimits?: ConnectionLimits;
}

/** A router with the test service behind a listener on a free port. */
export async function startTestMachine(options: TestMachineOptions = {}): Promise<TestMachine> {
  const clock = options.clock ?? systemClock;
  const router = new CallRouter({ clock, logger: silentLogger, maxMessageBytes: MAX_MESSAGE_BYTES });
  router.addInterceptor(deadlineInterceptor(600_000));
  const resource = new EchoResource('left');
  router.addResourceService<EchoResource, typeof echoService>(echoService, handlers, (name) => {
    if (name.startsWith(resource.name)) return { kind: 'local', resource };
    throw new ArmatureError('resource.not_found', `There is no speaker "${name}".`);
  });
  const listener = new Listener({
    ...(options.keepalive === undefined ? {} : { keepalive: options.keepalive }),
    ...(options.connectionLimits === undefined ? {} : { connectionLimits: options.connectionLimits }),
    router,
    clock,
    logger: silentLogger,
    webAccess: options.webAccess ?? { checkRequest: () => ({ ok: true }) },
    certificate: options.certificate,
    mayTakeTls: options.mayTakeTls ?? false,
    onUpgrade: options.onUpgrade ?? ((_request, socket) => socket.destroy()),
    onPage: options.onPage ?? ((request, response) => answerText(request, response, 200, 'the page\n')),
    readiness: () =>
      (options.isReady?.() ?? true) ? { isReady: true, summary: 'ready' } : { isReady: false, summary: 'starting' },
  });
  const { port } = await listener.listen({ host: options.host ?? '127.0.0.1', port: 0 });
  return { router, listener, port, resource };
}

export type { Echo };
