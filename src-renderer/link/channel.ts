/** What can be moved over a channel; generated messages are. */
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
  /** The requests. One for a method that does not stream them: then nothing follows it on the wire. */
  readonly requests: AsyncIterable<Uint8Array> | readonly [Uint8Array];
  readonly options: CallOptions;
}

/**
 * Where calls go. The iterable yields the responses and throws an RpcError
 * where the call fails; leaving its loop early cancels the call.
 */
export interface Channel {
  call(spec: CallSpec): AsyncIterable<Uint8Array>;
}
