import { BlockList, isIP } from 'node:net';
import type { ServerCall } from '../../../rpc/call.ts';
import { computerHosts } from './computer-hosts.ts';

/**
 * Address ranges of local networks (RFC 1918, RFC 3927, RFC 4193, RFC 4291), where an address belongs to one computer.
 * RFC 6598 (carrier-grade NAT) is left out.
 */
const local = new BlockList();
local.addSubnet('10.0.0.0', 8, 'ipv4');
local.addSubnet('172.16.0.0', 12, 'ipv4');
local.addSubnet('192.168.0.0', 16, 'ipv4');
local.addSubnet('169.254.0.0', 16, 'ipv4');
local.addSubnet('fc00::', 7, 'ipv6');
local.addSubnet('fe80::', 10, 'ipv6');

/** Headers that proxies add to forwarded requests (RFC 7239, RFC 9110 "Via", and the common older names). */
const PROXY_HEADERS = ['forwarded', 'via', 'x-forwarded-for', 'x-forwarded-host', 'x-forwarded-proto', 'x-real-ip'];

/**
 * The address that a part called from, if it is likely the part's own; else an empty list. Behind a proxy or NAT router
 * many callers share one address, and each would get a certificate for all of them. So this excludes addresses outside
 * the local network, addresses of this computer, and calls that a proxy has forwarded. A proxy that forwards plain TCP
 * from another computer of the local network cannot be detected.
 */
export function ownAddress(
  { remoteAddress }: Pick<ServerCall['connection'], 'remoteAddress'>,
  metadata: ServerCall['metadata'],
): readonly string[] {
  const address = remoteAddress.replace(/^::ffff:(?=\d+\.)/, '');
  const family = isIP(address);
  if (family === 0 || !local.check(address, family === 4 ? 'ipv4' : 'ipv6')) return [];
  if (PROXY_HEADERS.some((name) => metadata[name] !== undefined)) return [];
  return computerHosts([]).includes(address) ? [] : [address];
}
