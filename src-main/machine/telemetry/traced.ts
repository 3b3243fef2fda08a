/** What a span may say: never what callers sent, nor anything secret. */
export type SpanAttributes = Readonly<Record<string, string | number | boolean>>;

/** Does some work of the machine within a span of its own, where spans are recorded. */
export type Traced = <T>(name: string, attributes: SpanAttributes, work: () => Promise<T>) => Promise<T>;

/** Records nothing. */
export const untraced: Traced = (_name, _attributes, work) => work();
