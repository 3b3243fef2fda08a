import { isIPv4 } from 'node:net';
import type { Question } from 'dns-packet';
import type { AddressRecord, DiscoveryRecord, PtrRecord, SrvRecord, TxtRecord } from './records.ts';
import { SERVICE } from './service.ts';
import { QueryRetry, RecordLifetime, type QuerySchedule } from './query-schedule.ts';

/** Instances that are kept: 200 machines with two names each. */
const MAX_INSTANCES = 400;
/** Most machines in the list. */
const MAX_MACHINES = 200;
/** Most addresses of one target. */
const MAX_ADDRESSES = 16;
/** Most questions at one time; the rest wait for the next. Invented machines must not make us flood a network. */
const MAX_QUESTIONS = 100;
/** Withdrawn or replaced records are kept for this long, because others may be repeating them (RFC 6762, 10). */
const LAST_MS = 1_000;

/** A machine, from all its records. */
export interface FoundMachine {
  /** As clients know it: `arm.hall.armature.local`. */
  readonly name: string;
  /** The address it was heard from comes first. Never empty. */
  readonly addresses: readonly string[];
  readonly port: number;
  /** Whether the port accepts TLS; undefined if the machine does not say. */
  readonly isEncrypted: boolean | undefined;
}

interface Instance {
  /** As received. */
  readonly name: string;
  readonly pointer: RecordLifetime;
  place: { readonly lifetime: RecordLifetime; readonly record: SrvRecord } | undefined;
  text: { readonly lifetime: RecordLifetime; readonly record: TxtRecord } | undefined;
  /** Schedule of questions while either is missing. */
  readonly retries: Readonly<Record<'SRV' | 'TXT', QueryRetry>>;
}

/** Records of other machines in the networks, until they expire. Times are monotonic, ms. */
export class MachineCache {
  /** By name in lower case, in the order of their last records. */
  readonly #instances = new Map<string, Instance>();
  /** By target, then by address. */
  readonly #targets = new Map<string, Map<string, RecordLifetime>>();
  /** Targets that were asked for and are still unknown. */
  readonly #retries = new Map<string, QueryRetry>();
  readonly #random: () => number;

  /** @param random a number in [0, 1) */
  constructor(random: () => number) {
    this.#random = random;
  }

  get size(): number {
    return this.#instances.size;
  }

