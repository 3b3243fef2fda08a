import { beforeEach, describe, expect, it } from 'vitest';
import { MachineCache } from './machine-cache.ts';
import type { DiscoveryRecord } from './records.ts';
import { SERVICE } from './service.ts';

const HOST = 'arm.hall.armature.local';
const S = 1_000;

const pointer = (name: string, ttlS = 4_500): DiscoveryRecord => ({
  type: 'PTR',
  name: SERVICE,
  ttlS,
  isFlush: false,
  instance: `${name}.${SERVICE}`,
});
const place = (name: string, more: Partial<{ port: number; target: string; ttlS: number }> = {}): DiscoveryRecord => ({
  type: 'SRV',
  name: `${name}.${SERVICE}`,
  ttlS: 120,
  isFlush: false,
  port: 8080,
  target: name,
  ...more,
});
const text = (name: string, isEncrypted?: boolean, hasGrpc = true): DiscoveryRecord => ({
  type: 'TXT',
  name: `${name}.${SERVICE}`,
  ttlS: 4_500,
  isFlush: false,
  hasGrpc,
  isEncrypted,
});
const at = (
  target: string,
  address: string,
  more: Partial<{ ttlS: number; isFlush: boolean }> = {},
): DiscoveryRecord => ({
  type: address.includes(':') ? 'AAAA' : 'A',
  name: target,
  ttlS: 120,
  isFlush: false,
  address,
  ...more,
});
/** All records of a machine, as one of ours sends them. */
const whole = (name: string, address: string): readonly DiscoveryRecord[] => [
  pointer(name),
  pointer(name.replaceAll('.', '-')),
  place(name),
  text(name, true),
  place(name.replaceAll('.', '-'), { target: name }),
  text(name.replaceAll('.', '-'), true),
  at(name, address),
];

