import { BlockList } from 'node:net';
import type { NetworkInterfaceInfo } from 'node:os';

/** One network of this computer, by the computer's own IPv4 address in it. */
export interface Link {
  readonly address: string;
  /** Only programs on this computer are in it. */
  readonly isLoopback: boolean;
  /** `address/bits`. */
  readonly cidr: string;
}

/** The result of `os.networkInterfaces`. */
export type Interfaces = Readonly<Record<string, readonly NetworkInterfaceInfo[] | undefined>>;

/** The IPv4 networks of this computer. */
export function linksOf(interfaces: Interfaces): readonly Link[] {
  return Object.values(interfaces).flatMap((infos) =>
    (infos ?? []).flatMap(({ family, address, internal, cidr }) =>
      family === 'IPv4' && cidr !== null ? [{ address, isLoopback: internal, cidr }] : [],
    ),
  );
}

/**
 * The networks from which a port can be reached.
 * @param host what the port is bound to: an address, `localhost`, or '' for all
 */
export function servedLinks(links: readonly Link[], host: string): readonly Link[] {
  if (['', '0.0.0.0', '::'].includes(host)) return links;
  if (host === 'localhost') return links.filter(({ isLoopback }) => isLoopback);
  return links.filter(({ address }) => address === host);
}

/**
 * Where to answer a query from an address: on loopback to programs of this computer, which then connect locally; to
 * others in the network that both are in. Queries from other networks get no answer (RFC 6762, 11).
 */
export function linkTo(source: string, links: readonly Link[], served: readonly Link[]): Link | undefined {
  if (isOwn(source, links)) {
    return served.find(({ isLoopback }) => isLoopback) ?? served.find(({ address }) => address === source);
  }
  return served.find((link) => !link.isLoopback && isWithin(source, link.cidr));
}

/** Whether an address is this computer's own, or in a network that it is in: all that multicast DNS is for (RFC 6762, 11). */
export function isNear(source: string, links: readonly Link[]): boolean {
  return isOwn(source, links) || links.some((link) => !link.isLoopback && isWithin(source, link.cidr));
}

/**
 * Whether an address is this computer's own. A program that asks on loopback by interface alone has no such address if
 * the computer is in no network.
 */
export function isOwn(source: string, links: readonly Link[]): boolean {
  return source === '0.0.0.0' || links.some(({ address }) => address === source);
}

function isWithin(address: string, cidr: string): boolean {
  const [network = '', bits = ''] = cidr.split('/', 2);
  const list = new BlockList();
  list.addSubnet(network, Number(bits), 'ipv4');
  return list.check(address, 'ipv4');
}
