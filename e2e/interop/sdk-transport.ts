import { createGrpcTransport } from '@connectrpc/connect-node';

/** What the SDK hands to a transport factory. */
interface TransportOptions {
  readonly baseUrl: string;
  readonly interceptors?: never[];
}

/**
 * Makes the public SDK speak gRPC over HTTP/2 in Node, as its documentation
 * says: it looks for a factory in `globalThis.VIAM`.
 * @param authority certificate to trust beside those that Node trusts, PEM
 */
export function useGrpcTransport(authority?: string): void {
  const holder = globalThis as { VIAM?: { GRPC_TRANSPORT_FACTORY?: (options: unknown) => unknown } };
  holder.VIAM = {
    GRPC_TRANSPORT_FACTORY: (options) =>
      createGrpcTransport({
        ...(options as TransportOptions),
        httpVersion: '2',
        ...(authority === undefined ? {} : { nodeOptions: { ca: authority } }),
      }),
  };
}
