/** Attributes of a span: never what callers sent, and no secrets. */
export type SpanAttributes = Readonly<Record<string, string | number | boolean>>;

/** Runs work of the machine in its own span, if spans are recorded. */
export type Traced = <T>(name: string, attributes: SpanAttributes, work: () => Promise<T>) => Promise<T>;

/** Records work of the machine while recording is on. */
export interface SpanRecorder {
  /** Whether spans are recorded. If not, work is best called directly, which keeps the stack short. */
  readonly isTracing: boolean;
  readonly traced: Traced;
}

/** Records nothing. */
export const noSpans: SpanRecorder = { isTracing: false, traced: (_name, _attributes, work) => work() };
