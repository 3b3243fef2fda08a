import { SpanKind, SpanStatusCode } from '@opentelemetry/api';
import { InMemorySpanExporter, SimpleSpanProcessor, type ReadableSpan } from '@opentelemetry/sdk-trace';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ManualClock } from '../../../base/clock.ts';
import { StatusCode } from '../../../base/status.ts';
import type { ServerCall } from '../../../rpc/call.ts';
import type { MetadataRecord } from '../../../rpc/metadata.ts';
import type { Responder } from '../../../rpc/router.ts';
import { SendTracesRequest } from '../../../../proto/gen/core/robot/v1/robot.ts';
import { spanLine } from './console-spans.ts';
import { Tracing } from './tracing.ts';

const TRACE = '0af7651916cd43dd8448eb211c80319c';
const CALLER = 'b7ad6b7169203331';
const OK = { code: StatusCode.OK, message: '' };

class Fixture {
  readonly clock = new ManualClock();
  readonly exporter = new InMemorySpanExporter();
  readonly tracing = new Tracing({
    clock: this.clock,
    machine: 'bench',
    version: '1.2.3',
    processors: [new SimpleSpanProcessor({ exporter: this.exporter })],
  });
  /** Metadata of calls that were made. */
  readonly sent: MetadataRecord[] = [];
  readonly responders: Responder[] = [];

  call(path: string, metadata: ServerCall['metadata'] = {}, more: object = {}): ServerCall {
    const [, service = '', name = ''] = path.split('/');
    return {
      method: { path, service, name },
      metadata,
      connection: { transport: 'grpc' },
      principal: { kind: 'api-key', entity: 'a-key-id' },
      resourceName: 'left',
      startedAt: this.clock.monotonic(),
      ...more,
    } as unknown as ServerCall;
  }

  outbound(path: string, metadata: MetadataRecord = {}): void {
    const start = (_path: string, record: Readonly<MetadataRecord>, _ms: number | undefined, responder: Responder) => {
      this.sent.push(record);
      this.responders.push(responder);
      return { message: () => undefined, halfClose: () => undefined, cancel: () => undefined };
    };
    const responder = { headers: () => undefined, message: () => undefined, end: () => undefined };
    this.tracing.startOutbound('acme_motors', start, path, metadata, undefined, responder);
  }

  get spans(): readonly ReadableSpan[] {
    return this.exporter.getFinishedSpans();
  }

  named(name: string): ReadableSpan {
    const found = this.spans.find((span) => span.name.endsWith(name));
    if (found === undefined) throw new Error(`no span ${name}: ${this.spans.map((span) => span.name).join(', ')}`);
    return found;
  }
}

