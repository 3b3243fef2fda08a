import { SpanKind, SpanStatusCode } from '@opentelemetry/api';
import { ExportResultCode, hrTimeToMilliseconds, type ExportResult } from '@opentelemetry/core';
import type { ReadableSpan, SpanExporter } from '@opentelemetry/sdk-trace';
import { StatusCode } from '../../../base/status.ts';

const codeNames = new Map<number, string>(Object.entries(StatusCode).map(([name, code]) => [code, name]));
/** The word for each kind of span. */
const kinds: Readonly<Record<SpanKind, string>> = {
  [SpanKind.INTERNAL]: 'work',
  [SpanKind.SERVER]: 'call',
  [SpanKind.CLIENT]: 'sent',
  [SpanKind.PRODUCER]: 'work',
  [SpanKind.CONSUMER]: 'work',
};
/** Most characters shown of a text from another program. */
const LONGEST_TEXT = 120;

/** Prints a line for each span. */
export class ConsoleSpans implements SpanExporter {
  readonly #print: (text: string) => void;

  constructor(print: (text: string) => void) {
    this.#print = print;
  }

  export(spans: ReadableSpan[], settle: (result: ExportResult) => void): void {
    this.#print(spans.map((span) => `${spanLine(span)}\n`).join(''));
    settle({ code: ExportResultCode.SUCCESS });
  }

  shutdown(): Promise<void> {
    return Promise.resolve();
  }
}

/** `span <trace> <span> <parent> <time> <duration> <kind> <name> <resource> <result>`: one line, in this order. */
export function spanLine(span: ReadableSpan): string {
  const { traceId, spanId } = span.spanContext();
  const { attributes } = span;
  const code = attributes['rpc.grpc.status_code'];
  const isFailed = span.status.code === SpanStatusCode.ERROR;
  const outcome = typeof code === 'number' ? (codeNames.get(code) ?? String(code)) : isFailed ? 'FAILED' : 'OK';
  const word = (key: string, before: string): readonly string[] => {
    const value = attributes[key];
    return typeof value === 'string' ? [before + value] : [];
  };
  const words = [...word('machine.resource', ''), ...word('peer.service', 'to '), ...word('machine.caller', 'by ')];
  return [
    'span',
    traceId,
    spanId,
    span.parentSpanContext?.spanId ?? '-'.repeat(16),
    new Date(hrTimeToMilliseconds(span.startTime)).toISOString(),
    `${hrTimeToMilliseconds(span.duration).toFixed(2)}ms`,
    kinds[span.kind],
    ...[span.name, ...words].map(plain),
    outcome,
  ].join(' ');
}

/** Modules choose names: their text must not control a terminal or look like another line. */
function plain(text: string): string {
  return text.slice(0, LONGEST_TEXT).replace(/[^\x20-\x7e]/g, '?');
}
