import { createSocket, type Socket } from 'node:dgram';
import { once } from 'node:events';

/** The network between two peers: it can delay or lose packets, or stop. */
export class UdpRelay {
  /** Delay in each direction. */
  delayMs = 0;
  /** Share of packets lost in each direction, 0 to 1. */
  loss = 0;
  isCut = false;
  readonly port: number;
  readonly #near: Socket;
  readonly #far: Socket;
  /** The last sender to this relay. */
  #caller: { readonly address: string; readonly port: number } | undefined;

  private constructor(near: Socket, far: Socket, target: { readonly address: string; readonly port: number }) {
    this.#near = near;
    this.#far = far;
    this.port = near.address().port;
    near.on('message', (packet, from) => {
      this.#caller = from;
      this.#pass(() => far.send(packet, target.port, target.address));
    });
    far.on('message', (packet) => {
      const { port, address } = this.#caller ?? { port: 0, address: '' };
      this.#pass(() => near.send(packet, port, address));
    });
  }

  /** Starts a relay at 127.0.0.1 to a UDP port. */
  static async start(target: { readonly address: string; readonly port: number }): Promise<UdpRelay> {
    const sockets = [createSocket('udp4'), createSocket('udp4')] as const;
    await Promise.all(sockets.map((socket) => once(socket.bind(0), 'listening')));
    return new UdpRelay(...sockets, target);
  }

  close(): void {
    this.isCut = true;
    this.#near.close();
    this.#far.close();
  }

  #pass(send: () => void): void {
    if (Math.random() < this.loss) return;
    const go = (): void => {
      if (!this.isCut) send();
    };
    if (this.delayMs === 0) go();
    else setTimeout(go, this.delayMs);
  }
}
