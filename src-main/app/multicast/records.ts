import { isIPv4, isIPv6 } from 'node:net';
import { decode, encode, TRUNCATED_RESPONSE, type Answer, type Packet, type Question } from 'dns-packet';
import { GRPC, isName, kindOfMessage, LONG_TTL_S, SERVICE, TLS } from './service.ts';

interface Common {
  /** Owner of the record, in lower case: names in DNS ignore case. */
  readonly name: string;
  /** 0 withdraws the record. Never more than {@link LONG_TTL_S}. */
  readonly ttlS: number;
  /** Replaces earlier records of the name (RFC 6762, 10.2). */
  readonly isFlush: boolean;
}

/** A machine exists. */
export interface PtrRecord extends Common {
  readonly type: 'PTR';
  /** Name of the instance, as received: below {@link SERVICE}. */
  readonly instance: string;
}

/** Where an instance is reached. */
export interface SrvRecord extends Common {
  readonly type: 'SRV';
  readonly port: number;
  /** In lower case. */
  readonly target: string;
}

/** Properties of an instance. */
export interface TxtRecord extends Common {
  readonly type: 'TXT';
  readonly hasGrpc: boolean;
  /** Undefined if the machine does not say. */
  readonly isEncrypted: boolean | undefined;
}

/** Address of a target. */
export interface AddressRecord extends Common {
  readonly type: 'A' | 'AAAA';
  readonly address: string;
}

export type DiscoveryRecord = PtrRecord | SrvRecord | TxtRecord | AddressRecord;

/** Control characters and marks that change the direction of text: not allowed in names that people read. */
const UNSEEN = /[\p{C}\p{Zl}\p{Zp}]/u;
const BELOW_SERVICE = `.${SERVICE}`;
/** Most texts of a TXT record that are read. */
const MAX_TEXTS = 32;
/** A longer query may be fragmented, and is lost with any fragment. */
const QUERY_BYTES = 1_400;

/**
 * The records of gRPC machines in a message. The sender is not trusted: records that no machine would send are skipped,
 * and invalid messages have none.
 */
export function readRecords(bytes: Buffer): readonly DiscoveryRecord[] {
  if (kindOfMessage(bytes) !== 'response') return [];
  let packet: Packet;
  try {
    packet = decode(bytes);
  } catch {
    return [];
  }
  return [...(packet.answers ?? []), ...(packet.additionals ?? [])].flatMap((answer) => {
    const record = recordOf(answer);
    return record === undefined ? [] : [record];
  });
}

/** Whether an address can be reached from another computer, or from this one if it is loopback. */
export function isReachable(address: string, isOfThisComputer: boolean): boolean {
  if (isIPv4(address)) {
    const [first = 0] = address.split('.', 1).map(Number);
    return first === 127 ? isOfThisComputer : first !== 0 && first < 224;
  }
  if (!isIPv6(address)) return false;
  // A link-local address does not include its network, so it cannot be connected to.
  const text = address.toLowerCase();
  if (text === '::1') return isOfThisComputer;
  return text !== '::' && !text.startsWith('::ffff:') && !/^(ff|fe[89ab])/.test(text);
}

/**
 * A query, in as many messages as needed.
 * @param known known instances with their remaining seconds, which need no answer (RFC 6762, 7.1)
 */
export function queriesFor(
  questions: readonly Question[],
  known: readonly { readonly instance: string; readonly ttlS: number }[],
): readonly Uint8Array[] {
  const answers = known.map(({ instance, ttlS }): Answer => ({
    type: 'PTR',
    name: SERVICE,
    ttl: ttlS,
    data: instance,
  }));
  const packets: Packet[] = [];
  let packet: Packet & { questions: Question[]; answers: Answer[] } = { type: 'query', questions: [], answers: [] };
  let bytes = 12;
  const next = (size: number): void => {
    if (bytes + size > QUERY_BYTES) {
      packets.push(packet);
      packet = { type: 'query', questions: [], answers: [] };
      bytes = 12;
    }
    bytes += size;
  };
  for (const question of questions) {
    next(question.name.length + 6);
    packet.questions.push(question);
  }
  for (const answer of answers) {
    next(SERVICE.length + String((answer as { data: string }).data).length + 16);
    packet.answers.push(answer);
  }
  packets.push(packet);
  // More known answers follow (7.2).
  const isFollowed = (index: number): boolean => (packets[index + 1]?.questions ?? [undefined]).length === 0;
  return packets.map((one, index) => encode(isFollowed(index) ? { ...one, flags: TRUNCATED_RESPONSE } : one));
}

function recordOf(answer: Answer): DiscoveryRecord | undefined {
  const { name, ttl = 0, flush = false } = answer as Answer & { ttl?: number; flush?: boolean };
  const common = {
    name: name.toLowerCase(),
    ttlS: Math.min(Math.max(0, ttl), LONG_TTL_S),
    isFlush: flush,
  };
  switch (answer.type) {
    case 'PTR': {
      const { data: instance } = answer;
      return common.name === SERVICE && isInstance(instance) ? { ...common, type: 'PTR', instance } : undefined;
    }
    case 'SRV': {
      const { port, target } = answer.data;
      if (!isInstance(name) || !isSeen(target) || port === 0) return undefined;
      return { ...common, type: 'SRV', port, target: target.toLowerCase() };
    }
    case 'TXT':
      return isInstance(name) ? { ...common, type: 'TXT', ...readTexts(answer.data) } : undefined;
    case 'A':
    case 'AAAA':
      return isSeen(name) ? { ...common, type: answer.type, address: answer.data } : undefined;
    default:
      return undefined;
  }
}

function readTexts(data: string | Buffer | readonly (string | Buffer)[]): Pick<TxtRecord, 'hasGrpc' | 'isEncrypted'> {
  const given: readonly (string | Buffer)[] = typeof data === 'string' || Buffer.isBuffer(data) ? [data] : data;
  const texts = given.slice(0, MAX_TEXTS).map((text) => String(text).toLowerCase());
  // The first of several with one key counts (RFC 6763, 6.4).
  const tls = texts.find((text) => text.startsWith(`${TLS}=`))?.slice(TLS.length + 1);
  return { hasGrpc: texts.includes(GRPC), isEncrypted: tls === '1' ? true : tls === '0' ? false : undefined };
}

function isInstance(name: string): boolean {
  return name.toLowerCase().endsWith(BELOW_SERVICE) && isSeen(name);
}

function isSeen(name: string): boolean {
  return isName(name) && !UNSEEN.test(name);
}