  /**
   * Stores the records of one message.
   * @param source address that it came from
   */
  take(records: readonly DiscoveryRecord[], source: string, now: number): void {
    // A record may come before the one that introduces its subject.
    for (const record of records) if (record.type === 'PTR') this.#takePointer(record, now);
    for (const record of records) {
      if (record.type === 'SRV' || record.type === 'TXT') this.#takeDetail(record, now);
    }
    const targets = new Set([...this.#instances.values()].map(({ place }) => place?.record.target));
    const flushed = new Set<string>();
    for (const record of records) {
      if ((record.type === 'A' || record.type === 'AAAA') && targets.has(record.name)) {
        this.#takeAddress(record, source, flushed, now);
      }
    }
    this.#forget(now);
  }

  /** Forgets expired records, and returns the questions to ask now: for expiring and missing records. */
  due(now: number): readonly Question[] {
    this.#forget(now);
    const questions: Question[] = [];
    for (const { schedule, question } of this.#schedules()) {
      if (schedule.askAt > now) continue;
      const isAsked = questions.some(({ name, type }) => name === question.name && type === question.type);
      if (!isAsked && questions.length >= MAX_QUESTIONS) continue;
      schedule.asked(now);
      if (!isAsked) questions.push(question);
    }
    return questions;
  }

  /** When {@link due} has something to do next; Infinity for never. */
  get nextAt(): number {
    let next = Infinity;
    for (const { schedule } of this.#schedules()) {
      next = Math.min(next, schedule.askAt, schedule instanceof RecordLifetime ? schedule.endsAt : Infinity);
    }
    return next;
  }

  /** Instances that are valid for at least half of their time: others need not repeat them. */
  known(now: number): readonly { readonly instance: string; readonly ttlS: number }[] {
    return [...this.#instances.values()]
      .filter(({ pointer }) => pointer.endsAt - now > pointer.lastsMs / 2)
      .map(({ name, pointer }) => ({ instance: name, ttlS: Math.floor((pointer.endsAt - now) / 1_000) }));
  }

  /** Machines with enough known to connect to them, sorted by name. A machine with several names is listed once. */
  machines(): readonly FoundMachine[] {
    const found: FoundMachine[] = [];
    const byAddress = new Map<string, number>();
    for (const { name, place, text } of this.#instances.values()) {
      if (place === undefined || text?.record.hasGrpc !== true) continue;
      const { port, target } = place.record;
      const addresses = [...(this.#targets.get(target)?.keys() ?? [])];
      if (addresses.length === 0) continue;
      const machine: FoundMachine = {
        name: name.slice(0, -SERVICE.length - 1),
        addresses,
        port,
        isEncrypted: text.record.isEncrypted,
      };
      const keys = addresses.map((address) => `${port} ${address}`);
      const twin = keys.map((key) => byAddress.get(key)).find((index) => index !== undefined);
      const index = twin ?? found.length;
      for (const key of keys) byAddress.set(key, index);
      const other = found[index];
      found[index] = other === undefined ? machine : merged(other, machine);
    }
    return found.sort((one, other) => (one.name < other.name ? -1 : 1)).slice(0, MAX_MACHINES);
  }

  #takePointer({ instance: name, ttlS }: PtrRecord, now: number): void {
    const key = name.toLowerCase();
    const known = this.#instances.get(key);
    if (ttlS === 0) {
      known?.pointer.endBy(now + LAST_MS);
      return;
    }
    if (known === undefined) {
      this.#instances.set(key, {
        name,
        pointer: new RecordLifetime(ttlS, now, this.#random()),
        place: undefined,
        text: undefined,
        retries: { SRV: new QueryRetry(now), TXT: new QueryRetry(now) },
      });
    } else {
      known.pointer.renew(ttlS, now, this.#random());
      this.#heardOf(key, known);
    }
    if (this.#instances.size <= MAX_INSTANCES) return;
    const [oldest = ''] = this.#instances.keys();
    this.#instances.delete(oldest);
  }

  #takeDetail(record: SrvRecord | TxtRecord, now: number): void {
    const instance = this.#instances.get(record.name);
    if (instance === undefined) return;
    if (record.ttlS === 0) {
      const known = record.type === 'SRV' ? instance.place : instance.text;
      known?.lifetime.endBy(now + LAST_MS);
      return;
    }
    // Only one of each is valid: the newest.
    const lifetime = new RecordLifetime(record.ttlS, now, this.#random());
    if (record.type === 'SRV') instance.place = { lifetime, record };
    else instance.text = { lifetime, record };
    this.#heardOf(record.name, instance);
  }

  #heardOf(key: string, instance: Instance): void {
    this.#instances.delete(key);
    this.#instances.set(key, instance);
  }

  #takeAddress(record: AddressRecord, source: string, flushed: Set<string>, now: number): void {
    const { type, name, address, ttlS, isFlush } = record;
    const addresses = this.#targets.get(name) ?? new Map<string, RecordLifetime>();
    if (isFlush && !flushed.has(`${type} ${name}`)) {
      flushed.add(`${type} ${name}`);
      for (const [other, lifetime] of addresses) {
        if (isIPv4(other) === (type === 'A') && lifetime.since < now - LAST_MS) lifetime.endBy(now + LAST_MS);
      }
    }
    const known = addresses.get(address);
    if (ttlS === 0) {
      known?.endBy(now + LAST_MS);
      return;
    }
    if (known === undefined && addresses.size >= MAX_ADDRESSES) return;
    if (known === undefined) addresses.set(address, new RecordLifetime(ttlS, now, this.#random()));
    else known.renew(ttlS, now, this.#random());
    this.#retries.delete(name);
    // The address it was heard from certainly leads there; IPv4 before IPv6.
    const order = (one: string): number => (one === source ? 0 : isIPv4(one) ? 1 : 2);
    this.#targets.set(name, new Map([...addresses].sort(([one], [other]) => order(one) - order(other))));
  }

  #forget(now: number): void {
    const targets = new Set<string>();
    for (const [key, instance] of this.#instances) {
      const { pointer, place, text } = instance;
      if (pointer.endsAt <= now) {
        this.#instances.delete(key);
        continue;
      }
      if (place !== undefined && place.lifetime.endsAt <= now) instance.place = undefined;
      if (text !== undefined && text.lifetime.endsAt <= now) instance.text = undefined;
      if (instance.place !== undefined) targets.add(instance.place.record.target);
    }
    for (const [target, addresses] of this.#targets) {
      for (const [address, lifetime] of addresses) if (lifetime.endsAt <= now) addresses.delete(address);
      if (addresses.size === 0 || !targets.has(target)) this.#targets.delete(target);
    }
    for (const target of this.#retries.keys()) if (!targets.has(target)) this.#retries.delete(target);
    for (const target of targets) {
      if (!this.#targets.has(target) && !this.#retries.has(target)) this.#retries.set(target, new QueryRetry(now));
    }
  }

  /** Everything that is asked for at some time, with its schedule. */
  *#schedules(): Generator<{ readonly schedule: QuerySchedule; readonly question: Question }> {
    for (const { name, pointer, place, text, retries } of this.#instances.values()) {
      yield { schedule: pointer, question: { type: 'PTR', name: SERVICE } };
      yield { schedule: place?.lifetime ?? retries.SRV, question: { type: 'SRV', name } };
      yield { schedule: text?.lifetime ?? retries.TXT, question: { type: 'TXT', name } };
    }
    for (const [name, addresses] of this.#targets) {
      for (const [address, schedule] of addresses) {
        yield { schedule, question: { type: isIPv4(address) ? 'A' : 'AAAA', name } };
      }
    }
    for (const [name, schedule] of this.#retries) yield { schedule, question: { type: 'A', name } };
  }
}

/** Of two names of one machine, clients know the one with dots. */
function merged(one: FoundMachine, other: FoundMachine): FoundMachine {
  const dots = ({ name }: FoundMachine): number => name.split('.').length;
  const [first, second] = dots(other) > dots(one) ? [other, one] : [one, other];
  return {
    ...first,
    addresses: [...new Set([...first.addresses, ...second.addresses])],
    isEncrypted: first.isEncrypted ?? second.isEncrypted,
  };
}