describe('what other machines said', () => {
  let cache: MachineCache;
  beforeEach(() => {
    cache = new MachineCache(() => 0);
  });
  const names = (): readonly string[] => cache.machines().map(({ name }) => name);

  it('is one machine, though it is told of under two names, and in whatever order', () => {
    cache.take([...whole(HOST, '10.0.0.5')].reverse(), '10.0.0.5', 0);
    expect(cache.machines()).toEqual([{ name: HOST, addresses: ['10.0.0.5'], port: 8080, isEncrypted: true }]);
    // Another machine at a different port of that computer.
    cache.take([pointer('leg'), place('leg', { port: 8081, target: HOST }), text('leg', false)], '10.0.0.5', 0);
    expect(cache.machines()).toMatchObject([{ name: HOST }, { name: 'leg', port: 8081, isEncrypted: false }]);
  });

  it('is a machine once its port, what it speaks and an address are known, and it speaks gRPC', () => {
    cache.take([pointer('arm')], '10.0.0.5', 0);
    cache.take([place('arm')], '10.0.0.5', 0);
    cache.take([at('arm', '10.0.0.5')], '10.0.0.5', 0);
    expect(names()).toEqual([]);
    cache.take([text('arm', undefined, false)], '10.0.0.5', 0);
    expect(names()).toEqual([]);
    cache.take([text('arm')], '10.0.0.5', 0);
    expect(cache.machines()).toMatchObject([{ name: 'arm', isEncrypted: undefined }]);
  });

  it('of what nobody announced is not kept', () => {
    cache.take([place('arm'), text('arm'), at('arm', '10.0.0.5')], '10.0.0.5', 0);
    cache.take([pointer('arm')], '10.0.0.5', 0);
    expect(names()).toEqual([]);
  });

  it('has the address first by which it was heard, then IPv4, then IPv6', () => {
    const addresses = ['fd00::5', '172.17.0.1', '10.0.0.5'];
    cache.take([...whole(HOST, 'fd00::6'), ...addresses.map((one) => at(HOST, one))], '10.0.0.5', 0);
    expect(cache.machines()[0]?.addresses).toEqual(['10.0.0.5', '172.17.0.1', 'fd00::6', 'fd00::5']);
  });

  it('holds for its time, and is asked for before that ends', () => {
    cache.take(whole(HOST, '10.0.0.5'), '10.0.0.5', 0);
    expect(cache.due(90 * S)).toEqual([]);
    expect(cache.nextAt).toBe(96 * S);
    const asked = [
      { type: 'SRV', name: `${HOST}.${SERVICE}` },
      { type: 'SRV', name: `arm-hall-armature-local.${SERVICE}` },
      { type: 'A', name: HOST },
    ];
    for (const share of [0.8, 0.85, 0.9, 0.95]) expect(cache.due(share * 120 * S)).toEqual(asked);
    expect(cache.due(119 * S)).toEqual([]);
    expect(names()).toEqual([HOST]);
    // It is silent: its address has expired, and it is asked for more and more rarely.
    cache.due(120 * S);
    expect(names()).toEqual([]);
    expect(cache.due(121 * S)).toHaveLength(2);
    expect(cache.due(122 * S)).toEqual([]);
    expect(cache.due(123 * S)).toHaveLength(2);
    cache.take(whole(HOST, '10.0.0.6'), '10.0.0.6', 130 * S);
    expect(cache.machines()[0]?.addresses).toEqual(['10.0.0.6']);
    expect(cache.due(140 * S)).toEqual([]);
  });

  it('is asked for where it is missing', () => {
    cache.take([pointer('arm')], '10.0.0.5', 0);
    expect(cache.due(0).map(({ type }) => type)).toEqual(['SRV', 'TXT']);
    cache.take([place('arm'), text('arm')], '10.0.0.5', 500);
    expect(cache.due(2 * S)).toEqual([{ type: 'A', name: 'arm' }]);
  });

  it('is taken back with a goodbye, a second later, and stays where it was said again', () => {
    cache.take(whole(HOST, '10.0.0.5'), '10.0.0.5', 0);
    cache.take([pointer(HOST, 0), pointer('arm-hall-armature-local', 0)], '10.0.0.5', 5 * S);
    cache.due(5.9 * S);
    expect(names()).toEqual([HOST]);
    cache.due(6 * S);
    expect(names()).toEqual([]);
    expect([cache.size, cache.nextAt]).toEqual([0, Infinity]);

    cache.take(whole(HOST, '10.0.0.5'), '10.0.0.5', 10 * S);
    cache.take([pointer(HOST, 0)], '10.0.0.5', 11 * S);
    cache.take([pointer(HOST)], '10.0.0.5', 11.5 * S);
    cache.due(13 * S);
    expect(names()).toEqual([HOST]);
  });

  it('is replaced where the answer says that it is all there is', () => {
    cache.take([...whole(HOST, '10.0.0.5'), at(HOST, 'fd00::5')], '10.0.0.5', 0);
    // Records up to a second old may come from the same burst of answers.
    cache.take([at(HOST, '10.0.0.6', { isFlush: true })], '10.0.0.6', 0.5 * S);
    cache.due(3 * S);
    expect(cache.machines()[0]?.addresses).toContain('10.0.0.5');
    cache.take([at(HOST, '10.0.0.7', { isFlush: true }), at(HOST, '10.0.0.8', { isFlush: true })], '10.0.0.7', 10 * S);
    cache.due(11 * S);
    expect(cache.machines()[0]?.addresses).toEqual(['10.0.0.7', '10.0.0.8', 'fd00::5']);
  });

  it('need not be told again for as long as half of its time is left', () => {
    cache.take([pointer('arm')], '10.0.0.5', 0);
    expect(cache.known(1_000 * S)).toEqual([{ instance: `arm.${SERVICE}`, ttlS: 3_500 }]);
    expect(cache.known(2_250 * S)).toEqual([]);
  });

  it('is asked for a bit at a time, whoever makes up machines', () => {
    for (let index = 0; index < 400; index++) cache.take([pointer(`arm-${index}`)], '10.0.0.5', 0);
    const asked = [0, 1, 2, 3].flatMap((second) => cache.due(second * 10));
    expect(asked).toHaveLength(400);
    expect(new Set(asked.map(({ name, type }) => `${type} ${name}`)).size).toBe(400);
  });

  it('is bounded, whatever is said: who was not heard of for longest goes', () => {
    const name = (index: number): string => `arm-${String(index).padStart(4, '0')}`;
    const machine = (index: number): readonly DiscoveryRecord[] => [
      pointer(name(index)),
      place(name(index), { port: 1 + index }),
      text(name(index)),
      at(name(index), '10.0.0.5'),
    ];
    for (let index = 0; index < 400; index++) cache.take(machine(index), '10.0.0.5', index);
    // It answers again.
    cache.take([pointer(name(0))], '10.0.0.5', 500);
    for (let index = 400; index < 1_000; index++) cache.take(machine(index), '10.0.0.5', index);
    cache.take([pointer(name(0))], '10.0.0.5', 1_000);
    expect(cache.size).toBe(400);
    expect(cache.machines()).toHaveLength(200);
    cache.take(
      Array.from({ length: 90 }, (_, index) => at(name(999), `10.0.1.${index}`)),
      '10.0.0.5',
      1_001,
    );
    const last = new MachineCache(() => 0);
    last.take(machine(7), '10.0.0.5', 0);
    last.take(
      Array.from({ length: 90 }, (_, index) => at(name(7), `10.0.1.${index}`)),
      '10.0.0.5',
      1,
    );
    expect(last.machines()[0]?.addresses).toHaveLength(16);
  });
});
