import { EventEmitter } from 'node:events';
import type { Socket } from 'node:net';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ManualClock } from '../../base/clock.ts';
import { silentLogger, type Logger } from '../../base/logger.ts';
import { ConnectionLimiter, type ConnectionLimits } from './connection-limits.ts';
import { MAX_OPEN_CALLS, MAX_UNPROVEN_REQUESTS, type LimitedConnection } from '../limited-connection.ts';

class FakeSocket extends EventEmitter {
  readonly remoteAddress: string;
  readonly remotePort: number;
  readonly localAddress = '10.0.0.1';
  destroyed = false;
  static #ports = 0;

  constructor(remoteAddress: string) {
    super();
    this.remoteAddress = remoteAddress;
    this.remotePort = ++FakeSocket.#ports;
  }

  destroy(): this {
    if (this.destroyed) return this;
    this.destroyed = true;
    queueMicrotask(() => this.emit('close'));
    return this;
  }
}

const limits: ConnectionLimits = {
  total: 20,
  fromElsewhere: 15,
  unproven: 10,
  unprovenPerAddress: 6,
  unprovenRequests: 50,
  unprovenBytes: 100_000,
  unfinishedBytes: 1_000_000,
};
const HERE = '127.0.0.1';

function setUp(given: Partial<ConnectionLimits> = {}, logger: Logger = silentLogger) {
  const clock = new ManualClock();
  const limiter = new ConnectionLimiter({ ...limits, ...given }, clock, logger);
  const connect = (address: string): LimitedConnection | undefined => {
    clock.advance(1);
    return limiter.admit(new FakeSocket(address) as unknown as Socket);
  };
  const let_ = (address: string, by: 'api-key' | 'loopback'): LimitedConnection => {
    const connection = connect(address);
    if (connection === undefined) throw new Error('was refused');
    connection.prove(by);
    return connection;
  };
  return {
    clock,
    limiter,
    connect,
    proven: (address: string) => let_(address, 'api-key'),
    letIn: () => let_(HERE, 'loopback'),
  };
}

const isOpen = (connection: LimitedConnection | undefined): boolean => connection?.socket.destroyed === false;
const many = <T>(count: number, make: (index: number) => T): T[] => Array.from({ length: count }, (_, i) => make(i));

describe('connections that have proved nothing', () => {
  it('of one address are few: the oldest makes room for the newest', () => {
    const { limiter, connect } = setUp();
    const silent = many(20, () => connect('10.0.0.2'));
    expect(silent.map(isOpen)).toEqual([...many(14, () => false), ...many(6, () => true)]);
    expect(limiter.size).toBe(6);
  });

  it('of many addresses are few: the address with the most gives one up', () => {
    const { connect } = setUp();
    const six = many(6, () => connect('10.0.0.2'));
    const others = many(4, (index) => connect(`10.0.1.${index}`));
    const newest = connect('10.0.2.1');
    expect(six.map(isOpen)).toEqual([false, true, true, true, true, true]);
    expect([...others, newest].every(isOpen)).toBe(true);
  });

  it('a crowd that comes at once gets its turn: who has just come from elsewhere is not pushed out by the next', () => {
    const { clock, connect } = setUp();
    const crowd = many(10, (index) => connect(`10.0.1.${index}`));
    expect(connect('10.0.2.1')).toBeUndefined();
    expect(crowd.every(isOpen)).toBe(true);
    clock.advance(1_000);
    expect(isOpen(connect('10.0.2.1'))).toBe(true);
    expect(isOpen(crowd[0])).toBe(false);
  });

  it('never keep out or push out who has shown a secret, wherever they come from', () => {
    const address = fc.constantFrom(HERE, '::1', '127.3.4.5', '10.0.0.2', '10.0.0.3', '2001:db8::1', '2001:db8::2');
    fc.assert(
      fc.property(fc.array(fc.tuple(address, fc.boolean()), { maxLength: 200 }), (arrivals) => {
        const { limiter, connect } = setUp();
        const proven: LimitedConnection[] = [];
        for (const [from, proves] of arrivals) {
          const connection = connect(from);
          // Some places stay for those who are to come.
          if (proves && proven.length < 8) {
            // From elsewhere it may have to come again, when everybody there has just come.
            if (connection === undefined) expect(from).not.toMatch(/^(127|::1)/);
            else proven.push((connection.prove('api-key'), connection));
          }
        }
        expect(proven.every(isOpen)).toBe(true);
        expect(limiter.size - proven.length).toBeLessThanOrEqual(limits.unproven);
        expect(isOpen(connect(HERE))).toBe(true);
        expect(proven.every(isOpen)).toBe(true);
      }),
    );
  });
});

