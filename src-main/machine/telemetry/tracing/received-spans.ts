import { SpanKind, TraceFlags, type Attributes, type HrTime, type SpanContext } from '@opentelemetry/api';
import { TraceState } from '@opentelemetry/core';
import { resourceFromAttributes } from '@opentelemetry/resources';
import type { ReadableSpan } from '@opentelemetry/sdk-trace';
import type { AnyValue, KeyValue } from '../../../../proto/gen/opentelemetry/proto/common/v1/common.ts';
import type { ResourceSpans, Span } from '../../../../proto/gen/opentelemetry/proto/trace/v1/trace.ts';

const TRACE_ID_BYTES = 16;
const SPAN_ID_BYTES = 8;

/** Converts spans of another program; those without the required ids are left out. */
export function* receivedSpans(groups: readonly ResourceSpans[]): Iterable<ReadableSpan> {
  for (const group of groups) {
    const resource = resourceFromAttributes(attributesOf(group.resource?.attributes ?? []));
    for (const { scope, spans } of group.scopeSpans) {
      const instrumentationScope = { name: scope?.name ?? '', version: scope?.version ?? '' };
      for (const span of spans) {
        const context = contextOf(span.traceId, span.spanId, span.traceState);
        if (context !== undefined) yield { ...readable(span, context), resource, instrumentationScope };
      }
    }
  }
}

function readable(span: Span, context: SpanContext): Omit<ReadableSpan, 'resource' | 'instrumentationScope'> {
  const { startTimeUnixNano: begin, endTimeUnixNano: end } = span;
  const parent = contextOf(span.traceId, span.parentSpanId, '');
  return {
    name: span.name,
    // The wire has one more kind, before the others.
    kind: span.kind === 0 ? SpanKind.INTERNAL : span.kind - 1,
    spanContext: () => context,
    ...(parent === undefined ? {} : { parentSpanContext: parent }),
    startTime: timeOf(begin),
    endTime: timeOf(end),
    duration: timeOf(end > begin ? end - begin : 0n),
    ended: true,
    status: { code: span.status?.code ?? 0, ...(span.status?.message ? { message: span.status.message } : {}) },
    attributes: attributesOf(span.attributes),
    events: span.events.map(({ name, timeUnixNano, attributes, droppedAttributesCount }) => ({
      name,
      time: timeOf(timeUnixNano),
      attributes: attributesOf(attributes),
      droppedAttributesCount,
    })),
    links: span.links.flatMap(({ traceId, spanId, traceState, attributes, droppedAttributesCount }) => {
      const linked = contextOf(traceId, spanId, traceState);
      return linked === undefined
        ? []
        : [{ context: linked, attributes: attributesOf(attributes), droppedAttributesCount }];
    }),
    droppedAttributesCount: span.droppedAttributesCount,
    droppedEventsCount: span.droppedEventsCount,
    droppedLinksCount: span.droppedLinksCount,
  };
}

function contextOf(traceId: Uint8Array, spanId: Uint8Array, traceState: string): SpanContext | undefined {
  if (traceId.length !== TRACE_ID_BYTES || spanId.length !== SPAN_ID_BYTES) return undefined;
  return {
    traceId: Buffer.from(traceId).toString('hex'),
    spanId: Buffer.from(spanId).toString('hex'),
    // The sender has recorded it.
    traceFlags: TraceFlags.SAMPLED,
    isRemote: true,
    ...(traceState === '' ? {} : { traceState: new TraceState(traceState) }),
  };
}

function timeOf(nanoseconds: bigint): HrTime {
  return [Number(nanoseconds / 1_000_000_000n), Number(nanoseconds % 1_000_000_000n)];
}

function attributesOf(pairs: readonly KeyValue[]): Attributes {
  const found: Attributes = {};
  for (const { key, value } of pairs) {
    const plain = valueOf(value);
    if (plain !== undefined) found[key] = plain;
  }
  return found;
}

/** Values allowed as span attributes here; maps, bytes and mixed lists are not. */
function valueOf(value: AnyValue | undefined): string | number | boolean | string[] | undefined {
  switch (value?.value?.$case) {
    case 'stringValue':
    case 'boolValue':
    case 'doubleValue':
      return value.value.value;
    case 'intValue':
      return Number(value.value.value);
    case 'arrayValue': {
      const items = value.value.value.values.map(valueOf);
      const [first] = items;
      const isPlain = items.every((item) => typeof item === typeof first && typeof item !== 'object');
      return isPlain ? (items as string[]) : undefined;
    }
    default:
      return undefined;
  }
}
