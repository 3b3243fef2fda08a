/** gRPC status codes, with their wire numbers (grpc/grpc: doc/statuscodes.md). */
export const RpcCode = {
  OK: 0,
  CANCELLED: 1,
  UNKNOWN: 2,
  INVALID_ARGUMENT: 3,
  DEADLINE_EXCEEDED: 4,
  NOT_FOUND: 5,
  ALREADY_EXISTS: 6,
  PERMISSION_DENIED: 7,
  RESOURCE_EXHAUSTED: 8,
  FAILED_PRECONDITION: 9,
  ABORTED: 10,
  OUT_OF_RANGE: 11,
  UNIMPLEMENTED: 12,
  INTERNAL: 13,
  UNAVAILABLE: 14,
  DATA_LOSS: 15,
  UNAUTHENTICATED: 16,
} as const;

/** How a call failed. `code` says what programs need; `message` is for people. */
export class RpcError extends Error {
  /** One of {@link RpcCode}, or a number that a newer server sent. */
  readonly code: number;
  /** What came with the end of the call. Keys are lower case. */
  readonly trailers: Readonly<Record<string, readonly string[]>>;

  constructor(code: number, message: string, trailers: Readonly<Record<string, readonly string[]>> = {}) {
    super(message);
    this.name = 'RpcError';
    this.code = code;
    this.trailers = trailers;
  }
}
