import { ExportResultCode, type ExportResult } from '@opentelemetry/core';
import type { ReadableSpan, SpanExporter } from '@opentelemetry/sdk-trace';
import type { Logger } from '../../../base/logger.ts';

/** Logs once when an exporter starts to fail, and once when it works again. */
export class FailureLoggingExporter implements SpanExporter {
  readonly #exporter: SpanExporter;
  readonly #destination: string;
  readonly #logger: Logger;
  /** Spans lost since the last successful export. */
  #lost = 0;

  /** @param destination in messages: `the collector localhost:4317` */
  constructor(exporter: SpanExporter, destination: string, logger: Logger) {
    this.#exporter = exporter;
    this.#destination = destination;
    this.#logger = logger;
  }

  export(spans: ReadableSpan[], settle: (result: ExportResult) => void): void {
    this.#exporter.export(spans, (result) => {
      this.#record(spans.length, result);
      settle(result);
    });
  }

  shutdown(): Promise<void> {
    return this.#exporter.shutdown();
  }

  #record(count: number, { code, error }: ExportResult): void {
    if (code === ExportResultCode.SUCCESS) {
      if (this.#lost > 0) this.#logger.info(`Spans arrive at ${this.#destination} again; ${this.#lost} were lost.`);
      this.#lost = 0;
      return;
    }
    const isFirst = this.#lost === 0;
    this.#lost += count;
    if (!isFirst) return;
    const reason = (error?.message ?? 'it does not say why').replace(/\.$/, '');
    this.#logger.warn(
      `Spans do not arrive at ${this.#destination}: ${reason}. They are dropped until they do; see "tracing" in the configuration.`,
    );
  }
}
