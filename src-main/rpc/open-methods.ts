/** Methods that answer whoever asks: they need no proof. */
export const OPEN_METHODS: ReadonlySet<string> = new Set([
  '/proto.rpc.v1.AuthService/Authenticate',
  '/grpc.health.v1.Health/Check',
  '/grpc.health.v1.Health/Watch',
]);

/** Largest request of such a method, inflated or not: an id with a key or a token, or the name of a service. */
export const MAX_OPEN_REQUEST_BYTES = 8 * 1024;
