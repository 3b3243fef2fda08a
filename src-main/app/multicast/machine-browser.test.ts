import { decode, encode, type Answer } from 'dns-packet';
import { beforeEach, describe, expect, it } from 'vitest';
import { ManualClock } from '../../base/clock.ts';
import type { Link } from './links.ts';
import type { FoundMachine } from './machine-cache.ts';
import { MachineBrowser } from './machine-browser.ts';
import type { Datagram, MulticastPort } from './multicast-port.ts';
import { SERVICE } from './service.ts';

const links: readonly Link[] = [
  { address: '127.0.0.1', cidr: '127.0.0.1/8', isLoopback: true },
  { address: '192.168.1.5', cidr: '192.168.1.5/24', isLoopback: false },
];

/** The port, without a network. */
class FakePort {
  joined = 0;
  readonly sent: { readonly at: number; readonly address: string; readonly bytes: Uint8Array }[] = [];
  readonly #listeners = new Set<(datagram: Datagram) => void>();
  readonly #clock: ManualClock;

  constructor(clock: ManualClock) {
    this.#clock = clock;
  }

  links(): readonly Link[] {
    return links;
  }

  join(choice: (all: readonly Link[]) => readonly Link[]): () => void {
    this.joined += choice(links).length;
    return () => void (this.joined -= choice(links).length);
  }

  onMessage(listener: (datagram: Datagram) => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  get listeners(): number {
    return this.#listeners.size;
  }

  send(address: string, bytes: Uint8Array): void {
    this.sent.push({ at: this.#clock.monotonic(), address, bytes });
  }

  say(answers: Answer[], address = '192.168.1.77', port = 5353): void {
    const bytes = encode({ type: 'response', answers });
    for (const listener of this.#listeners) listener({ bytes, from: { address, port } });
  }
}

const machine = (name: string, address: string, port = 8080): Answer[] => [
  { type: 'PTR', name: SERVICE, ttl: 4_500, data: `${name}.${SERVICE}` },
  { type: 'SRV', name: `${name}.${SERVICE}`, ttl: 120, data: { port, target: name } },
  { type: 'TXT', name: `${name}.${SERVICE}`, ttl: 4_500, data: ['grpc', 'tls=0'] },
  { type: 'A', name, ttl: 120, data: address },
];

describe('looking for machines', () => {
  let clock: ManualClock;
  let port: FakePort;
  let browser: MachineBrowser;
  let told: (readonly FoundMachine[])[];
  let start: number;

  beforeEach(() => {
    clock = new ManualClock();
    port = new FakePort(clock);
    browser = new MachineBrowser(port as unknown as MulticastPort, { ownPort: 8080, clock, random: () => 0 });
    told = [];
    start = clock.monotonic();
  });
  const watch = (): (() => void) => browser.watch((machines) => told.push(machines));
  const names = (): readonly string[] => browser.machines.map(({ name }) => name);
  /** Times of the general queries in one of the networks. */
  const askedAt = (): readonly number[] =>
    port.sent.filter(({ address }) => address === '192.168.1.5').map(({ at }) => at - start);

  it('is done while somebody watches, and leaves nothing behind', () => {
    expect([port.joined, port.listeners, clock.pending]).toEqual([0, 0, 0]);
    const ends = [watch(), watch()];
    expect([port.joined, port.listeners]).toEqual([2, 1]);
    clock.advance(1_000);
    port.say(machine('arm', '192.168.1.77'));
    clock.advance(200);
    expect(told).toHaveLength(2);
    ends[0]?.();
    ends[0]?.();
    expect(names()).toEqual(['arm']);
    ends[1]?.();
    expect([port.joined, port.listeners, clock.pending, browser.machines.length]).toEqual([0, 0, 0, 0]);
    watch();
    expect(names()).toEqual([]);
  });

  it('asks in every network, in intervals that grow up to an hour', () => {
    watch();
    clock.advance(20_000);
    expect(askedAt()).toEqual([20, 1_020, 3_020, 7_020, 15_020]);
    expect(port.sent.filter(({ address }) => address === '127.0.0.1')).toHaveLength(5);
    clock.advance(20 * 3_600_000);
    const times = askedAt();
    const gaps = times.slice(1).map((at, index) => at - (times[index] ?? 0));
    expect(Math.max(...gaps)).toBe(3_600_000);
    expect(port.sent.length).toBeLessThan(2 * 40);
  });

  it('says what it knows, and asks for what soon runs out', () => {
    watch();
    clock.advance(20);
    port.say(machine('arm', '192.168.1.77'));
    clock.advance(1_000);
    const last = decode(Buffer.from(port.sent.at(-1)?.bytes ?? []));
    expect(last.answers).toMatchObject([{ type: 'PTR', data: `arm.${SERVICE}` }]);
    port.sent.length = 0;
    clock.advance(96_000);
    const questions = port.sent.flatMap(({ bytes }) => decode(Buffer.from(bytes)).questions ?? []);
    expect(questions).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ type: 'SRV', name: `arm.${SERVICE}` }),
        expect.objectContaining({ type: 'A', name: 'arm' }),
      ]),
    );
    // It is gone without a goodbye.
    clock.advance(30_000);
    expect(told.at(-1)).toEqual([]);
  });

  it('hears answers of its networks only, from the port of multicast DNS', () => {
    watch();
    port.say(machine('far', '8.8.8.8'), '8.8.8.8');
    port.say(machine('odd', '192.168.1.78'), '192.168.1.78', 40_000);
    port.say(machine('near', '192.168.1.77'));
    clock.advance(200);
    expect(names()).toEqual(['near']);
  });

  it('leaves itself out, and another server of this computer not', () => {
    watch();
    port.say(machine('self', '127.0.0.1'), '127.0.0.1');
    port.say(machine('self-too', '192.168.1.5'), '192.168.1.5');
    port.say(machine('beside', '127.0.0.1', 8081), '127.0.0.1');
    port.say(machine('other', '192.168.1.77'));
    clock.advance(200);
    expect(names()).toEqual(['beside', 'other']);
  });

  it('takes an address of this computer from this computer only: a key would go there in clear text', () => {
    watch();
    port.say(machine('sly', '127.0.0.1', 9_000), '192.168.1.77');
    clock.advance(200);
    expect(names()).toEqual([]);
  });

  it('is told of at most five times a second, and not where nothing is new', () => {
    watch();
    for (let index = 0; index < 50; index++) port.say(machine(`arm-${index}`, `192.168.1.${100 + index}`));
    clock.advance(200);
    expect(told.map((one) => one.length)).toEqual([50]);
    port.say(machine('arm-3', '192.168.1.103'));
    clock.advance(200);
    expect(told).toHaveLength(1);
  });

  it('of a flood reads so much a second', () => {
    watch();
    const texts = Array.from({ length: 30 }, () => 'x'.repeat(250));
    for (let index = 0; index < 100; index++) {
      port.say([
        ...machine(`arm-${index}`, '192.168.1.77', 1 + index),
        { type: 'TXT', name: `arm-${index}.${SERVICE}`, data: ['grpc', ...texts] },
      ]);
    }
    clock.advance(200);
    expect(told.at(-1)?.length).toBeGreaterThan(5);
    expect(told.at(-1)?.length).toBeLessThan(20);
  });
});
