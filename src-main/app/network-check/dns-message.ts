import { decode, encode, RECURSION_DESIRED, type DecodedPacket } from 'dns-packet';

/** What a DNS server is asked. */
export interface DnsQuestion {
  readonly id: number;
  readonly name: string;
  readonly type: 'A' | 'AAAA' | 'NS';
}

/** What it answered. */
export interface DnsAnswer {
  /** `NOERROR`, `NXDOMAIN`, `SERVFAIL`, ... (RFC 1035, section 4.1.1). */
  readonly code: string;
  /** Of the type that was asked for. */
  readonly values: readonly string[];
}

/** A query for one name, with recursion (RFC 1035, section 4.1). */
export function dnsQuery({ id, name, type }: DnsQuestion): Buffer {
  return encode({ type: 'query', id, flags: RECURSION_DESIRED, questions: [{ name, type, class: 'IN' }] });
}

/** Reads the answer to a question. Undefined for a damaged message, or the answer to another one. */
export function readDnsAnswer(bytes: Buffer, asked: DnsQuestion): DnsAnswer | undefined {
  // The decoder leaves out bits that it has no name for.
  if (bytes.length < 12) return undefined;
  let packet: DecodedPacket & { readonly rcode?: string };
  try {
    packet = decode(bytes);
  } catch {
    // Any packet may arrive at this port; the real answer may still follow.
    return undefined;
  }
  if (packet.type !== 'response' || packet.id !== asked.id) return undefined;
  const question = packet.questions?.[0];
  // A server that does not know how to say more may leave the question out of an error (RFC 1035, section 7.3).
  const isAsked = question?.type === asked.type && sameName(question.name, asked.name);
  if (question === undefined ? packet.rcode === 'NOERROR' : !isAsked) return undefined;
  const values = (packet.answers ?? []).flatMap((one) => {
    if (one.type !== asked.type) return [];
    const { data } = one as { readonly data?: unknown };
    return typeof data === 'string' ? [data] : [];
  });
  return { code: packet.rcode ?? 'NOERROR', values };
}

function sameName(one: string, other: string): boolean {
  const plain = (name: string): string => name.toLowerCase().replace(/\.$/, '');
  return plain(one) === plain(other);
}
