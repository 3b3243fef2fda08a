import { isIPv6 } from 'node:net';
import type { Clock } from '../../base/clock.ts';
import { isLoopbackAddress } from '../tracked-connection.ts';

export interface FailureLimitOptions {
  /** Failures allowed within the window. */
  readonly failures: number;
  readonly windowMs: number;
  /** Most addresses remembered; the one not seen for longest is forgotten first. */
  readonly maxAddresses: number;
}

export const authenticateLimit: FailureLimitOptions = { failures: 10, windowMs: 60_000, maxAddresses: 10_000 };

/** Counts failed attempts per address over a sliding window. */
export class FailureLimit {
  readonly #options: FailureLimitOptions;
  readonly #clock: Clock;
  readonly #failures = new Map<string, number[]>();

  constructor(options: FailureLimitOptions, clock: Clock) {
    this.#options = options;
    this.#clock = clock;
  }

  /** Milliseconds until this address may try again; 0 if it may now. */
  waitMs(address: string): number {
    const times = this.#recent(addressGroup(address));
    const oldestThatCounts = times[times.length - this.#options.failures];
    return oldestThatCounts === undefined ? 0 : oldestThatCounts + this.#options.windowMs - this.#clock.monotonic();
  }

  recordFailure(address: string): void {
    const group = addressGroup(address);
    const times = this.#recent(group);
    times.push(this.#clock.monotonic());
    if (times.length > this.#options.failures) times.shift();
    // Deleting first moves the address to the end: the map is ordered by last failure.
    this.#failures.delete(group);
    this.#failures.set(group, times);
    if (this.#failures.size > this.#options.maxAddresses) {
      for (const oldest of this.#failures.keys()) {
        this.#failures.delete(oldest);
        break;
      }
    }
  }

  get trackedAddresses(): number {
    return this.#failures.size;
  }

  #recent(group: string): number[] {
    const since = this.#clock.monotonic() - this.#options.windowMs;
    return (this.#failures.get(group) ?? []).filter((time) => time > since);
  }
}

/**
 * The key under which failures of an address are counted. One IPv6 subscriber has a whole /64, and any user of this
 * computer all of 127.0.0.0/8, so each of these counts as one address.
 */
export function addressGroup(address: string): string {
  if (isLoopbackAddress(address)) return 'this computer';
  if (address.startsWith('::ffff:')) return address.slice(7);
  if (!isIPv6(address)) return address;
  const [head = '', tail] = address.split('%')[0]?.split('::') ?? [];
  const groups = head === '' ? [] : head.split(':');
  if (tail !== undefined) {
    const after = tail === '' ? [] : tail.split(':');
    while (groups.length + after.length < 8) groups.push('0');
    groups.push(...after);
  }
  return `${groups.slice(0, 4).join(':')}::/64`;
}
