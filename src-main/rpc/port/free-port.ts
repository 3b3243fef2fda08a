import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';

/**
 * A TCP port of this computer that was free a moment ago: for programs that take a port number, not an open socket.
 * Another program may take the port first.
 */
export async function freePort(): Promise<number> {
  const server = createServer();
  server.listen({ host: '127.0.0.1', port: 0 });
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}
