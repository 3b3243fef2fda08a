import { AsyncLocalStorage } from 'node:async_hooks';
import {
  ROOT_CONTEXT,
  SpanKind,
  SpanStatusCode,
  trace,
  type Attributes,
  type Context,
  type Span,
  type Tracer,
} from '@opentelemetry/api';
import { TRACE_PARENT_HEADER, W3CTraceContextPropagator } from '@opentelemetry/core';
import { resourceFromAttributes } from '@opentelemetry/resources';
import { TracerProvider, type SpanProcessor } from '@opentelemetry/sdk-trace';
import type { Clock } from '../../../base/clock.ts';
import { StatusCode, type Status } from '../../../base/status.ts';
import { canonicalPath } from '../../../base/dialect.ts';
import type { CallScope, ServerCall } from '../../../rpc/call.ts';
import type { MetadataRecord } from '../../../rpc/metadata.ts';
import type { StartCall } from '../../../rpc/peer/outbound-call.ts';
import type { RequestSink, Responder } from '../../../rpc/router.ts';
import type { ResourceSpans } from '../../../../proto/gen/opentelemetry/proto/trace/v1/trace.ts';
import type { CallListener } from '../telemetry-options.ts';
import type { SpanAttributes } from '../traced.ts';
import { receivedSpans } from './received-spans.ts';

export interface TracingParts {
  readonly clock: Clock;
  readonly machine: string;
  readonly version: string;
  /** One for each destination of spans. */
  readonly processors: readonly SpanProcessor[];
}

/** A running span, with its start by both clocks: the wall clock may be set in between. */
interface OpenSpan {
  readonly span: Span;
  /** Milliseconds since 1970. */
  readonly beganAt: number;
  readonly monotonic: number;
}

const propagator = new W3CTraceContextPropagator();

/** Most bytes read from a caller's header (W3C Trace Context, section 3.3.1.5: 512 at least). */
const LONGEST_HEADER = 1_024;

/**
 * Records spans: of incoming calls, of calls to modules and other machines that they cause, and of applying a
 * configuration. The trace context is taken from callers and passed on (W3C Trace Context, level 1).
 */
export class Tracing implements CallListener {
  readonly #clock: Clock;
  readonly #processors: readonly SpanProcessor[];
  readonly #provider: TracerProvider;
  readonly #tracer: Tracer;
  /** The running code is part of this span. */
  readonly #current = new AsyncLocalStorage<Span>();
  readonly #calls = new WeakMap<ServerCall, OpenSpan>();

