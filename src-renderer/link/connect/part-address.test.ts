import { describe, expect, it } from 'vitest';
import { addressOnPart, partOfAddress } from './part-address.ts';
import { channelUrl } from './websocket-connector.ts';

describe('the part in an address', () => {
  it.each([
    ['http://localhost:8080/#/logs', ''],
    ['http://localhost:8080/?part=a-1#/logs?part=no', 'a-1'],
    ['http://localhost:8080/?part=#/logs', ''],
  ])('%s names %j', (href, part) => expect(partOfAddress(href)).toBe(part));

  it('is added, replaced and removed, and the rest of the address stays', () => {
    expect(addressOnPart('http://h:1/?a=1#/logs?level=error', 'p 1', 'overview')).toBe(
      'http://h:1/?a=1&part=p+1#/overview',
    );
    expect(addressOnPart('http://h:1/?part=x#/logs', 'y', 'fleet')).toBe('http://h:1/?part=y#/fleet');
    expect(addressOnPart('http://h:1/?part=x#/logs', '', 'overview')).toBe('http://h:1/#/overview');
  });

  it('is the only part of the page address that goes into the channel address', () => {
    expect(channelUrl('https://h:1/?token=t&part=x#/logs', 'x y')).toBe('wss://h:1/channel?part=x+y');
    expect(channelUrl('http://h:1/?part=x#/logs', '')).toBe('ws://h:1/channel');
  });
});