describe('the last places', () => {
  it('are for this computer, and for who proves something', () => {
    const { proven, connect } = setUp();
    const elsewhere = many(15, (index) => proven(`10.0.1.${index}`));
    expect(connect('10.0.2.1')).toBeUndefined();
    const here = many(5, () => proven(HERE));
    expect(connect(HERE)).toBeUndefined();
    expect([...elsewhere, ...here].every(isOpen)).toBe(true);
  });

  it('silent connections of another user of this computer do not keep its owner out', () => {
    const { connect } = setUp();
    for (let round = 0; round < 100; round++) {
      connect(HERE);
      const owner = connect(HERE);
      expect(isOpen(owner)).toBe(true);
      owner?.socket.destroy();
    }
  });

  it('nor do those that made one call where none needs a secret, and then nothing', () => {
    const { letIn, connect } = setUp();
    const idle = many(19, () => letIn());
    const busy = letIn();
    busy.calls = 1;
    for (const [index, connection] of idle.entries()) connection.lastCallAt = index === 7 ? 1 : 100 + index;
    const owner = connect(HERE);
    expect(isOpen(owner)).toBe(true);
    expect(idle.map(isOpen)).toEqual(idle.map((_, index) => index !== 7));
    expect(isOpen(busy)).toBe(true);
  });
});

describe('what connections that have proved nothing hold', () => {
  it('requests: so many each, and for more than all may have the one with the most is closed', () => {
    const { connect } = setUp({ unprovenRequests: 50 });
    const greedy = connect('10.0.0.2') as LimitedConnection;
    const modest = connect('10.0.0.3') as LimitedConnection;
    for (let index = 0; index < MAX_UNPROVEN_REQUESTS; index++) expect(greedy.takeRequest(10)).toBe(true);
    expect(greedy.takeRequest(10)).toBe(false);
    for (let index = 0; index < 19; index++) expect(modest.takeRequest(10)).toBe(true);
    expect([isOpen(greedy), isOpen(modest)]).toEqual([false, true]);
  });

  it('bytes: for more than all may have the one with the most is closed', () => {
    const { connect } = setUp();
    const greedy = connect('10.0.0.2') as LimitedConnection;
    const modest = connect('10.0.0.3') as LimitedConnection;
    greedy.takeRequest(60_000);
    modest.hold(30_000);
    expect(isOpen(greedy)).toBe(true);
    modest.takeRequest(11_000);
    expect([isOpen(greedy), isOpen(modest)]).toEqual([false, true]);
  });

  it('counts no more when something was proved: bytes that are not whole count then where no secret was shown', () => {
    const { letIn, connect } = setUp();
    const uploads = many(3, () => letIn());
    uploads.forEach((connection, index) => connection.hold(300_000 + index));
    expect(uploads.every(isOpen)).toBe(true);
    uploads[0]?.hold(200_000);
    expect(uploads.map(isOpen)).toEqual([false, true, true]);
    const owner = connect(HERE) as LimitedConnection;
    owner.hold(50_000);
    owner.prove('launch-token');
    owner.hold(50_000_000);
    expect(isOpen(owner)).toBe(true);
    expect(owner.bytes).toBe(0);
  });

  it('gives back all it took, in whatever order things end', () => {
    const step = fc.constantFrom('take', 'give', 'hold', 'let go', 'place', 'secret', 'close');
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
        const { limiter, connect } = setUp();
        const held = { requests: 0, unproven: 0, unfinished: 0 };
        const count = (key: keyof typeof held) => (amount: number) => void (held[key] += amount);
        Object.assign(limiter, {
          changeRequests: count('requests'),
          changeUnprovenBytes: count('unproven'),
          changeUnfinishedBytes: count('unfinished'),
        });
        const connection = connect(HERE) as LimitedConnection;
        let [taken, bytes] = [0, 0];
        for (const one of steps) {
          if (one === 'take' && connection.proof === 'none' && connection.takeRequest(100)) taken++;
          else if (one === 'give' && taken > 0) {
            taken--;
            connection.giveRequest(100);
          } else if (one === 'hold' || (one === 'let go' && bytes > 0)) {
            const more = one === 'hold' ? 10 : -10;
            bytes += more;
            connection.hold(more);
          } else if (one === 'place') connection.prove('loopback');
          else if (one === 'secret') connection.prove('api-key');
          else if (one === 'close') connection.leave();
        }
        connection.hold(-bytes);
        while (taken-- > 0) connection.giveRequest(100);
        expect(held).toEqual({ requests: 0, unproven: 0, unfinished: 0 });
      }),
    );
  });

  it('calls that anybody may make are few on any connection', () => {
    const { proven } = setUp();
    const connection = proven(HERE);
    const taken = many(MAX_OPEN_CALLS + 1, () => connection.takeOpenCall());
    expect(taken).toEqual([...many(MAX_OPEN_CALLS, () => true), false]);
    connection.giveOpenCall();
    expect(connection.takeOpenCall()).toBe(true);
  });
});

it('says once in ten seconds that connections are closed', () => {
  const said: unknown[] = [];
  const logger = { ...silentLogger, warn: (...what: unknown[]) => void said.push(what) };
  const { clock, connect } = setUp({}, logger);
  for (let index = 0; index < 1_000; index++) connect('10.0.0.2');
  expect(said).toHaveLength(1);
  clock.advance(10_000);
  connect('10.0.0.2');
  expect(said).toHaveLength(2);
  expect(said[1]).toMatchObject([expect.stringContaining('Too many connections'), { more: 993 }]);
});