describe('a span of a call', () => {
  it('says method, resource, status, caller and time, and nothing that was sent', () => {
    const fixture = new Fixture();
    const secret = { authorization: 'Bearer hush', 'x-note': 'hush' };
    const call = fixture.call('/core.component.motor.v1.MotorService/GoFor', secret);
    fixture.tracing.begin(call);
    fixture.clock.advance(250);
    fixture.tracing.end(call, { code: StatusCode.INVALID_ARGUMENT, message: 'rpm is hush' });
    const [span] = fixture.spans;
    expect(span).toMatchObject({
      name: 'core.component.motor.v1.MotorService/GoFor',
      kind: SpanKind.SERVER,
      status: { code: SpanStatusCode.ERROR },
      attributes: {
        'rpc.system': 'grpc',
        'rpc.service': 'core.component.motor.v1.MotorService',
        'rpc.method': 'GoFor',
        'rpc.grpc.status_code': 3,
        'machine.resource': 'left',
        'machine.caller': 'api-key',
        'machine.transport': 'grpc',
      },
      duration: [0, 250_000_000],
      parentSpanContext: undefined,
    });
    expect(JSON.stringify([span?.attributes, span?.status, span?.events])).not.toContain('hush');
  });

  it('lasts as long as the call, whatever somebody does to the clock', () => {
    const fixture = new Fixture();
    const call = fixture.call('/a.B/C');
    fixture.tracing.begin(call);
    fixture.clock.set(fixture.clock.now() + 3_600_000);
    fixture.clock.advance(5);
    fixture.tracing.end(call, OK);
    expect(fixture.spans[0]?.duration).toEqual([0, 5_000_000]);
  });

  it('belongs to the trace of its caller', () => {
    const fixture = new Fixture();
    const traceparent = `00-${TRACE}-${CALLER}-01`;
    const call = fixture.call('/a.B/C', { traceparent, tracestate: 'vendor=1' });
    fixture.tracing.begin(call);
    fixture.tracing.end(call, OK);
    const [span] = fixture.spans;
    expect(span?.spanContext().traceId).toBe(TRACE);
    expect(span?.parentSpanContext?.spanId).toBe(CALLER);
    expect(span?.spanContext().traceState?.serialize()).toBe('vendor=1');
  });

  it('is not recorded where the caller says that it samples this trace out', () => {
    const fixture = new Fixture();
    const call = fixture.call('/a.B/C', { traceparent: `00-${TRACE}-${CALLER}-00` });
    fixture.tracing.begin(call);
    fixture.tracing.end(call, OK);
    expect(fixture.spans).toEqual([]);
  });

  it.each([
    ['nothing'],
    [''],
    [`00-${'0'.repeat(32)}-${CALLER}-01`],
    [`00-${TRACE}-${CALLER}`],
    [`ff-${TRACE}-${CALLER}-01`],
    ['0'.repeat(100_000)],
  ])('begins a trace of its own where the caller sends %s', (traceparent) => {
    const fixture = new Fixture();
    const call = fixture.call('/a.B/C', { traceparent });
    fixture.tracing.begin(call);
    fixture.tracing.end(call, OK);
    expect(fixture.spans[0]?.parentSpanContext).toBeUndefined();
  });

  it('is none of what tells of spans, nor of what the machine asks itself of its own accord', () => {
    const fixture = new Fixture();
    for (const call of [
      fixture.call('/core.robot.v1.RobotService/SendTraces'),
      fixture.call('/a.B/C', {}, { connection: { transport: 'local' } }),
    ]) {
      fixture.tracing.begin(call);
      fixture.tracing.scope(call, () => undefined);
      fixture.tracing.end(call, OK);
    }
    fixture.outbound('/viam.module.v1.ModuleService/Ready');
    fixture.responders[0]?.end(OK, {});
    expect(fixture.spans).toEqual([]);
    expect(fixture.sent).toEqual([{}]);
  });
});

describe('what a call leads to', () => {
  it('belongs to it, and takes the context of the trace along', async () => {
    const fixture = new Fixture();
    const { tracing } = fixture;
    const call = fixture.call('/a.B/Outer');
    tracing.begin(call);
    await new Promise<void>((resolve) => {
      tracing.scope(call, () => {
        setImmediate(() => {
          fixture.outbound('/viam.component.motor.v1.MotorService/Stop', { 'x-note': 'kept', traceparent: 'stale' });
          const local = fixture.call('/a.B/Inner', {}, { connection: { transport: 'local' } });
          tracing.begin(local);
          tracing.end(local, OK);
          resolve();
        });
      });
    });
    fixture.responders[0]?.end({ code: StatusCode.UNAVAILABLE, message: '' }, {});
    tracing.end(call, OK);
    const [outer, sent, inner] = ['Outer', 'Stop', 'Inner'].map((name) => fixture.named(name));
    expect(sent?.parentSpanContext?.spanId).toBe(outer?.spanContext().spanId);
    expect(inner?.parentSpanContext?.spanId).toBe(outer?.spanContext().spanId);
    expect(sent).toMatchObject({
      name: 'core.component.motor.v1.MotorService/Stop',
      kind: SpanKind.CLIENT,
      attributes: { 'peer.service': 'acme_motors', 'rpc.grpc.status_code': 14 },
      status: { code: SpanStatusCode.ERROR },
    });
    const { traceId, spanId } = sent?.spanContext() ?? {};
    expect(fixture.sent).toEqual([{ 'x-note': 'kept', traceparent: `00-${traceId}-${spanId}-01` }]);
  });

  it('is apart from what another call leads to at the same time', () => {
    const fixture = new Fixture();
    const calls = ['/a.B/One', '/a.B/Two'].map((path) => fixture.call(path));
    for (const call of calls) fixture.tracing.begin(call);
    for (const call of calls) fixture.tracing.scope(call, () => fixture.outbound(`${call.method.path}Sent`));
    for (const responder of fixture.responders) responder.end(OK, {});
    for (const call of calls) fixture.tracing.end(call, OK);
    for (const name of ['One', 'Two']) {
      expect(fixture.named(`${name}Sent`).parentSpanContext?.spanId).toBe(fixture.named(name).spanContext().spanId);
    }
  });
});

