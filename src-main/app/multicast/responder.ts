import { createSocket, type RemoteInfo, type Socket } from 'node:dgram';
import { decode, encode } from 'dns-packet';
import type { Clock, Timer } from '../../base/clock.ts';
import { toArmatureError } from '../../base/errors.ts';
import type { Logger } from '../../base/logger.ts';
import { TokenBucket } from '../../base/async/token-bucket.ts';
import { isQuery, responsesTo, type Response } from './answers.ts';
import { linksOf, linkTo, servedLinks, type Interfaces, type Link } from './links.ts';
import { Pace } from './pace.ts';

/** Where everybody in a network asks (RFC 6762, 3). */
const GROUP = '224.0.0.251';
const PORT = 5353;
/** An answer is not sent again into a network before this (RFC 6762, 6). */
const REPEAT_MS = 1_000;
/** Of what asks, read a second: some milliseconds of work, and room for hundreds who ask. A flood costs no more. */
const READ_BYTES = 64 * 1024;
/** A network that comes later is noticed within this. */
const LOOK_MS = 30_000;

export interface ResponderOptions {
  /** What the machine's port is bound to: an address, `localhost`, or '' for all. */
  readonly host: string;
  readonly port: number;
  /** The machine's full names at this moment. */
  readonly names: () => readonly string[];
  /** `os.networkInterfaces`. */
  readonly interfaces: () => Interfaces;
  readonly clock: Clock;
  readonly logger: Logger;
}

/**
 * Answers whoever looks for this machine by name in a local network (multicast DNS, IPv4). It says nothing unasked, and
 * only in networks from which the machine's port is reached.
 */
export class MulticastResponder {
  readonly #options: ResponderOptions;
  readonly #receiver: Socket;
  /** By this computer's address in each network that is answered. */
  readonly #senders = new Map<string, Socket>();
  readonly #pace: Pace;
  readonly #reading: TokenBucket;
  #looking: Timer | undefined;
  #isClosed = false;

  private constructor(options: ResponderOptions) {
    this.#options = options;
    this.#pace = new Pace(options.clock, REPEAT_MS);
    this.#reading = new TokenBucket(options.clock, { capacity: READ_BYTES, perSecond: READ_BYTES });
    // Others of this computer answer at the same port.
    this.#receiver = createSocket({ type: 'udp4', reuseAddr: true });
    this.#receiver.on('message', (bytes, from) => this.#receive(bytes, from));
    this.#receiver.on('error', (error) => this.#fail(error));
  }

  /** Answers from when this settles; where it cannot, that is a warning, and the machine is found by its address only. */
  static async start(options: ResponderOptions): Promise<MulticastResponder> {
    const responder = new MulticastResponder(options);
    await new Promise<void>((resolve) => {
      responder.#receiver.once('close', resolve);
      responder.#receiver.bind(PORT, () => {
        responder.#look();
        responder.#looking = options.clock.every(LOOK_MS, () => responder.#look());
        resolve();
      });
    });
    return responder;
  }

  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#looking?.cancel();
    this.#pace.stop();
    for (const sender of this.#senders.values()) sender.close();
    this.#receiver.close();
  }

  #fail(error: unknown): void {
    const { message } = toArmatureError(error);
    this.#options.logger.warn(`Nobody finds this machine by its name in the local network: ${message}`);
    this.close();
  }

  /** Follows what networks there are. */
  #look(): void {
    const served = servedLinks(linksOf(this.#options.interfaces()), this.#options.host);
    for (const [address, sender] of this.#senders) {
      if (!served.some((link) => link.address === address)) this.#leave(address, sender);
    }
    for (const { address } of served) if (!this.#senders.has(address)) this.#join(address);
  }

  #join(address: string): void {
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
    sender.bind(PORT, address, () => {
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

  #receive(bytes: Buffer, from: RemoteInfo): void {
    if (!isQuery(bytes) || !this.#reading.take(bytes.length)) return;
    const names = this.#options.names();
    if (names.length === 0) return;
    try {
      const message = decode(bytes);
      // Most of what is said in a network is about others: whom to answer is worked out only for what is about us.
      if (responsesTo(message, { names, port: 0, address: '0.0.0.0' }).length === 0) return;
      const links = linksOf(this.#options.interfaces());
      const link = linkTo(from.address, links, servedLinks(links, this.#options.host));
      if (link === undefined) return;
      const { port } = this.#options;
      for (const response of responsesTo(message, { names, port, address: link.address })) this.#answer(link, response);
    } catch (error) {
      this.#options.logger.debug(`No multicast DNS from ${from.address}: ${toArmatureError(error).message}`);
    }
  }

  #answer(link: Link, { about, packet }: Response): void {
    const send = (): void =>
      this.#senders.get(link.address)?.send(encode(packet), PORT, GROUP, (error) => {
        if (error === null) return;
        this.#options.logger.debug(`Not answered in the network of ${link.address}: ${error.message}`);
      });
    // What stays in this computer fills nobody's network.
    if (link.isLoopback) send();
    else this.#pace.run(`${link.address} ${about}`, send);
  }
}
