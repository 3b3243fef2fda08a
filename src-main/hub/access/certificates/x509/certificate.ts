import { createHash, generateKeyPair, randomBytes, sign, type KeyObject } from 'node:crypto';
import { isIP } from 'node:net';
import { promisify } from 'node:util';
import { bits, encode, explicit, implicit, namedBits, oid, sequence, tag, time, unsigned } from './der.ts';

/** Who signs a certificate: its name, exactly as in its own certificate, and its keys. */
export interface Issuer {
  readonly name: string;
  readonly privateKey: KeyObject;
  readonly publicKey: KeyObject;
}

export interface CertificateRequest {
  /** Common name; for display only. */
  readonly name: string;
  readonly publicKey: KeyObject;
  /** Names and addresses that the certificate is valid for; empty for an authority. */
  readonly hosts: readonly string[];
  readonly isAuthority: boolean;
  /** Wall-clock milliseconds. */
  readonly notBefore: number;
  readonly notAfter: number;
}

const ECDSA_WITH_SHA256 = sequence(oid('1.2.840.10045.4.3.2'));
const COMMON_NAME = oid('2.5.4.3');
const ORGANIZATION = oid('2.5.4.10');
const SERVER_AUTH = oid('1.3.6.1.5.5.7.3.1');
const CLIENT_AUTH = oid('1.3.6.1.5.5.7.3.2');

const generate = promisify(generateKeyPair);

/** Creates a key pair for ECDSA on P-256, which every TLS client supports. */
export function newKeyPair(): Promise<{ readonly privateKey: KeyObject; readonly publicKey: KeyObject }> {
  return generate('ec', { namedCurve: 'prime256v1' });
}

/** A certificate (X.509 v3, RFC 5280) in PEM. */
export function makeCertificate(request: CertificateRequest, issuer: Issuer): string {
  const body = sequence(
    explicit(0, unsigned(Buffer.from([2]))),
    unsigned(serialNumber()),
    ECDSA_WITH_SHA256,
    distinguishedName(issuer.name),
    sequence(time(request.notBefore), time(request.notAfter)),
    distinguishedName(request.name),
    spki(request.publicKey),
    explicit(3, sequence(...extensions(request, issuer))),
  );
  const signature = sign('sha256', body, issuer.privateKey);
  const certificate = sequence(body, ECDSA_WITH_SHA256, bits(signature)).toString('base64');
  const lines = certificate.match(/.{1,64}/g) ?? [];
  return ['-----BEGIN CERTIFICATE-----', ...lines, '-----END CERTIFICATE-----', ''].join('\n');
}

/** A positive random number of 128 bits. */
function serialNumber(): Buffer {
  const bytes = randomBytes(16);
  bytes[0] = ((bytes[0] ?? 0) & 0x7f) | 0x40;
  return bytes;
}

function distinguishedName(name: string): Buffer {
  const attribute = (type: Buffer, value: string): Buffer =>
    encode(tag.set, sequence(type, encode(tag.utf8, Buffer.from(value))));
  return sequence(attribute(ORGANIZATION, 'Armature'), attribute(COMMON_NAME, name));
}

function spki(key: KeyObject): Buffer {
  return key.export({ type: 'spki', format: 'der' });
}

/**
 * The identifier of a key in certificates: SHA-1 of its bits (RFC 5280, 4.2.1.2). Security does not depend on the hash.
 */
function keyIdentifier(key: KeyObject): Buffer {
  const { x = '', y = '' } = key.export({ format: 'jwk' });
  const point = Buffer.concat([Buffer.from([4]), Buffer.from(x, 'base64url'), Buffer.from(y, 'base64url')]);
  return createHash('sha1').update(point).digest();
}

function extensions({ isAuthority, publicKey, hosts }: CertificateRequest, issuer: Issuer): Buffer[] {
  const extension = (id: string, isCritical: boolean, value: Buffer): Buffer =>
    sequence(
      oid(id),
      ...(isCritical ? [encode(tag.boolean, Buffer.from([0xff]))] : []),
      encode(tag.octetString, value),
    );
  const authority = encode(tag.boolean, Buffer.from([0xff]));
  const noneBelow = unsigned(Buffer.from([0]));
  return [
    extension('2.5.29.19', true, isAuthority ? sequence(authority, noneBelow) : sequence()),
    // An authority signs certificates and revocation lists; other keys sign handshakes.
    extension('2.5.29.15', true, isAuthority ? namedBits(5, 6) : namedBits(0)),
    ...(isAuthority ? [] : [extension('2.5.29.37', false, sequence(SERVER_AUTH, CLIENT_AUTH))]),
    extension('2.5.29.14', false, encode(tag.octetString, keyIdentifier(publicKey))),
    extension('2.5.29.35', false, sequence(implicit(0, keyIdentifier(issuer.publicKey)))),
    ...(hosts.length === 0 ? [] : [extension('2.5.29.17', false, sequence(...hosts.map(alternativeName)))]),
  ];
}

function alternativeName(host: string): Buffer {
  switch (isIP(host)) {
    case 4:
      return implicit(7, Buffer.from(host.split('.').map(Number)));
    case 6:
      return implicit(7, ipv6Bytes(host));
    default:
      return implicit(2, Buffer.from(host, 'ascii'));
  }
}

function ipv6Bytes(address: string): Buffer {
  // The URL parser normalizes every spelling of an address.
  const plain = new URL(`http://[${address}]`).hostname.slice(1, -1);
  const [head = '', tail] = plain.split('::');
  const groups = (text: string): string[] => (text === '' ? [] : text.split(':'));
  const [front, back] = [groups(head), groups(tail ?? '')];
  const gap = tail === undefined ? 0 : 8 - front.length - back.length;
  const all = [...front, ...new Array<string>(gap).fill('0'), ...back];
  return Buffer.from(all.map((group) => group.padStart(4, '0')).join(''), 'hex');
}
