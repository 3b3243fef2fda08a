import { once } from 'node:events';
import { createServer } from 'node:net';

/**
 * A TCP port of this computer that was free a moment ago. Modules take the
 * number of a port, not a socket that is open (wire contract 3.1): where
 * another program was quicker, the start fails and the next one has another.
 */
export async function freePort(): Promise<number> {
  const server = createServer();
  server.listen({ host: '127.0.0.1', port: 0 });
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  return typeof address === 'object' && address !== null ? address.port : 0;
}
