import { ExportResultCode, type ExportResult } from '@opentelemetry/core';
import type { ReadableSpan, SpanExporter } from '@opentelemetry/sdk-trace';
import type { Logger } from '../../../base/logger.ts';

/** Tells in the log when spans cease to arrive at a place, and when they do again: once each, however long it lasts. */
export class ToldExporter implements SpanExporter {
  readonly #exporter: SpanExporter;
  readonly #place: string;
  readonly #logger: Logger;
  /** Spans that were lost since the last one that arrived. */
  #lost = 0;

  /** @param place as sentences call it: `the collector localhost:4317` */
  constructor(exporter: SpanExporter, place: string, logger: Logger) {
    this.#exporter = exporter;
    this.#place = place;
    this.#logger = logger;
  }

  export(spans: ReadableSpan[], settle: (result: ExportResult) => void): void {
    this.#exporter.export(spans, (result) => {
      this.#note(spans.length, result);
      settle(result);
    });
  }

  shutdown(): Promise<void> {
    return this.#exporter.shutdown();
  }

  #note(count: number, { code, error }: ExportResult): void {
    if (code === ExportResultCode.SUCCESS) {
      if (this.#lost > 0) this.#logger.info(`Spans arrive at ${this.#place} again; ${this.#lost} were lost.`);
      this.#lost = 0;
      return;
    }
    const isFirst = this.#lost === 0;
    this.#lost += count;
    if (!isFirst) return;
    const reason = (error?.message ?? 'it does not say why').replace(/\.$/, '');
    this.#logger.warn(
      `Spans do not arrive at ${this.#place}: ${reason}. They are dropped until they do; see "tracing" in the configuration.`,
    );
  }
}
