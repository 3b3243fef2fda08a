import { AuthServiceDefinition } from '../../proto/gen/proto/rpc/v1/auth.ts';
import type { GrpcClient } from './grpc-client.ts';

export const keyId = '8a6d2c34-5b7e-4b0e-9a41-6f2f7c1d9e55';
export const key = 'k3y-of-the-tests-0123456789abcdef';

/** A configuration with one API key under `auth.handlers`. */
export function withApiKey(config: string, id = keyId, secret = key): string {
  const auth = { handlers: [{ type: 'api-key', config: { [id]: secret, keys: [id] } }] };
  return JSON.stringify({ ...(JSON.parse(config) as object), auth }, null, 2);
}

/** Exchanges the key for a token. Rejects with the error of the call. */
export async function authenticate(client: GrpcClient, entity = keyId, payload = key): Promise<string> {
  const request = { entity, credentials: { type: 'api-key', payload } };
  return (await client.call(AuthServiceDefinition, 'authenticate', request)).accessToken;
}
