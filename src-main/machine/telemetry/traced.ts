/** What a span may say: never what callers sent, nor anything secret. */
export type SpanAttributes = Readonly<Record<string, string | number | boolean>>;

/** Does some work of the machine within a span of its own, where spans are recorded. */
export type Traced = <T>(name: string, attributes: SpanAttributes, work: () => Promise<T>) => Promise<T>;

/** Records work of the machine, while that is wanted. */
export interface SpanRecorder {
  /** Whether spans are recorded. Where they are not, work is best called directly: a stack then has nothing in between. */
  readonly isTracing: boolean;
  readonly traced: Traced;
}

/** Records nothing. */
export const noSpans: SpanRecorder = { isTracing: false, traced: (_name, _attributes, work) => work() };
