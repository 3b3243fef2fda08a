/** How a call failed. `code` is for programs, `message` for people. */
export class RpcError extends Error {
  /** One of {@link StatusCode}, or a number that a newer server sent. */
  readonly code: number;
  /** Metadata that came with the end of the call. Keys are lower case. */
  readonly trailers: Readonly<Record<string, readonly string[]>>;

  constructor(code: number, message: string, trailers: Readonly<Record<string, readonly string[]>> = {}) {
    super(message);
    this.name = 'RpcError';
    this.code = code;
    this.trailers = trailers;
  }
}
