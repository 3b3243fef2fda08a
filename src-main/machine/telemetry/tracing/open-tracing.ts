import { BatchSpanProcessor, type SpanExporter, type SpanProcessor } from '@opentelemetry/sdk-trace';
import type { TracingConfig } from '../../config/machine-config.ts';
import type { TelemetryOptions } from '../telemetry-options.ts';
import { ConsoleSpans } from './console-spans.ts';
import { SpanFiles } from './span-files.ts';
import { SpanUpload } from './span-upload.ts';
import { FailureLoggingExporter } from './failure-logging-exporter.ts';
import { Tracing } from './tracing.ts';

/** Spans that may wait for one destination; more are dropped, so that an unreachable collector costs no memory. */
const MAX_WAITING = 2_048;
const BATCH_SPANS = 512;
const EVERY_MS = 2_000;
/** Time limit for one batch; closing waits no longer for the last one. */
const BATCH_MS = 5_000;

export type TracingOptions = Pick<
  TelemetryOptions,
  'clock' | 'logger' | 'machine' | 'version' | 'print' | 'connect'
> & {
  readonly folder: string;
};

/**
 * Records spans to each destination that the configuration names. Problems of a destination are logged when spans are
 * sent.
 */
export async function openTracing(config: TracingConfig, options: TracingOptions): Promise<Tracing> {
  const { clock, logger, machine, version, print, connect, folder } = options;
  const processors: SpanProcessor[] = [];
  const add = (place: string, exporter: SpanExporter): void => {
    processors.push(
      new BatchSpanProcessor({
        exporter: new FailureLoggingExporter(exporter, place, logger),
        maxQueueSize: MAX_WAITING,
        maxExportBatchSize: BATCH_SPANS,
        scheduledDelayMillis: EVERY_MS,
        exportTimeoutMillis: BATCH_MS,
      }),
    );
  };
  if (config.console) add('standard output', new ConsoleSpans(print));
  if (config.disk) add(`files in ${folder}`, new SpanFiles(folder));
  if (config.otlp !== undefined) {
    const place = config.otlp.protocol === 'grpc' ? config.otlp.address.text : new URL(config.otlp.url).host;
    add(`the collector ${place}`, await SpanUpload.open(config.otlp, { clock, connect, limitMs: BATCH_MS }));
  }
  return new Tracing({ clock, machine, version, processors });
}
