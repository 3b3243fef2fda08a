import { AUTHORITATIVE_ANSWER, type Answer, type DecodedPacket, type Packet } from 'dns-packet';

/** Under which public clients look for machines in a local network, all that speak gRPC. */
const SERVICE = '_rpc._tcp.local';
/** Seconds for which an answer may be kept (RFC 6762, 10): of what names an address or a port, and of the rest. */
const TTL_S = 120;
const LONG_TTL_S = 4_500;
/** Bytes of one label of a name, and of a name (RFC 1035, 2.3.4). */
const LONGEST_LABEL = 63;
const LONGEST_NAME = 255;
/** Bytes of a message (RFC 6762, 17), and of what stands before its records. */
const LONGEST_MESSAGE = 9_000;
const HEADER_BYTES = 12;
/** Questions and records of a message: a few where it is meant well. A datagram has room for 10,000, which take 0.15 s. */
const MOST_RECORDS = 100;

/** What is told of a machine. */
export interface Announced {
  /** Its full names, as clients are given them. */
  readonly names: readonly string[];
  readonly port: number;
  /** IPv4 address at which whoever asks reaches that port. */
  readonly address: string;
}

/** One answer, and what it is about. */
export interface Response {
  /** The name that was asked for. */
  readonly about: string;
  readonly packet: Packet;
}

interface Instance {
  readonly host: string;
  readonly name: string;
}

/**
 * Whether bytes are a message that asks something, by their header alone. One that answers, is longer than any, or has more
 * in it than anybody asks, is not worth decoding.
 */
export function isQuery(bytes: Buffer): boolean {
  if (bytes.length < HEADER_BYTES || bytes.length > LONGEST_MESSAGE) return false;
  const isResponse = (bytes.readUInt8(2) & 0x80) !== 0;
  const records = [4, 6, 8, 10].reduce((count, offset) => count + bytes.readUInt16BE(offset), 0);
  return !isResponse && records <= MOST_RECORDS;
}

/**
 * What to answer to a multicast DNS message (RFC 6762): to a question for a machine by its name, and to one for all
 * machines. Of gRPC alone: a client that reads "webrtc" would look for signaling at the machine.
 * @returns nothing for a message that asks for something else, or knows the answer
 */
export function responsesTo(message: DecodedPacket, { names, port, address }: Announced): readonly Response[] {
  if (message.type !== 'query') return [];
  const isAsked = (name: string, types: readonly string[]): boolean =>
    (message.questions ?? []).some(
      (question) => question.name.toLowerCase() === name.toLowerCase() && types.includes(question.type),
    );
  const records = ({ host, name }: Instance): Answer[] => [
    { type: 'SRV', name, ttl: TTL_S, data: { port, target: host } },
    { type: 'TXT', name, ttl: LONG_TTL_S, data: ['grpc'] },
  ];
  const addressOf = (host: string): Answer => ({ type: 'A', name: host, ttl: TTL_S, data: address });

  const instances = names.flatMap(instancesOf);
  const responses = instances
    .filter(({ name }) => isAsked(name, ['SRV', 'TXT', 'ANY']))
    .map((instance) => responseAbout(instance.name, records(instance), [addressOf(instance.host)]));
  const unknown = instances.filter(({ name }) => !(message.answers ?? []).some((known) => isPointer(known, name)));
  if (isAsked(SERVICE, ['PTR', 'ANY']) && unknown.length > 0) {
    const pointers = unknown.map(({ name }): Answer => ({ type: 'PTR', name: SERVICE, ttl: LONG_TTL_S, data: name }));
    const addresses = [...new Set(unknown.map(({ host }) => host))].map(addressOf);
    responses.push(responseAbout(SERVICE, pointers, [...unknown.flatMap(records), ...addresses]));
  }
  return responses;
}

/** A name as it is looked for: with its dots, and with dashes as one label, for libraries that know no dots there. */
function instancesOf(host: string): readonly Instance[] {
  if (!isName(host)) return [];
  return [...new Set([host, host.replaceAll('.', '-')])]
    .map((name) => ({ host, name: `${name}.${SERVICE}` }))
    .filter(({ name }) => isName(name));
}

function isName(text: string): boolean {
  const labels = text.split('.').map((label) => Buffer.byteLength(label));
  return text.length < LONGEST_NAME && labels.every((length) => length > 0 && length <= LONGEST_LABEL);
}

/** Whoever asks has this answer for at least half of its time (RFC 6762, 7.1). */
function isPointer(known: Answer, name: string): boolean {
  return known.type === 'PTR' && known.data === name && (known.ttl ?? 0) >= LONG_TTL_S / 2;
}

function responseAbout(about: string, answers: Answer[], additionals: Answer[]): Response {
  return { about, packet: { type: 'response', id: 0, flags: AUTHORITATIVE_ANSWER, answers, additionals } };
}
