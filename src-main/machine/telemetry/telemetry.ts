import { isDeepStrictEqual } from 'node:util';
import { Mutex } from '../../base/async/mutex.ts';
import { withTimeout } from '../../base/async/timeout.ts';
import type { Timer } from '../../base/clock.ts';
import { toArmatureError } from '../../base/errors.ts';
import type { Status } from '../../base/status.ts';
import type { CallScope, Interceptor, ServerCall } from '../../rpc/call.ts';
import type { StartCall } from '../../rpc/peer/outbound-call.ts';
import type { ResourceSpans } from '../../../proto/gen/opentelemetry/proto/trace/v1/trace.ts';
import type { TracingConfig } from '../config/machine-config.ts';
import { noTracing } from '../config/reading/read-tracing.ts';
import type { CallListener, TelemetryOptions } from './telemetry-options.ts';
import type { Traced } from './traced.ts';
import type { Tracing } from './tracing/tracing.ts';

/** Time limit for sending recorded spans when tracing ends. */
const LAST_SPANS_MS = 1_500;
/** How often metrics are printed. */
const PRINT_EVERY_MS = 10_000;

/**
 * Spans and metrics of a machine. Most machines have neither: the code that records them is loaded only when they are
 * enabled, and until then a call only checks that they are off.
 */
export class Telemetry {
  readonly #options: TelemetryOptions;
  readonly #hook = new CallHook();
  readonly #turns = new Mutex();
  #wanted: TracingConfig = noTracing;
  #tracing: Tracing | undefined;
  /** Settles when the last settings are applied; undefined if they are. Never rejects. */
  #change: Promise<void> | undefined;
  #metrics: CallListener | undefined;
  #printing: Timer | undefined;
  #setScope: (scope: CallScope | undefined) => void = () => undefined;

  constructor(options: TelemetryOptions) {
    this.#options = options;
    if (!options.printsMetrics) return;
    void this.#openMetrics().catch((thrown: unknown) => {
      options.logger.error(`Metrics are not printed: ${toArmatureError(thrown).message}`);
    });
  }

  /** For the router, after the interceptors that check access: refused calls are not recorded. */
  get interceptor(): Interceptor {
    return this.#hook;
  }

  /** Whether spans are recorded: modules that start are told. */
  get isTracing(): boolean {
    return !isOff(this.#wanted);
  }

  /** Where the scope of calls is set. */
  follow(setScope: (scope: CallScope | undefined) => void): void {
    this.#setScope = setScope;
    setScope(this.#tracing?.scope);
  }

  /** Applies a configuration. Problems are logged. */
  configure(wanted: TracingConfig): void {
    if (isDeepStrictEqual(wanted, this.#wanted)) return;
    this.#wanted = wanted;
    const change = this.#turns
      .run(() => this.#replace(wanted))
      .catch((thrown: unknown) => {
        this.#options.logger.error(`Tracing does not work: ${toArmatureError(thrown).message}`);
      })
      .finally(() => {
        if (this.#change === change) this.#change = undefined;
      });
    this.#change = change;
  }

  /** Settles when the configured settings are applied. */
  async settled(): Promise<void> {
    await this.#change;
  }

  /** Records calls made over `start` as children of the current call. */
  outbound(target: string, start: StartCall): StartCall {
    return (path, metadata, timeoutMs, responder) =>
      this.#tracing === undefined
        ? start(path, metadata, timeoutMs, responder)
        : this.#tracing.startOutbound(target, start, path, metadata, timeoutMs, responder);
  }

  /** Also records work that starts while the recorder is being loaded: most work of a start. */
  readonly traced: Traced = (name, attributes, work) => {
    if (this.#tracing !== undefined) return this.#tracing.traced(name, attributes, work);
    if (this.#change === undefined || !this.isTracing) return work();
    return this.#change.then(() => this.#tracing?.traced(name, attributes, work) ?? work());
  };

  /** Records spans from a module. Without tracing they are dropped: the module may not know yet that it is off. */
  receive(spans: readonly ResourceSpans[]): void {
    this.#tracing?.receive(spans);
  }

  /** Sends recorded spans, for a limited time, and closes. */
  async close(): Promise<void> {
    this.#printing?.cancel();
    this.configure(noTracing);
    await this.#change;
  }

  async #replace(wanted: TracingConfig): Promise<void> {
    const { logger } = this.#options;
    const before = this.#tracing;
    this.#tracing = undefined;
    this.#listen();
    // First, because two would write to the same files.
    if (before !== undefined) await this.#end(before);
    if (isOff(wanted)) {
      if (before !== undefined) logger.info('Tracing is off.');
      return;
    }
    const { openTracing } = await import('./tracing/open-tracing.ts');
    this.#tracing = await openTracing(wanted, { ...this.#options, folder: this.#options.folder() });
    this.#listen();
    logger.info('Tracing is on. Modules that run already record spans of their own after their next start.');
  }

  /** An unreachable collector must not delay the next configuration or the end of the program. */
  #end(tracing: Tracing): Promise<void> {
    const { clock } = this.#options;
    return withTimeout(() => tracing.close(), { clock, ms: LAST_SPANS_MS, onTimeout: () => undefined });
  }

  async #openMetrics(): Promise<void> {
    const { clock, figures, print } = this.#options;
    const { CallMetrics } = await import('./metrics/call-metrics.ts');
    const metrics = new CallMetrics(clock, figures);
    this.#metrics = metrics;
    this.#listen();
    this.#printing = clock.every(PRINT_EVERY_MS, () => void metrics.text().then(print));
  }

  #listen(): void {
    this.#hook.listeners = [this.#tracing, this.#metrics].filter((one) => one !== undefined);
    this.#setScope(this.#tracing?.scope);
  }
}

function isOff({ console, disk, otlp }: TracingConfig): boolean {
  return !console && !disk && otlp === undefined;
}

/** Has no hooks while nothing is recorded. */
class CallHook implements Interceptor {
  readonly name = 'telemetry';
  request: ((call: ServerCall) => void) | undefined;
  end: ((call: ServerCall, status: Status) => void) | undefined;

  set listeners(listeners: readonly CallListener[]) {
    const isHeard = listeners.length > 0;
    this.request = isHeard ? (call) => listeners.forEach((one) => one.begin(call)) : undefined;
    this.end = isHeard ? (call, status) => listeners.forEach((one) => one.end(call, status)) : undefined;
  }
}