  constructor({ clock, machine, version, processors }: TracingParts) {
    this.#clock = clock;
    this.#processors = processors;
    this.#provider = new TracerProvider({
      resource: resourceFromAttributes({
        'service.name': 'armature',
        'service.version': version,
        'service.instance.id': machine,
      }),
      spanProcessors: [...processors],
    });
    this.#tracer = this.#provider.getTracer('armature', version);
  }

  begin(call: ServerCall): void {
    const { method, connection, metadata, principal, resourceName, startedAt } = call;
    // Calls that the machine makes to itself, as for captured data, are not traced; nor are calls that export traces.
    if (method.name === 'SendTraces' || (connection.transport === 'local' && this.#isAlone(metadata))) return;
    const attributes: Attributes = {
      ...rpcAttributes(method.path),
      'machine.caller': principal.kind,
      'machine.transport': connection.transport,
    };
    if (resourceName !== '') attributes['machine.resource'] = resourceName;
    this.#calls.set(call, this.#open(method.path.slice(1), SpanKind.SERVER, attributes, metadata, startedAt));
  }

  end(call: ServerCall, status: Status): void {
    const open = this.#calls.get(call);
    if (open === undefined) return;
    this.#calls.delete(call);
    this.#end(open, status.code);
  }

  readonly scope: CallScope = (call, work) => {
    const open = this.#calls.get(call);
    if (open === undefined) work();
    else this.#current.run(open.span, work);
  };

  /**
   * Starts a call, and passes its trace context on. Calls outside a trace are not recorded: they are the machine's own
   * checks of another machine.
   */
  startOutbound(
    target: string,
    start: StartCall,
    path: string,
    metadata: Readonly<MetadataRecord>,
    timeoutMs: number | undefined,
    responder: Responder,
  ): RequestSink {
    if (this.#isAlone(metadata)) return start(path, metadata, timeoutMs, responder);
    const canonical = canonicalPath(path);
    const attributes: Attributes = { ...rpcAttributes(canonical), 'peer.service': target };
    const open = this.#open(canonical.slice(1), SpanKind.CLIENT, attributes, metadata, this.#clock.monotonic());
    const handedOn: MetadataRecord = { ...metadata };
    propagator.inject(trace.setSpan(ROOT_CONTEXT, open.span), handedOn, {
      set: (to: MetadataRecord, key, value) => void (to[key] = value),
    });
    return start(path, handedOn, timeoutMs, {
      headers: (received) => responder.headers(received),
      message: (bytes, isLast) => responder.message(bytes, isLast),
      end: (status, trailers) => {
        this.#end(open, status.code);
        responder.end(status, trailers);
      },
    });
  }

  async traced<T>(name: string, attributes: SpanAttributes, work: () => Promise<T>): Promise<T> {
    const open = this.#open(name, SpanKind.INTERNAL, attributes, {}, this.#clock.monotonic());
    try {
      const result = await this.#current.run(open.span, work);
      this.#end(open, StatusCode.OK);
      return result;
    } catch (thrown) {
      this.#end(open, undefined);
      throw thrown;
    }
  }

  receive(spans: readonly ResourceSpans[]): void {
    for (const span of receivedSpans(spans)) for (const processor of this.#processors) processor.onEnd(span);
  }

  /** Sends recorded spans, and closes. Open spans are dropped. Never rejects: failures to send are logged. */
  async close(): Promise<void> {
    await Promise.allSettled(this.#processors.map((one) => one.shutdown()));
  }

  #open(
    name: string,
    kind: SpanKind,
    attributes: Attributes,
    metadata: ServerCall['metadata'],
    monotonic: number,
  ): OpenSpan {
    const beganAt = this.#clock.now() - (this.#clock.monotonic() - monotonic);
    const span = this.#tracer.startSpan(name, { kind, attributes, startTime: beganAt }, this.#parentOf(metadata));
    return { span, beganAt, monotonic };
  }

  /** @param code undefined for a failure without one */
  #end({ span, beganAt, monotonic }: OpenSpan, code: StatusCode | undefined): void {
    if (code !== undefined) span.setAttribute('rpc.grpc.status_code', code);
    // No message: it may repeat what the caller sent.
    if (code !== StatusCode.OK) span.setStatus({ code: SpanStatusCode.ERROR });
    span.end(beganAt + this.#clock.monotonic() - monotonic);
  }

  #isAlone(metadata: ServerCall['metadata']): boolean {
    return this.#current.getStore() === undefined && metadata[TRACE_PARENT_HEADER] === undefined;
  }

  #parentOf(metadata: ServerCall['metadata']): Context {
    const current = this.#current.getStore();
    if (current !== undefined) return trace.setSpan(ROOT_CONTEXT, current);
    return propagator.extract(ROOT_CONTEXT, metadata, {
      keys: (from: ServerCall['metadata']) => Object.keys(from),
      get: (from: ServerCall['metadata'], key) => {
        const value = [from[key]].flat()[0];
        return value === undefined || value.length > LONGEST_HEADER ? undefined : value;
      },
    });
  }
}

/** @param path canonical */
function rpcAttributes(path: string): Attributes {
  const [, service = '', method = ''] = path.split('/');
  return { 'rpc.system': 'grpc', 'rpc.service': service, 'rpc.method': method };
}
