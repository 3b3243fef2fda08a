import type { Question } from 'dns-packet';
import type { Clock, Timer } from '../../base/clock.ts';
import { Emitter } from '../../base/async/emitter.ts';
import { TokenBucket } from '../../base/async/token-bucket.ts';
import { isNear, isOwn } from './links.ts';
import { MachineCache, type FoundMachine } from './machine-cache.ts';
import { MULTICAST_PORT, type Datagram, type MulticastPort } from './multicast-port.ts';
import { isReachable, queriesFor, readRecords } from './records.ts';
import { SERVICE } from './service.ts';

/**
 * The first general query is sent after this plus up to 100 ms, the next after 1 s, 2 s, 4 s, ... up to the longest
 * interval (RFC 6762, 5.2).
 */
const FIRST_MS = 20;
const SPREAD_MS = 100;
const SECOND_MS = 1_000;
const LONGEST_MS = 3_600_000;
/**
 * Least time between two queries about expiring or missing records, because several that are due together fit one
 * message.
 */
const REST_MS = 1_000;
/** Least time between two reports of the list, because many answers arrive at once. */
const REPORT_MS = 200;
/** Messages read per second while the list is watched: enough for hundreds of machines. More are dropped. */
const READ_BYTES = 128 * 1024;
/** Minimum cost of a message: even a short one causes work. */
const MIN_BYTES = 512;

export interface MachineBrowserOptions {
  /** The port of this machine, at any address of this computer. */
  readonly ownPort: number;
  readonly clock: Clock;
  /** A number in [0, 1). */
  readonly random: () => number;
}

/**
 * Finds other machines in the networks of this computer by multicast DNS. It sends queries at growing intervals while
 * the list is watched, and also uses answers to other computers. When the last watcher leaves, it leaves the networks
 * and forgets everything.
 */
export class MachineBrowser {
  readonly #options: MachineBrowserOptions;
  readonly #port: MulticastPort;
  readonly #reading: TokenBucket;
  readonly #changed = new Emitter<readonly FoundMachine[]>();
  #search: Search | undefined;

  constructor(port: MulticastPort, options: MachineBrowserOptions) {
    this.#port = port;
    this.#options = options;
    this.#reading = new TokenBucket(options.clock, { capacity: READ_BYTES, perSecond: READ_BYTES });
  }

  /** The machines found so far. */
  get machines(): readonly FoundMachine[] {
    return this.#search?.machines ?? [];
  }

  /** Calls `listener` with the whole list whenever it changes. Returns an unsubscribe function. */
  watch(listener: (machines: readonly FoundMachine[]) => void): () => void {
    const unsubscribe = this.#changed.on(listener);
    this.#search ??= new Search(this.#port, this.#options, this.#reading, (found) => this.#changed.emit(found));
    let isOver = false;
    return () => {
      if (isOver) return;
      isOver = true;
      unsubscribe();
      if (this.#changed.size > 0) return;
      this.#search?.close();
      this.#search = undefined;
    };
  }
}

/** Runs from the first watcher to the last. */
class Search {
  readonly #port: MulticastPort;
  readonly #options: MachineBrowserOptions;
  readonly #reading: TokenBucket;
  readonly #onChange: (machines: readonly FoundMachine[]) => void;
  readonly #cache: MachineCache;
  readonly #endings: readonly (() => void)[];
  #machines: readonly FoundMachine[] = [];
  #intervalMs = SECOND_MS;
  #asking: Timer;
  #renewing: Timer | undefined;
  #renewAt = Infinity;
  #renewedAt: number;
  #telling: Timer | undefined;

  constructor(
    port: MulticastPort,
    options: MachineBrowserOptions,
    reading: TokenBucket,
    onChange: (machines: readonly FoundMachine[]) => void,
  ) {
    this.#port = port;
    this.#options = options;
    this.#reading = reading;
    this.#onChange = onChange;
    this.#cache = new MachineCache(options.random);
    // Most machines send all records at once: records still missing after a second are asked for.
    this.#renewedAt = options.clock.monotonic();
    this.#endings = [port.join((links) => links), port.onMessage((datagram) => this.#receive(datagram))];
    this.#asking = options.clock.after(FIRST_MS + SPREAD_MS * options.random(), () => this.#askAll());
  }

  get machines(): readonly FoundMachine[] {
    return this.#machines;
  }

  close(): void {
    for (const end of this.#endings) end();
    this.#asking.cancel();
    this.#renewing?.cancel();
    this.#telling?.cancel();
  }

  #askAll(): void {
    const { clock } = this.#options;
    this.#ask([{ type: 'PTR', name: SERVICE }], this.#cache.known(clock.monotonic()));
    this.#asking = clock.after(this.#intervalMs, () => this.#askAll());
    this.#intervalMs = Math.min(LONGEST_MS, 2 * this.#intervalMs);
  }

  #ask(questions: readonly Question[], known: Parameters<typeof queriesFor>[1] = []): void {
    const messages = queriesFor(questions, known);
    for (const { address } of this.#port.links()) for (const bytes of messages) this.#port.send(address, bytes);
  }

  /** An answer must come from the port of multicast DNS and from a network of this computer (RFC 6762, 6, 11). */
  #receive({ bytes, from }: Datagram): void {
    if (from.port !== MULTICAST_PORT || !this.#reading.take(Math.max(bytes.length, MIN_BYTES))) return;
    const records = readRecords(bytes);
    if (records.length === 0) return;
    const links = this.#port.links();
    if (!isNear(from.address, links)) return;
    const isOfThisComputer = isOwn(from.address, links);
    const sound = records.filter((record) => !('address' in record) || isReachable(record.address, isOfThisComputer));
    this.#cache.take(sound, from.address, this.#options.clock.monotonic());
    this.#tellSoon();
    this.#renewSoon();
  }

  /** Asks for expiring and missing records when they are due, and forgets expired ones. */
  #renewSoon(): void {
    const { clock } = this.#options;
    const at = Math.max(this.#cache.nextAt, this.#renewedAt + REST_MS);
    // Many answers must not delay records that are due.
    if (at >= this.#renewAt) return;
    this.#renewing?.cancel();
    this.#renewAt = at;
    this.#renewing = clock.after(Math.max(0, at - clock.monotonic()), () => {
      this.#renewAt = Infinity;
      this.#renewedAt = clock.monotonic();
      const questions = this.#cache.due(this.#renewedAt);
      if (questions.length > 0) this.#ask(questions);
      this.#tellSoon();
      this.#renewSoon();
    });
  }

  #tellSoon(): void {
    this.#telling ??= this.#options.clock.after(REPORT_MS, () => {
      this.#telling = undefined;
      const links = this.#port.links();
      const isSelf = ({ port, addresses }: FoundMachine): boolean =>
        port === this.#options.ownPort &&
        addresses.some((address) => isOwn(address, links) || address.startsWith('127.'));
      const next = this.#cache.machines().filter((machine) => !isSelf(machine));
      if (JSON.stringify(next) === JSON.stringify(this.#machines)) return;
      this.#machines = next;
      this.#onChange(next);
    });
  }
}
