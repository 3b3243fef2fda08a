import type { NetworkInterfaceInfo } from 'node:os';
import { describe, expect, it } from 'vitest';
import { linksOf, linkTo, servedLinks } from './links.ts';

const of = (address: string, bits: number, internal = false): NetworkInterfaceInfo => ({
  address,
  cidr: `${address}/${bits}`,
  netmask: '',
  family: 'IPv4',
  mac: '',
  internal,
});
const links = linksOf({
  lo: [of('127.0.0.1', 8, true), { ...of('::1', 128, true), family: 'IPv6', scopeid: 0 }],
  eth0: [of('192.168.1.5', 24)],
  wlan0: [of('10.0.0.7', 16)],
});
const answeredAt = (source: string, host: string): string | undefined =>
  linkTo(source, links, servedLinks(links, host))?.address;

describe('whoever asks by multicast', () => {
  it.each([
    ['a program of this computer', '127.0.0.1', '', '127.0.0.1'],
    ['one of this computer by another network', '192.168.1.5', '0.0.0.0', '127.0.0.1'],
    ['a program of this computer that knows no network', '0.0.0.0', '', '127.0.0.1'],
    ['one without an address yet, of a port in one network', '0.0.0.0', '10.0.0.7', undefined],
    ['a computer of one network', '192.168.1.77', '::', '192.168.1.5'],
    ['a computer of the other network', '10.0.200.1', '', '10.0.0.7'],
    ['a program of this computer, of a port for it alone', '192.168.1.5', 'localhost', '127.0.0.1'],
    ['a program of this computer, of a port in one network', '192.168.1.5', '192.168.1.5', '192.168.1.5'],
    ['somebody from further away', '8.8.8.8', '', undefined],
    ['another computer, of a port for this one alone', '192.168.1.77', '127.0.0.1', undefined],
    ['a computer of one network, of a port in the other', '10.0.200.1', '192.168.1.5', undefined],
    ['somebody who claims a loopback address', '127.9.9.9', '', undefined],
  ])('%s (%s, bound to "%s") is given %s', (_, source, host, expected) => {
    expect(answeredAt(source, host)).toBe(expected);
  });
});
