import { dialectOfPath, sentenceIn, type Dialect } from '../../base/dialect.ts';
import { ArmatureError, toArmatureError } from '../../base/errors.ts';
import { OK, StatusCode, type Status } from '../../base/status.ts';
import type { Clock } from '../../base/clock.ts';
import type { Logger } from '../../base/logger.ts';
import type { Principal } from '../principal.ts';
import type { CallScope, Connection, Interceptor, ServerCall } from '../call.ts';
import { readFirstField } from './first-field.ts';
import type { DeadlineQueue, Expiring } from './deadline-queue.ts';
import { MAX_OPEN_CALLS, type LimitedConnection } from '../limited-connection.ts';
import type { MetadataRecord } from '../metadata.ts';
import { isOpenToAll, MAX_OPEN_REQUEST_BYTES } from '../access/open-methods.ts';
import { decodeRequest, RequestStream } from './request-stream.ts';
import type { Route } from './route.ts';
import type { Method } from '../method.ts';
import type { CallHead, Forwarder, RequestSink, Responder } from '../router.ts';
import type { MethodDefinition } from '../service.ts';
import { encodeMessage } from '../../../proto/message.ts';
import { encodeStatusDetails, STATUS_DETAILS_KEY } from '../grpc/status-details.ts';

/** The context that all calls of one router share. */
export interface CallContext {
  readonly clock: Clock;
  readonly logger: Logger;
  readonly deadlines: DeadlineQueue;
  readonly interceptors: readonly Interceptor[];
  scope: CallScope | undefined;
  readonly maxMessageBytes: number;
  /** The call has ended and its handler has returned. */
  ended(call: RoutedCall): void;
}

const ANONYMOUS: Principal = { kind: 'anonymous', entity: 'anonymous' };
const LOCAL: Principal = { kind: 'local', entity: 'local' };
const NO_TRAILERS: MetadataRecord = Object.freeze({});
const PRINTABLE_ASCII = /^[\x20-\x7e]*$/;

function isPromise(value: unknown): value is PromiseLike<unknown> {
  return typeof value === 'object' && value !== null && 'then' in value && typeof value.then === 'function';
}

/**
 * One call on its way through the router: what interceptors and handlers see, and the sink for requests from the
 * transport. Anything that few calls need is created on first use.
 */
export class RoutedCall implements ServerCall, RequestSink, Expiring {
  readonly startedAt: number;
  readonly #context: CallContext;
  readonly #route: Route;
  readonly #head: CallHead;
  readonly #responder: Responder;

  resourceName = '';
  principal: Principal;
  sessionId: string | undefined;
  operationId: string | undefined;
  deadline: number | undefined;
  deadlineBucket: Set<Expiring> | undefined;

  /** Interceptors whose `start` has run. */
  #interceptorsPassed = 0;
  /** Settles when a waiting interceptor has decided; the caller's messages wait until then. */
  #admission: Promise<void> | undefined;
  #headers: MetadataRecord | undefined;
  #headersSent = false;
  #trailers: MetadataRecord | undefined;
  #firstRequest: Uint8Array | undefined;
  #hasDispatched = false;
  #isHandlerRunning = false;
  #isClosed = false;
  /** The result sent to the caller. */
  #status: Status | undefined;
  #controller: AbortController | undefined;
  #cancelReason: unknown;
  #isCancelled = false;
  #requests: RequestStream<unknown> | undefined;
  #responses: AsyncIterator<unknown> | undefined;
  #stopWaiting: (() => void) | undefined;
  #forwarded: RequestSink | undefined;
  #hasOpenPlace = false;

  constructor(context: CallContext, route: Route, head: CallHead, responder: Responder) {
    this.#context = context;
    this.#route = route;
    this.#head = head;
    this.#responder = responder;
    this.startedAt = context.clock.monotonic();
    this.deadline = head.timeoutMs === undefined ? undefined : this.startedAt + head.timeoutMs;
    this.principal = head.connection.transport === 'local' ? LOCAL : ANONYMOUS;
  }

  get method(): Method {
    return this.#route.method;
  }

