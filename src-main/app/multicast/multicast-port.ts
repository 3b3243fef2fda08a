import { createSocket, type RemoteInfo, type Socket } from 'node:dgram';
import type { Clock, Timer } from '../../base/clock.ts';
import { Emitter } from '../../base/async/emitter.ts';
import { toArmatureError } from '../../base/errors.ts';
import type { Logger } from '../../base/logger.ts';
import { linksOf, type Interfaces, type Link } from './links.ts';

/** The address of all multicast DNS messages (RFC 6762, 3). */
const GROUP = '224.0.0.251';
export const MULTICAST_PORT = 5353;
/** A new network is noticed within this time. */
const LOOK_MS = 30_000;

export interface MulticastPortOptions {
  /** `os.networkInterfaces`. */
  readonly interfaces: () => Interfaces;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** One message from a network. */
export interface Datagram {
  readonly bytes: Buffer;
  readonly from: Pick<RemoteInfo, 'address' | 'port'>;
}

/** The networks that a user of the port wants to use. */
type Choice = (links: readonly Link[]) => readonly Link[];

/** The port of multicast DNS (IPv4), in the networks that its users need. */
export class MulticastPort {
  readonly #options: MulticastPortOptions;
  readonly #receiver: Socket;
  /** By this computer's address in each network that was joined. */
  readonly #senders = new Map<string, Socket>();
  readonly #choices = new Set<Choice>();
  readonly #received = new Emitter<Datagram>();
  #looking: Timer | undefined;
  #failure = '';
  #isClosed = false;

  private constructor(options: MulticastPortOptions) {
    this.#options = options;
    // Other programs on this computer answer at the same port.
    this.#receiver = createSocket({ type: 'udp4', reuseAddr: true });
    this.#receiver.on('message', (bytes, from) => this.#received.emit({ bytes, from }));
    this.#receiver.on('error', (error) => this.#fail(error));
  }

  /** Never rejects: if the port is not available, {@link failure} says why, and a warning is logged. */
  static async open(options: MulticastPortOptions): Promise<MulticastPort> {
    const port = new MulticastPort(options);
    await new Promise<void>((resolve) => {
      port.#receiver.once('close', resolve);
      port.#receiver.bind(MULTICAST_PORT, () => {
        port.#looking = options.clock.every(LOOK_MS, () => port.#updateInterfaces());
        resolve();
      });
    });
    return port;
  }

  /** Why the port cannot be used; '' if it can. */
  get failure(): string {
    return this.#failure;
  }

  /** The current networks of this computer. */
  links(): readonly Link[] {
    return linksOf(this.#options.interfaces());
  }

  /** Calls `listener` with each received message, wherever it is from. Returns an unsubscribe function. */
  onMessage(listener: (datagram: Datagram) => void): () => void {
    return this.#received.on(listener);
  }

  /** Joins networks, and follows changes of the list. Returns a function that undoes it. */
  join(choice: Choice): () => void {
    // Passed twice, it counts twice.
    const own: Choice = (links) => choice(links);
    this.#choices.add(own);
    this.#updateInterfaces();
    return () => {
      if (this.#choices.delete(own)) this.#updateInterfaces();
    };
  }

  /** @param address this computer's in the network; nothing is sent to a network that was not joined */
  send(address: string, bytes: Uint8Array): void {
    this.#senders.get(address)?.send(bytes, MULTICAST_PORT, GROUP, (error) => {
      if (error === null) return;
      this.#options.logger.debug(`Nothing was sent to the network of ${address}: ${error.message}`);
    });
  }

  /** Settles once all messages have been sent. */
  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#looking?.cancel();
    this.#received.clear();
    const senders = [...this.#senders.values()];
    this.#senders.clear();
    // Messages are passed to the system one tick later.
    await new Promise((resolve) => setImmediate(resolve));
    for (const sender of senders) sender.close();
    this.#receiver.close();
  }

  #fail(error: unknown): void {
    const { message } = toArmatureError(error);
    this.#failure = message;
    this.#options.logger.warn(`This machine and others cannot find each other in the local network: ${message}`);
    void this.close();
  }

  #updateInterfaces(): void {
    if (this.#isClosed) return;
    const links = this.links();
    const wanted = new Set([...this.#choices].flatMap((choice) => choice(links)).map(({ address }) => address));
    for (const [address, sender] of this.#senders) if (!wanted.has(address)) this.#leave(address, sender);
    for (const address of wanted) if (!this.#senders.has(address)) this.#enter(address);
  }

  #enter(address: string): void {
    const { logger } = this.#options;
    const failed = (error: unknown): void =>
      logger.debug(`Not found by name in the network of ${address}: ${toArmatureError(error).message}`);
    try {
      this.#receiver.addMembership(GROUP, address);
    } catch (error) {
      // Joining also fails where two addresses belong to one network, which is joined already.
      failed(error);
    }
    const sender = createSocket({ type: 'udp4', reuseAddr: true });
    this.#senders.set(address, sender);
    sender.on('error', (error) => {
      failed(error);
      this.#leave(address, sender);
    });
    sender.bind(MULTICAST_PORT, address, () => {
      try {
        sender.setMulticastInterface(address);
      } catch (error) {
        failed(error);
        this.#leave(address, sender);
      }
    });
  }

  #leave(address: string, sender: Socket): void {
    if (this.#senders.get(address) !== sender) return;
    this.#senders.delete(address);
    sender.close();
    try {
      this.#receiver.dropMembership(GROUP, address);
    } catch {
      // The membership ended with the network.
    }
  }
}
