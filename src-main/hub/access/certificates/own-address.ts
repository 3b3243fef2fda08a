import { BlockList, isIP } from 'node:net';
import type { ServerCall } from '../../../rpc/call.ts';
import { computerHosts } from './computer-hosts.ts';

/** Addresses of a local network (RFC 1918, RFC 6598 left out, RFC 3927, RFC 4193, RFC 4291): one computer each. */
const local = new BlockList();
local.addSubnet('10.0.0.0', 8, 'ipv4');
local.addSubnet('172.16.0.0', 12, 'ipv4');
local.addSubnet('192.168.0.0', 16, 'ipv4');
local.addSubnet('169.254.0.0', 16, 'ipv4');
local.addSubnet('fc00::', 7, 'ipv6');
local.addSubnet('fe80::', 10, 'ipv6');

/** What proxies add to what they pass on (RFC 7239, RFC 9110 "Via", and the usual names from before). */
const PROXY_HEADERS = ['forwarded', 'via', 'x-forwarded-for', 'x-forwarded-host', 'x-forwarded-proto', 'x-real-ip'];

/**
 * The address that a part called from, where it can be taken for the part's own; else nothing. Behind a proxy, or a
 * router that translates addresses, many have the same one, and each would get a certificate for all of them: so none
 * from outside the local network, none of this computer, and none of a call that a proxy has passed on. A proxy that
 * passes on bare TCP from another computer of the local network cannot be told from a part.
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
