import { createHash, createPublicKey, sign, verify, type KeyObject } from 'node:crypto';
import { PackageStatement } from '../../proto/gen/core/hub/v1/registry.ts';
import { encodeMessage } from '../../proto/message.ts';

const RAW_BYTES = 32;
/** The bytes before the raw key in its DER form (RFC 8410). */
const DER_HEAD = Buffer.from('302a300506032b6570032100', 'hex');
/** The purpose in every signed statement: a signature made for another purpose is not accepted. */
export const STATEMENT_PURPOSE = 'armature-package-v1';
/** The bytes before a key that another key endorses. */
const KEY_PURPOSE = Buffer.from('armature-key-v1');

/** A raw public key; undefined if it is invalid. */
export function publicKeyOf(raw: Uint8Array): KeyObject | undefined {
  if (raw.length !== RAW_BYTES) return undefined;
  return createPublicKey({ key: Buffer.concat([DER_HEAD, raw]), format: 'der', type: 'spki' });
}

/** The raw public key, 32 bytes, of a key pair. */
export function rawPublicKey(key: KeyObject): Buffer {
  const isPrivate = key.type === 'private';
  return Buffer.from(
    (isPrivate ? createPublicKey(key) : key).export({ format: 'der', type: 'spki' }).subarray(-RAW_BYTES),
  );
}

/** The id of a key: the first 16 hexadecimal characters of its SHA-256. */
export function keyIdOf(raw: Uint8Array): string {
  return createHash('sha256').update(raw).digest('hex').slice(0, 16);
}

export function isSignedBy(raw: Uint8Array, message: Uint8Array, signature: Uint8Array): boolean {
  try {
    const key = publicKeyOf(raw);
    return key !== undefined && verify(null, message, key, signature);
  } catch {
    return false; // not a point on the curve
  }
}

export function signWith(key: KeyObject, message: Uint8Array): Buffer {
  return sign(null, message, key);
}

/** The signed statement about a package. */
export function statementOf(facts: Omit<PackageStatement, 'purpose'>): Uint8Array {
  return encodeMessage(PackageStatement, { purpose: STATEMENT_PURPOSE, ...facts });
}

/** The statement that a key signs to endorse another. */
export function endorsementOf(endorsedKey: Uint8Array): Buffer {
  return Buffer.concat([KEY_PURPOSE, endorsedKey]);
}
