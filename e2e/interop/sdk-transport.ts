import { createGrpcTransport } from '@connectrpc/connect-node';

/** Passed by the SDK to a transport factory. */
interface TransportOptions {
  readonly baseUrl: string;
  readonly interceptors?: never[];
}

/**
 * Makes the public SDK use gRPC over HTTP/2 in Node, as its documentation describes: it looks for a factory in
 * `globalThis.VIAM`.
 * @param authority certificate to trust besides those that Node trusts, PEM
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
