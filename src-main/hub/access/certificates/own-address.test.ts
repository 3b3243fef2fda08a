import { networkInterfaces } from 'node:os';
import { describe, expect, it } from 'vitest';
import { ownAddress } from './own-address.ts';

const from = (remoteAddress: string, metadata: Record<string, string> = {}) => ownAddress({ remoteAddress }, metadata);

describe('the address of a part that may stand in its certificate', () => {
  it.each([
    ['10.1.2.3', '10.1.2.3'],
    ['::ffff:192.168.7.9', '192.168.7.9'],
    ['172.31.0.4', '172.31.0.4'],
    ['169.254.3.3', '169.254.3.3'],
    ['fd12:3456::9', 'fd12:3456::9'],
    ['fe80::1', 'fe80::1'],
  ])('%s is of the local network', (address, expected) => {
    expect(from(address)).toEqual([expected]);
  });

  it.each([
    '93.184.216.34',
    '100.64.1.1',
    '172.32.0.1',
    '2001:db8::7',
    '127.0.0.1',
    '',
    'uid 1000',
    '10.1.2.3.example',
  ])('%j is none', (address) => {
    expect(from(address)).toEqual([]);
  });

  it.each(['forwarded', 'via', 'x-forwarded-for', 'x-real-ip'])(
    'no address is taken if a proxy has added %s',
    (header) => {
      expect(from('10.1.2.3', { [header]: 'x' })).toEqual([]);
    },
  );

  it('an address of this computer is not taken: a proxy may run here', () => {
    const own = Object.values(networkInterfaces()).flatMap((infos) => (infos ?? []).map(({ address }) => address));
    for (const address of own) expect(from(address)).toEqual([]);
  });
});