describe('work of the machine', () => {
  it('has a span with its outcome, which what it calls belongs to', async () => {
    const fixture = new Fixture();
    const attributes = { 'machine.resource': 'core:component:motor/left' };
    const result = await fixture.tracing.traced('resource.build', attributes, async () => {
      fixture.outbound('/viam.module.v1.ModuleService/AddResource');
      return 7;
    });
    expect(result).toBe(7);
    await expect(
      fixture.tracing.traced('resource.reconfigure', {}, () => Promise.reject(new Error('no'))),
    ).rejects.toThrow('no');
    fixture.responders[0]?.end(OK, {});
    expect(fixture.named('resource.build')).toMatchObject({ attributes, status: { code: SpanStatusCode.UNSET } });
    expect(fixture.named('resource.reconfigure').status.code).toBe(SpanStatusCode.ERROR);
    expect(fixture.named('AddResource').parentSpanContext?.spanId).toBe(
      fixture.named('resource.build').spanContext().spanId,
    );
  });
});

describe('spans of a module', () => {
  const bytes = (hex: string): Uint8Array => Buffer.from(hex, 'hex');
  const request = SendTracesRequest.fromPartial({
    resourceSpans: [
      {
        resource: { attributes: [{ key: 'service.name', value: { value: { $case: 'stringValue', value: 'acme' } } }] },
        scopeSpans: [
          {
            scope: { name: 'lib', version: '1' },
            spans: [
              {
                traceId: bytes(TRACE),
                spanId: bytes(CALLER),
                parentSpanId: bytes('00f067aa0ba902b7'),
                name: 'read\u001b[2J',
                kind: 2,
                startTimeUnixNano: 1_700_000_000_000_000_001n,
                endTimeUnixNano: 1_700_000_000_500_000_001n,
                attributes: [
                  { key: 'count', value: { value: { $case: 'intValue', value: 3n } } },
                  { key: 'map', value: { value: { $case: 'kvlistValue', value: { values: [] } } } },
                ],
                status: { code: 2, message: 'no cable' },
              },
              { name: 'without ids' },
            ],
          },
        ],
      },
    ],
  });

  it('go where those of the machine go', () => {
    const fixture = new Fixture();
    fixture.tracing.receive(request.resourceSpans);
    expect(fixture.spans).toHaveLength(1);
    const [span] = fixture.spans;
    expect(span).toMatchObject({
      kind: SpanKind.SERVER,
      startTime: [1_700_000_000, 1],
      duration: [0, 500_000_000],
      attributes: { count: 3 },
      status: { code: SpanStatusCode.ERROR, message: 'no cable' },
      resource: { attributes: { 'service.name': 'acme' } },
    });
    expect(span?.parentSpanContext?.spanId).toBe('00f067aa0ba902b7');
    expect(spanLine(span as ReadableSpan)).toBe(
      `span ${TRACE} ${CALLER} 00f067aa0ba902b7 2023-11-14T22:13:20.000Z 500.00ms call read?[2J FAILED`,
    );
  });

  it('break nothing, whatever comes', () => {
    const whole = SendTracesRequest.encode(request).finish();
    fc.assert(
      fc.property(fc.nat(whole.length - 1), fc.nat(255), (at, byte) => {
        const changed = Uint8Array.from(whole);
        changed[at] = byte;
        let read;
        try {
          read = SendTracesRequest.decode(changed);
        } catch {
          return; // the router refuses it
        }
        const fixture = new Fixture();
        fixture.tracing.receive(read.resourceSpans);
        fixture.spans.forEach(spanLine);
      }),
    );
  });
});