  get dialect(): Dialect {
    return dialectOfPath(this.#head.path);
  }

  get metadata(): Readonly<Record<string, string | string[] | undefined>> {
    return this.#head.metadata;
  }

  get connection(): Connection {
    return this.#head.connection;
  }

  get trailers(): MetadataRecord {
    return (this.#trailers ??= {});
  }

  get maxRequestBytes(): number | undefined {
    return isOpenToAll(this.method) ? MAX_OPEN_REQUEST_BYTES : undefined;
  }

  get admission(): Promise<void> | undefined {
    return this.#admission;
  }

  get isCancelled(): boolean {
    return this.#isCancelled;
  }

  get signal(): AbortSignal {
    if (this.#controller === undefined) {
      this.#controller = new AbortController();
      if (this.#isCancelled) this.#controller.abort(this.#cancelReason);
    }
    return this.#controller.signal;
  }

  limitDeadline(monotonicMs: number): void {
    if (this.deadline !== undefined && this.deadline <= monotonicMs) return;
    this.deadline = monotonicMs;
    if (this.deadlineBucket !== undefined) this.#context.deadlines.add(this);
  }

  setHeader(key: string, value: string): void {
    if (!PRINTABLE_ASCII.test(value)) {
      throw new ArmatureError('internal.bug', `The response header ${key} has a value that cannot be sent.`);
    }
    (this.#headers ??= {})[key.toLowerCase()] = value;
  }

  requestAsJson(): unknown {
    const type = this.method.requestType;
    if (this.#firstRequest === undefined || type === undefined) return undefined;
    const request: unknown = type.decode(this.#firstRequest);
    return type.toJSON === undefined ? request : type.toJSON(request);
  }

  /** Runs the part that needs no message. Called once, by the router. */
  begin(refusal: ArmatureError | undefined): void {
    const { limits } = this.#head.connection;
    if (limits !== undefined) {
      limits.calls++;
      limits.lastCallAt = this.startedAt;
    }
    try {
      if (refusal !== undefined) throw refusal;
      if (isOpenToAll(this.method) && limits !== undefined) this.#takeOpenPlace(limits);
      for (const interceptor of this.#context.interceptors) {
        const waiting = interceptor.start?.(this);
        if (waiting !== undefined) {
          this.#admission = this.#admit(waiting);
          return;
        }
        this.#interceptorsPassed++;
      }
      this.#enter();
    } catch (thrown) {
      limits?.refused();
      this.#fail(thrown);
    }
  }

  #takeOpenPlace(limits: LimitedConnection): void {
    if (!limits.takeOpenCall()) {
      const message = `This connection has ${MAX_OPEN_CALLS} calls of ${this.method.service} and the like under way: wait for one of them.`;
      throw new ArmatureError('call.overloaded', message);
    }
    this.#hasOpenPlace = true;
  }

  /** Continues when an asynchronous interceptor has ended. Never rejects. */
  async #admit(waiting: Promise<void>): Promise<void> {
    try {
      let started: Promise<void> | undefined = waiting;
      for (const interceptor of this.#context.interceptors.slice(this.#interceptorsPassed)) {
        await (started ?? interceptor.start?.(this));
        started = undefined;
        if (this.#status !== undefined) {
          // The call ended in the meantime, before this interceptor had finished.
          interceptor.end?.(this, this.#status);
          return;
        }
        this.#interceptorsPassed++;
      }
      this.#admission = undefined;
      this.#enter();
    } catch (thrown) {
      this.#head.connection.limits?.refused();
      this.#fail(thrown);
    } finally {
      this.#admission = undefined;
    }
  }

  /** Every interceptor has accepted it. */
  #enter(): void {
    if (this.#status !== undefined) return;
    const { limits } = this.#head.connection;
    if (limits !== undefined && limits.proof !== 'secret' && !isOpenToAll(this.method))
      limits.prove(this.principal.kind);
    if (this.#route.refusal !== undefined) throw new ArmatureError('call.unimplemented', this.#route.refusal);
    if (this.deadline !== undefined) this.#context.deadlines.add(this);
    if (this.method.requestStream && !this.method.hasResource) this.#dispatch();
  }

  // Requests, from the transport.

  message(bytes: Uint8Array): Promise<void> | undefined {
    if (this.#status !== undefined) return undefined;
    if (this.#admission !== undefined) return this.#admission.then(() => this.message(bytes));
    if (this.#firstRequest === undefined) {
      this.#firstRequest = bytes;
      if (!this.#hasDispatched) {
        this.#dispatch();
        return undefined;
      }
    }
    if (this.#forwarded !== undefined && this.method.requestStream) return this.#forwarded.message(bytes);
    if (this.#requests !== undefined) return this.#requests.push(bytes);
    this.cancelWith(
      new ArmatureError('call.bad_argument', `${this.method.path} takes one request, but the caller sent another.`),
    );
    return undefined;
  }

  halfClose(): void {
    if (this.#status !== undefined) return;
    if (this.#admission !== undefined) {
      void this.#admission.then(() => this.halfClose());
      return;
    }
    if (!this.#hasDispatched) {
      this.#fail(
        new ArmatureError('call.bad_argument', `The call of ${this.method.path} ended before its first request.`),
      );
    } else if (this.#forwarded !== undefined) {
      if (this.method.requestStream) this.#forwarded.halfClose();
    } else {
      this.#requests?.end();
    }
  }

  cancel(reason: unknown): void {
    // Checked at the end of every call: the error is made only if it is reported.
    if (this.#status !== undefined) return;
    this.cancelWith(
      reason instanceof ArmatureError
        ? reason
        : new ArmatureError('call.cancelled', `The call was cancelled: ${String(reason)}.`),
    );
  }

  /** The deadline has passed. */
  expire(): void {
    if (this.#status !== undefined) return;
    const givenMs = Math.round((this.deadline ?? 0) - this.startedAt);
    this.cancelWith(
      new ArmatureError('call.deadline_exceeded', `${this.method.path} did not end within its ${givenMs} ms.`),
    );
  }

  /** Answers with an error at once, and notifies the handler. */
  cancelWith(error: ArmatureError): void {
    if (this.#status !== undefined) return;
    this.#isCancelled = true;
    this.#cancelReason = error;
    this.#answerError(error);
    this.#forwarded?.cancel(error.message);
    this.#requests?.fail(error);
    this.#controller?.abort(error);
    this.#endResponses();
    if (!this.#isHandlerRunning) this.#close();
  }

  #respond(bytes: Uint8Array, isLast: boolean): Promise<void> | undefined {
    if (this.#status !== undefined) return undefined;
    if (bytes.length > this.#context.maxMessageBytes) {
      throw new ArmatureError(
        'call.too_large',
        `The answer of ${this.method.path} has ${bytes.length} bytes; at most ${this.#context.maxMessageBytes} can be sent.`,
      );
    }
    if (!this.#headersSent) {
      this.#headersSent = true;
      if (this.#headers !== undefined) this.#responder.headers(this.#headers);
    }
    return this.#responder.message(bytes, isLast);
  }

  // From the first request to the handler and back.

  #dispatch(): void {
    this.#hasDispatched = true;
    try {
      const route = this.#route;
      if (route.method.hasResource) this.resourceName = this.#readResourceName();
      for (const interceptor of this.#context.interceptors) interceptor.request?.(this);
      if (this.#status !== undefined) return;
      const { scope } = this.#context;
      if (scope === undefined) this.#reach();
      else scope(this, () => this.#reach());
    } catch (thrown) {
      this.#fail(thrown);
    }
  }

  #reach(): void {
    const { resolve } = this.#route;
    if (resolve === undefined) {
      this.#invoke(undefined);
      return;
    }
    const target = resolve(this.resourceName, this);
    if (target.kind === 'local') this.#invoke(target.resource);
    else this.#forward(target.forwarder);
  }

  #readResourceName(): string {
    const name = readFirstField(this.#firstRequest as Uint8Array);
    if (name !== '') return name;
    throw new ArmatureError(
      'call.bad_argument',
      `The request of ${this.method.path} names no resource: set its first field to the resource's name.`,
      { details: { method: this.method.path } },
    );
  }

  #forward(forwarder: Forwarder): void {
    const responder: Responder = {
      headers: (metadata) => {
        if (this.#status !== undefined || this.#headersSent) return;
        this.#headersSent = true;
        this.#responder.headers(this.#headers === undefined ? metadata : { ...metadata, ...this.#headers });
      },
      message: (bytes, isLast) => {
        try {
          return this.#respond(bytes, isLast);
        } catch (thrown) {
          this.cancelWith(toArmatureError(thrown));
          return undefined;
        }
      },
      end: (status, trailers) => {
        if (this.#status !== undefined) return;
        this.#answer(status, this.#trailers === undefined ? trailers : { ...trailers, ...this.#trailers });
        this.#close();
      },
    };
    this.#forwarded = forwarder.start(this, this.#head.path, responder);
    // A method that streams its requests may have been started before the first.
    if (this.#firstRequest !== undefined) void this.#forwarded.message(this.#firstRequest);
    // Not every transport reports the end: on a channel nothing follows the one request of a call.
    if (!this.method.requestStream) this.#forwarded.halfClose();
  }

  #invoke(resource: unknown): void {
    const { definition, handler, method } = this.#route;
    if (handler === undefined || definition === undefined) {
      throw new ArmatureError('call.unimplemented', `${method.path} is known but not implemented here.`);
    }
    const request = this.#requestOf(definition);
    this.#isHandlerRunning = true;
    const result = this.#route.resolve === undefined ? handler(request, this) : handler(resource, request, this);
    if (method.responseStream) {
      void this.#sendAll(definition, result as AsyncIterable<unknown>);
    } else if (isPromise(result)) {
      result.then(
        (value) => this.#sendOne(definition, value),
        (thrown: unknown) => this.#fail(thrown),
      );
    } else {
      this.#sendOne(definition, result);
    }
  }

  #requestOf(definition: MethodDefinition): unknown {
    const { requestStream, path } = this.method;
    if (!requestStream) return decodeRequest(definition.requestType, this.#firstRequest as Uint8Array, path);
    this.#requests = new RequestStream<unknown>(definition.requestType, path);
    if (this.#firstRequest !== undefined) void this.#requests.push(this.#firstRequest);
    return this.#requests;
  }

  #sendOne(definition: MethodDefinition, value: unknown): void {
    try {
      if (this.#status === undefined) {
        void this.#respond(encodeMessage(definition.responseType, value), true);
        this.#answer(OK, this.#trailers ?? NO_TRAILERS);
      }
      this.#isHandlerRunning = false;
      this.#close();
    } catch (thrown) {
      this.#fail(thrown);
    }
  }

  async #sendAll(definition: MethodDefinition, values: AsyncIterable<unknown>): Promise<void> {
    try {
      const iterator = values[Symbol.asyncIterator]();
      this.#responses = iterator;
      // The call may have been answered with an error between two messages: then the iterator was ended.
      while (this.#status === undefined) {
        const next = await iterator.next();
        if (next.done === true) break;
        const written = this.#respond(encodeMessage(definition.responseType, next.value), false);
        if (written !== undefined) await this.#untilWritten(written);
      }
      if (this.#status === undefined) this.#answer(OK, this.#trailers ?? NO_TRAILERS);
      this.#isHandlerRunning = false;
      this.#close();
    } catch (thrown) {
      this.#endResponses();
      this.#fail(thrown);
    }
  }

  /** Waits until more may be sent, or the call was answered: a caller that never reads must not keep it open. */
  #untilWritten(written: Promise<void>): Promise<void> {
    return new Promise((resolve) => {
      this.#stopWaiting = resolve;
      void written.then(resolve);
    });
  }

  /** Lets a handler that produces responses clean up. */
  #endResponses(): void {
    const responses = this.#responses;
    this.#responses = undefined;
    // A failure of the clean-up is thrown by `next` too, and reported there.
    Promise.resolve(responses?.return?.()).catch(() => undefined);
  }

  // The end.

  #fail(thrown: unknown): void {
    this.#isHandlerRunning = false;
    const error = toArmatureError(thrown);
    if (error.code === 'internal.bug' && !this.#isCancelled) {
      this.#context.logger.error(`${this.method.path} failed by a mistake in the program: ${error.message}`, {
        method: this.method.path,
        resource: this.resourceName,
        stack: thrown instanceof Error ? thrown.stack : undefined,
      });
    }
    if (this.#status === undefined) {
      this.#answerError(error);
      this.#forwarded?.cancel(error.message);
      this.#requests?.fail(error);
    }
    this.#close();
  }

  #answerError(error: ArmatureError): void {
    const status: Status = { code: error.info.status, message: sentenceIn(error.message, this.dialect) };
    this.#answer(status, { [STATUS_DETAILS_KEY]: encodeStatusDetails(status, error), ...this.#trailers });
  }

  #answer(status: Status, trailers: MetadataRecord): void {
    this.#status = status;
    if (!this.#headersSent && status.code === StatusCode.OK && this.#headers !== undefined) {
      this.#headersSent = true;
      this.#responder.headers(this.#headers);
    }
    this.#responder.end(status, trailers);
    this.#stopWaiting?.();
  }

  #close(): void {
    if (this.#isClosed || this.#status === undefined) return;
    this.#isClosed = true;
    const { limits } = this.#head.connection;
    if (limits !== undefined) limits.calls--;
    if (this.#hasOpenPlace) limits?.giveOpenCall();
    if (this.deadlineBucket !== undefined) this.#context.deadlines.remove(this);
    const { interceptors } = this.#context;
    for (let index = this.#interceptorsPassed - 1; index >= 0; index--) {
      const interceptor = interceptors[index] as Interceptor;
      try {
        interceptor.end?.(this, this.#status);
      } catch (thrown) {
        this.#context.logger.error(`The interceptor ${interceptor.name} failed at the end of ${this.method.path}.`, {
          stack: thrown instanceof Error ? thrown.stack : String(thrown),
        });
      }
    }
    this.#context.ended(this);
  }
}
