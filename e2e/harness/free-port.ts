import { createServer, type AddressInfo } from 'node:net';

/** A TCP port of this computer that nobody uses now: for a server that has to come back at the same address. */
export function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', reject);
    server.listen(0, 'localhost', () => {
      const { port } = server.address() as AddressInfo;
      server.close(() => resolve(port));
    });
  });
}
