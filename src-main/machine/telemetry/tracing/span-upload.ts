import { ExportResultCode, type ExportResult } from '@opentelemetry/core';
import { ProtobufTraceSerializer } from '@opentelemetry/otlp-transformer';
import type { ReadableSpan, SpanExporter } from '@opentelemetry/sdk-trace';
import { sleep, type Clock } from '../../../base/clock.ts';
import { toArmatureError } from '../../../base/errors.ts';
import { StatusCode, type Status } from '../../../base/status.ts';
import type { PeerCaller } from '../../../rpc/peer/outbound-call.ts';
import type { OtlpEndpoint } from '../../config/machine-config.ts';
import type { TelemetryOptions } from '../telemetry-options.ts';

const EXPORT = '/opentelemetry.proto.collector.trace.v1.TraceService/Export';
/** Delay before a retry at a collector that is busy, or was briefly unreachable. */
const RETRY_MS = 1_000;
/** Statuses that allow a retry (OpenTelemetry protocol, "Failures"). */
const transient: ReadonlySet<StatusCode> = new Set([
  StatusCode.CANCELLED,
  StatusCode.DEADLINE_EXCEEDED,
  StatusCode.ABORTED,
  StatusCode.OUT_OF_RANGE,
  StatusCode.UNAVAILABLE,
  StatusCode.DATA_LOSS,
]);
const transientHttp: ReadonlySet<number> = new Set([429, 502, 503, 504]);

/** Sends one request, and reports what went wrong. */
interface Wire {
  send(
    request: Uint8Array,
    limitMs: number,
  ): Promise<{ readonly reason: string; readonly isTransient: boolean } | undefined>;
  close(): void;
}

export interface SpanUploadOptions extends Pick<TelemetryOptions, 'clock' | 'connect'> {
  /** Time limit for one batch with its retries. */
  readonly limitMs: number;
}

/** Sends spans to an OpenTelemetry collector. */
export class SpanUpload implements SpanExporter {
  readonly #wire: Wire;
  readonly #clock: Clock;
  readonly #limitMs: number;

  private constructor(wire: Wire, { clock, limitMs }: SpanUploadOptions) {
    this.#wire = wire;
    this.#clock = clock;
    this.#limitMs = limitMs;
  }

  /** Settles even if the collector is unreachable: the first batch reports that. */
  static async open(endpoint: OtlpEndpoint, options: SpanUploadOptions): Promise<SpanUpload> {
    if (endpoint.protocol === 'http') return new SpanUpload(httpWire(endpoint.url), options);
    return new SpanUpload(grpcWire(await options.connect(endpoint.address)), options);
  }

  export(spans: ReadableSpan[], settle: (result: ExportResult) => void): void {
    const request = ProtobufTraceSerializer.serializeRequest(spans) ?? new Uint8Array();
    this.#send(request).then(
      () => settle({ code: ExportResultCode.SUCCESS }),
      (thrown: unknown) => settle({ code: ExportResultCode.FAILED, error: toArmatureError(thrown) }),
    );
  }

  shutdown(): Promise<void> {
    this.#wire.close();
    return Promise.resolve();
  }

  async #send(request: Uint8Array): Promise<void> {
    const end = this.#clock.monotonic() + this.#limitMs;
    for (;;) {
      const failure = await this.#wire.send(request, Math.max(1, end - this.#clock.monotonic()));
      if (failure === undefined) return;
      const isLast = !failure.isTransient || this.#clock.monotonic() + RETRY_MS >= end;
      if (isLast) throw new Error(failure.reason);
      await sleep(this.#clock, RETRY_MS);
    }
  }
}

function grpcWire(collector: PeerCaller): Wire {
  const call = (request: Uint8Array, limitMs: number): Promise<Status> =>
    new Promise((resolve) => {
      const sink = collector.start(EXPORT, {}, limitMs, {
        headers: () => undefined,
        message: () => undefined,
        end: resolve,
      });
      void sink.message(request);
      sink.halfClose();
    });
  return {
    async send(request, limitMs) {
      const { code, message } = await call(request, limitMs);
      return code === StatusCode.OK ? undefined : { reason: message, isTransient: transient.has(code) };
    },
    close: () => collector.close(),
  };
}

function httpWire(url: string): Wire {
  const ending = new AbortController();
  return {
    async send(request, limitMs) {
      try {
        const response = await fetch(url, {
          method: 'POST',
          headers: { 'content-type': 'application/x-protobuf' },
          body: Buffer.from(request),
          redirect: 'error',
          signal: AbortSignal.any([ending.signal, AbortSignal.timeout(Math.ceil(limitMs))]),
        });
        // An unread body would keep the connection open.
        await response.body?.cancel();
        if (response.ok) return undefined;
        const { status, statusText } = response;
        return { reason: `it answered ${status} ${statusText}`.trimEnd(), isTransient: transientHttp.has(status) };
      } catch (thrown) {
        // "fetch failed" says nothing; the reason is its cause.
        const { cause = thrown } = thrown as Error;
        return { reason: toArmatureError(cause).message, isTransient: !ending.signal.aborted };
      }
    },
    close: () => ending.abort(),
  };
}
