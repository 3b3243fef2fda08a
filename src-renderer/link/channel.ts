/** A message that a channel can carry, such as every generated message. */
export interface MessageType<T> {
  encode(message: T): { finish(): Uint8Array };
  decode(bytes: Uint8Array): T;
}

export interface CallOptions {
  /** Cancels the call. */
  readonly signal?: AbortSignal;
  /** The call fails with DEADLINE_EXCEEDED after this long; the server stops working on it then, too. */
  readonly timeoutMs?: number;
  /** Sent with the call. Keys are lower case. */
  readonly metadata?: Readonly<Record<string, string>>;
}

/** One call in bytes. */
export interface CallSpec {
  /** `/package.Service/Method`. */
  readonly path: string;
  /** One request for a method that does not stream them; no end of requests is sent after it. */
  readonly requests: AsyncIterable<Uint8Array> | readonly [Uint8Array];
  readonly options: CallOptions;
}

/**
 * Carries calls. The iterable yields the responses and throws an RpcError if the
 * call fails; leaving its loop early cancels the call.
 */
export interface Channel {
  call(spec: CallSpec): AsyncIterable<Uint8Array>;
}
