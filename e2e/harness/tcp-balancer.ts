import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';

/** A load balancer: gives each connection to the next of several servers and skips those that do not answer. */
export class TcpBalancer {
  readonly #server: Server;
  readonly #ports: readonly number[];
  readonly #sockets = new Set<Socket>();
  #next = 0;

  private constructor(ports: readonly number[]) {
    this.#ports = ports;
    this.#server = createServer({ allowHalfOpen: true }, (client) => void this.#lead(client));
  }

  /** @param port where it listens; 0 means a free one */
  static async start(ports: readonly number[], port = 0): Promise<TcpBalancer> {
    const balancer = new TcpBalancer(ports);
    balancer.#server.listen(port, 'localhost');
    await once(balancer.#server, 'listening');
    return balancer;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  async close(): Promise<void> {
    this.#server.close();
    for (const socket of this.#sockets) socket.destroy();
    await once(this.#server, 'close');
  }

  async #lead(client: Socket): Promise<void> {
    this.#follow(client);
    const first = this.#next++;
    for (let tried = 0; tried < this.#ports.length; tried++) {
      const server = connect({
        host: 'localhost',
        port: this.#ports[(first + tried) % this.#ports.length] ?? 0,
        allowHalfOpen: true,
      });
      this.#follow(server);
      try {
        await once(server, 'connect');
      } catch {
        continue;
      }
      server.on('close', () => client.destroy());
      client.on('close', () => server.destroy());
      client.pipe(server).pipe(client);
      return;
    }
    client.destroy();
  }

  #follow(socket: Socket): void {
    this.#sockets.add(socket);
    socket.on('error', () => socket.destroy());
    socket.on('close', () => this.#sockets.delete(socket));
  }
}
