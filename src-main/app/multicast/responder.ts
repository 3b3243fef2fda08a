import { decode, encode } from 'dns-packet';
import type { Clock } from '../../base/clock.ts';
import { toArmatureError } from '../../base/errors.ts';
import type { Logger } from '../../base/logger.ts';
import { TokenBucket } from '../../base/async/token-bucket.ts';
import { goodbyeOf, responsesTo, type Response } from './answers.ts';
import { linkTo, servedLinks, type Link } from './links.ts';
import type { Datagram, MulticastPort } from './multicast-port.ts';
import { Throttle } from './throttle.ts';
import { kindOfMessage } from './service.ts';

/** Least time between two equal answers in one network (RFC 6762, 6). */
const REPEAT_MS = 1_000;
/** Queries read per second: some milliseconds of work, enough for hundreds of computers. More are dropped. */
const READ_BYTES = 64 * 1024;

export interface ResponderOptions {
  /** What the machine's port is bound to: an address, `localhost`, or '' for all. */
  readonly host: string;
  readonly port: number;
  /** Whether that port accepts TLS now. */
  readonly isEncrypted: () => boolean;
  /** The current full names of the machine. */
  readonly names: () => readonly string[];
  readonly clock: Clock;
  readonly logger: Logger;
}

/**
 * Answers queries for this machine's name in a local network (multicast DNS, IPv4), and sends a goodbye to networks
 * where it has answered. Sends nothing else on its own, and only to networks from which the machine's port can be
 * reached.
 */
export class MulticastResponder {
  readonly #options: ResponderOptions;
  readonly #port: MulticastPort;
  readonly #throttle: Throttle;
  readonly #reading: TokenBucket;
  readonly #unsubscribe: () => void;
  /** This computer's addresses in the networks where a query was answered. */
  readonly #known = new Set<string>();

  constructor(port: MulticastPort, options: ResponderOptions) {
    this.#options = options;
    this.#port = port;
    this.#throttle = new Throttle(options.clock, REPEAT_MS);
    this.#reading = new TokenBucket(options.clock, { capacity: READ_BYTES, perSecond: READ_BYTES });
    // Networks are left when the port closes, because the goodbye must be sent first.
    port.join((links) => servedLinks(links, options.host));
    this.#unsubscribe = port.onMessage((datagram) => this.#receive(datagram));
  }

  close(): void {
    this.#unsubscribe();
    this.#throttle.stop();
    const goodbye = goodbyeOf(this.#options.names());
    if (goodbye !== undefined) for (const address of this.#known) this.#port.send(address, encode(goodbye));
  }

  #receive({ bytes, from }: Datagram): void {
    if (kindOfMessage(bytes) !== 'query' || !this.#reading.take(bytes.length)) return;
    const names = this.#options.names();
    if (names.length === 0) return;
    const { port, host, isEncrypted } = this.#options;
    try {
      const message = decode(bytes);
      // Most messages are about other machines: the address to answer is computed only for messages about this one.
      const nowhere = { names, port: 0, isEncrypted: false, address: '0.0.0.0' };
      if (responsesTo(message, nowhere).length === 0) return;
      const links = this.#port.links();
      const link = linkTo(from.address, links, servedLinks(links, host));
      if (link === undefined) return;
      const advertised = { names, port, isEncrypted: isEncrypted(), address: link.address };
      for (const response of responsesTo(message, advertised)) this.#answer(link, response);
    } catch (error) {
      this.#options.logger.debug(`No multicast DNS from ${from.address}: ${toArmatureError(error).message}`);
    }
  }

  #answer({ address, isLoopback }: Link, { about, packet }: Response): void {
    this.#known.add(address);
    const send = (): void => this.#port.send(address, encode(packet));
    // Messages within this computer do not load a network.
    if (isLoopback) send();
    else this.#throttle.run(`${address} ${about}`, send);
  }
}
