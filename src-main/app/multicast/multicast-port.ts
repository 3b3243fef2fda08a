import { createSocket, type RemoteInfo, type Socket } from 'node:dgram';
import type { Clock, Timer } from '../../base/clock.ts';
import { Emitter } from '../../base/async/emitter.ts';
import { toArmatureError } from '../../base/errors.ts';
import type { Logger } from '../../base/logger.ts';
import { linksOf, type Interfaces, type Link } from './links.ts';

/** Where everybody in a network asks and answers (RFC 6762, 3). */
const GROUP = '224.0.0.251';
export const MULTICAST_PORT = 5353;
/** A network that comes later is noticed within this. */
const LOOK_MS = 30_000;

export interface MulticastPortOptions {
  /** `os.networkInterfaces`. */
  readonly interfaces: () => Interfaces;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** One message of a network. */
export interface Datagram {
  readonly bytes: Buffer;
  readonly from: Pick<RemoteInfo, 'address' | 'port'>;
}

/** The networks that a user of the port wants to use. */
type Choice = (links: readonly Link[]) => readonly Link[];

/** The port of multicast DNS (IPv4), in the networks that its users want. */
export class MulticastPort {
  readonly #options: MulticastPortOptions;
  readonly #receiver: Socket;
  /** By this computer's address in each network that it is in. */
  readonly #senders = new Map<string, Socket>();
  readonly #choices = new Set<Choice>();
  readonly #received = new Emitter<Datagram>();
  #looking: Timer | undefined;
  #failure = '';
  #isClosed = false;

  private constructor(options: MulticastPortOptions) {
    this.#options = options;
    // Others of this computer answer at the same port.
    this.#receiver = createSocket({ type: 'udp4', reuseAddr: true });
    this.#receiver.on('message', (bytes, from) => this.#received.emit({ bytes, from }));
    this.#receiver.on('error', (error) => this.#fail(error));
  }

  /** Never rejects: where there is no such port, {@link failure} says why, and it is a warning. */
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

  /** Why it is of no use; '' while it is. */
  get failure(): string {
    return this.#failure;
  }

  /** The networks of this computer at this moment. */
  links(): readonly Link[] {
    return linksOf(this.#options.interfaces());
  }

  /** Calls back with what comes, from wherever. Returns an unsubscribe function. */
  onMessage(listener: (datagram: Datagram) => void): () => void {
    return this.#received.on(listener);
  }

  /** Joins networks, and follows which there are. Returns a function that undoes it. */
  join(choice: Choice): () => void {
    // One that is given twice counts twice.
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
    // Messages are handed to the system a tick later.
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
      // Also where two addresses are of one network, which is in already.
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
      // The network took it along.
    }
  }
}
