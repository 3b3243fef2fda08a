import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { AddressRules, isNetwork } from './address-rules.ts';

const embedded = new AddressRules({ loopback: true, networks: [] });
const alone = new AddressRules({ loopback: false, networks: [] });
const wide = new AddressRules({ loopback: true, networks: ['0.0.0.0/0', '::/0'] });

/** All IPv6 forms of an IPv4 address that lead to it. */
const disguises = (address: string): string[] => {
  const [a = 0, b = 0, c = 0, d = 0] = address.split('.').map(Number);
  const hex = `${(a * 256 + b).toString(16)}:${(c * 256 + d).toString(16)}`;
  return [`::ffff:${address}`, `::ffff:${hex}`, `0:0:0:0:0:ffff:${hex}`, `::${address}`, `64:ff9b::${hex}`];
};

describe('addresses of webhooks', () => {
  it.each([['93.184.215.14'], ['8.8.8.8'], ['2606:2800:220:1:248:1893:25c8:1946'], ['172.32.0.1'], ['11.0.0.1']])(
    '%s is public: every hub reaches it',
    (address) => {
      expect(embedded.faultOf(address)).toBeUndefined();
      expect(alone.faultOf(address)).toBeUndefined();
    },
  );

  it.each([['10.0.0.1'], ['172.16.5.4'], ['192.168.1.1'], ['100.64.0.9'], ['fd12:3456::1']])(
    '%s is private: every hub reaches it',
    (address) => {
      expect(embedded.faultOf(address)).toBeUndefined();
      expect(alone.faultOf(address)).toBeUndefined();
    },
  );

  it.each([['127.0.0.1'], ['127.255.0.3'], ['::1']])(
    '%s is this computer: only an embedded hub reaches it',
    (address) => {
      expect(embedded.faultOf(address)).toBeUndefined();
      expect(alone.faultOf(address)).toContain('is this computer');
    },
  );

  it.each([
    ['169.254.169.254'],
    ['169.254.170.2'],
    ['100.100.100.200'],
    ['168.63.129.16'],
    ['fd00:ec2::254'],
    ['FD00:0EC2:0:0:0:0:0:254'],
    ['0.0.0.0'],
    ['0.1.2.3'],
    ['::'],
    ['224.0.0.1'],
    ['255.255.255.255'],
    ['ff02::1'],
  ])('%s is never reached, whatever is allowed', (address) => {
    expect(embedded.faultOf(address)).toBeDefined();
    expect(wide.faultOf(address)).toBeDefined();
  });

  it.each([
    ['169.254.7.7'],
    ['fe80::1'],
    ['fe80::1%eth0'],
    ['192.0.2.1'],
    ['2001:db8::1'],
    ['2002:a00:1::'],
    ['198.18.0.1'],
  ])('%s is for special uses: reached only if its network is allowed', (address) => {
    expect(embedded.faultOf(address)).toContain('special uses');
    expect(wide.faultOf(address)).toBeUndefined();
  });

  it('an allowed network is reached, neighbouring addresses are not', () => {
    const rules = new AddressRules({ loopback: false, networks: ['127.0.0.0/30', '169.254.0.0/16', 'fe80::/10'] });
    expect(rules.faultOf('127.0.0.2')).toBeUndefined();
    expect(rules.faultOf('127.0.0.4')).toBeDefined();
    expect(rules.faultOf('::ffff:127.0.0.2')).toBeUndefined();
    expect(rules.faultOf('169.254.1.1')).toBeUndefined();
    expect(rules.faultOf('169.254.169.254')).toBeDefined();
  });

  it('an IPv6 form of an IPv4 address is judged like the IPv4 address', () => {
    const part = fc.integer({ min: 0, max: 255 });
    const address = fc.oneof(
      fc.tuple(part, part, part, part).map((parts) => parts.join('.')),
      fc.constantFrom('169.254.169.254', '127.0.0.1', '10.0.0.1', '8.8.8.8'),
    );
    fc.assert(
      fc.property(address, fc.constantFrom(embedded, alone, wide), (one, rules) => {
        // ::0.0.0.0 and ::0.0.0.1 are :: and ::1, which have a meaning of their own.
        for (const disguise of disguises(one).filter((text) => !/^::0\.0\.0\.[01]$/.test(text))) {
          expect([disguise, rules.faultOf(disguise)]).toEqual([disguise, rules.faultOf(one)]);
        }
      }),
    );
  });

  it.each([['metadata.google.internal'], ['METADATA.google.internal.'], ['metadata'], ['instance-data']])(
    'the name %s is not looked up',
    (name) => expect(wide.faultOfName(name)).toBeDefined(),
  );

  it.each([['127.1'], ['localhost'], ['2130706433'], ['']])('%j is no address', (text) => {
    expect(wide.faultOf(text)).toBe('is no address');
  });

  it('a network has an address and an optional prefix length', () => {
    expect(['10.0.0.0/8', '10.0.0.1', 'fd00::/8', '::1/128'].map(isNetwork)).toEqual([true, true, true, true]);
    expect(['10/8', '10.0.0.0/33', 'fd00::/129', 'x', '', '10.0.0.0/-1', '10.0.0.0/'].map(isNetwork)).toEqual(
      Array(7).fill(false),
    );
  });
});
