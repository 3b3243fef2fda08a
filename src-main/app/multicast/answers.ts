import { AUTHORITATIVE_ANSWER, type Answer, type DecodedPacket, type Packet } from 'dns-packet';
import { GRPC, isName, LONG_TTL_S, SERVICE, TLS, TTL_S } from './service.ts';

/** The facts about this machine that the answers contain. */
export interface AdvertisedMachine {
  /** Its full names, as clients know them. */
  readonly names: readonly string[];
  readonly port: number;
  /** Whether that port accepts TLS. */
  readonly isEncrypted: boolean;
  /** IPv4 address at which the asking computer reaches that port. */
  readonly address: string;
}

/** One answer, and its subject. */
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
 * The answer to a multicast DNS message (RFC 6762): to a question for a machine by its name, or for all machines. It
 * offers gRPC only: a client that reads "webrtc" would look for signaling at the machine.
 * @returns nothing for a message that asks for something else, or already knows the answer
 */
export function responsesTo(message: DecodedPacket, advertised: AdvertisedMachine): readonly Response[] {
  if (message.type !== 'query') return [];
  const { names, port, isEncrypted, address } = advertised;
  const isAsked = (name: string, types: readonly string[]): boolean =>
    (message.questions ?? []).some(
      (question) => question.name.toLowerCase() === name.toLowerCase() && types.includes(question.type),
    );
  const records = ({ host, name }: Instance): Answer[] => [
    { type: 'SRV', name, ttl: TTL_S, data: { port, target: host } },
    { type: 'TXT', name, ttl: LONG_TTL_S, data: [GRPC, `${TLS}=${isEncrypted ? 1 : 0}`] },
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

/** The goodbye message, which says that the machine is closing (RFC 6762, 10.1); undefined if it has no name. */
export function goodbyeOf(names: readonly string[]): Packet | undefined {
  const instances = names.flatMap(instancesOf);
  if (instances.length === 0) return undefined;
  const pointers = instances.map(({ name }): Answer => ({ type: 'PTR', name: SERVICE, ttl: 0, data: name }));
  return responseAbout(SERVICE, pointers, []).packet;
}

/**
 * A name as clients look it up: with its dots, and with dashes as one label, for libraries that do not support dots
 * there.
 */
function instancesOf(host: string): readonly Instance[] {
  if (!isName(host)) return [];
  return [...new Set([host, host.replaceAll('.', '-')])]
    .map((name) => ({ host, name: `${name}.${SERVICE}` }))
    .filter(({ name }) => isName(name));
}

/** Whether the asking computer knows this answer for at least half of its time (RFC 6762, 7.1). */
function isPointer(known: Answer, name: string): boolean {
  return known.type === 'PTR' && known.data === name && (known.ttl ?? 0) >= LONG_TTL_S / 2;
}

function responseAbout(about: string, answers: Answer[], additionals: Answer[]): Response {
  return { about, packet: { type: 'response', id: 0, flags: AUTHORITATIVE_ANSWER, answers, additionals } };
}
