import { BlockList, isIP } from 'node:net';

/** Addresses that webhooks may reach in addition to the default ones. */
export interface AddressAllowance {
  /** Whether this computer may be reached: for a hub embedded in a machine, whose owner controls the computer. */
  readonly loopback: boolean;
  /** More networks (`webhooks.allow`), in CIDR notation. */
  readonly networks: readonly string[];
}

/**
 * Addresses of metadata services in data centres, which give secrets to any program on the computer. Never reached,
 * whatever is allowed.
 */
const METADATA = [
  '169.254.169.254/32', // AWS, Azure, Google, Oracle, ...
  '169.254.170.2/32', // AWS, containers
  '169.254.170.23/32',
  '100.100.100.200/32', // Alibaba
  '168.63.129.16/32', // Azure
  '192.0.0.192/32', // Oracle
  'fd00:ec2::254/128', // AWS
  'fd00:ec2::23/128',
  'fd20:ce::254/128', // Google
];
/** Names of metadata services, whatever they resolve to. */
const METADATA_NAMES = new Set(['metadata', 'metadata.google.internal', 'metadata.goog', 'instance-data']);

/** Not addresses of a single host: this network, multicast, broadcast, reserved (RFC 6890). */
const NEVER = ['0.0.0.0/8', '224.0.0.0/4', '240.0.0.0/4', '::/128', 'ff00::/8'];
const LOOPBACK = ['127.0.0.0/8', '::1/128'];
/** Private networks (RFC 1918, 4193), and shared address space of providers or virtual networks (RFC 6598). */
const PRIVATE = ['10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', '100.64.0.0/10', 'fc00::/7'];
/** For special uses (RFC 6890): link-local, tests, documentation, tunnels to IPv4 addresses that are not checked. */
const SPECIAL = [
  '169.254.0.0/16',
  '192.0.0.0/24',
  '192.0.2.0/24',
  '192.88.99.0/24',
  '198.18.0.0/15',
  '198.51.100.0/24',
  '203.0.113.0/24',
  'fe80::/10',
  'fec0::/10',
  '100::/64',
  '2001::/23',
  '2001:db8::/32',
  '2002::/16',
  '64:ff9b:1::/48',
];

const never = blockList([...METADATA, ...NEVER]);
const loopback = blockList(LOOPBACK);
const inside = blockList(PRIVATE);
const special = blockList(SPECIAL);

/** Decides to which addresses a hub may send webhooks. */
export class AddressRules {
  readonly #allowance: AddressAllowance;
  readonly #networks: BlockList;

  /** @throws {RangeError} for a malformed network */
  constructor(allowance: AddressAllowance) {
    this.#allowance = allowance;
    this.#networks = blockList(allowance.networks);
  }

  /** Why a name must not be looked up, worded to follow the name in a sentence; undefined if it may. */
  faultOfName(name: string): string | undefined {
    const plain = name.toLowerCase().replace(/\.$/, '');
    return METADATA_NAMES.has(plain) ? 'is the name of a metadata service, which webhooks never call' : undefined;
  }

  /** Why an address must not be reached, worded to follow the address in a sentence; undefined if it may. */
  faultOf(address: string): string | undefined {
    const [unscoped = ''] = address.split('%');
    const plain = embeddedIpv4(unscoped) ?? unscoped;
    if (isIP(plain) === 0) return 'is no address';
    if (isIn(never, plain)) return 'is the address of a metadata service or of no single host: webhooks never call it';
    if (isIn(this.#networks, plain)) return undefined;
    if (isIn(loopback, plain) && !this.#allowance.loopback) {
      return 'is this computer, which webhooks of a standalone hub do not call; allow it with webhooks.allow';
    }
    if (isIn(loopback, plain) || isIn(inside, plain)) return undefined;
    if (isIn(special, plain)) return 'is for special uses; allow its network with webhooks.allow';
    return undefined;
  }
}

/** Whether a text is a network in CIDR notation, or an address. */
export function isNetwork(text: string): boolean {
  try {
    blockList([text]);
    return true;
  } catch {
    return false; // malformed
  }
}

function blockList(networks: readonly string[]): BlockList {
  const list = new BlockList();
  for (const network of networks) {
    const [address = '', bits] = network.split('/');
    const version = isIP(address);
    const longest = version === 6 ? 128 : 32;
    const length = bits === undefined ? longest : Number(bits);
    const isRight = version !== 0 && (bits === undefined || /^\d{1,3}$/.test(bits)) && length <= longest;
    if (!isRight) throw new RangeError(`"${network.slice(0, 80)}" is no network: write for example 10.1.0.0/16`);
    list.addSubnet(address, length, version === 6 ? 'ipv6' : 'ipv4');
  }
  return list;
}

function isIn(list: BlockList, address: string): boolean {
  return list.check(address, isIP(address) === 6 ? 'ipv6' : 'ipv4');
}

/** The IPv4 address within an IPv6 one: mapped and compatible addresses (RFC 4291), and NAT64 (RFC 6052). */
function embeddedIpv4(address: string): string | undefined {
  const groups = groupsOf(address);
  if (groups === undefined) return undefined;
  const prefix = groups.slice(0, 6).join(':');
  const isEmbedded =
    prefix === '0:0:0:0:0:65535' || // ::ffff:0:0/96
    prefix === '100:65435:0:0:0:0' || // 64:ff9b::/96
    (prefix === '0:0:0:0:0:0' && (groups[6] !== 0 || (groups[7] ?? 0) > 1)); // ::/96 but for :: and ::1
  if (!isEmbedded) return undefined;
  const [high = 0, low = 0] = groups.slice(6);
  return [high >> 8, high & 0xff, low >> 8, low & 0xff].join('.');
}

/** The eight groups of an IPv6 address; undefined for anything else. */
function groupsOf(address: string): number[] | undefined {
  if (isIP(address) !== 6) return undefined;
  const dotted = address.replace(/(\d+)\.(\d+)\.(\d+)\.(\d+)$/, (_all, ...parts: string[]) => {
    const [a = 0, b = 0, c = 0, d = 0] = parts.slice(0, 4).map(Number);
    return `${(a * 256 + b).toString(16)}:${(c * 256 + d).toString(16)}`;
  });
  const [head = '', tail] = dotted.split('::');
  const numbers = (text: string): number[] => (text === '' ? [] : text.split(':').map((group) => parseInt(group, 16)));
  const before = numbers(head);
  if (tail === undefined) return before;
  const after = numbers(tail);
  return [...before, ...Array<number>(8 - before.length - after.length).fill(0), ...after];
}
