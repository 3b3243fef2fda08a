import { createHash, createPublicKey, verify } from 'node:crypto';
import {
  PackageStatement,
  type KeyEndorsement,
  type PackageDescription,
} from '../../../proto/gen/core/hub/v1/registry.ts';
import { ArmatureError } from '../../base/errors.ts';
import { nameOf, type PackageId } from './package-id.ts';

/** What every statement says it is for: a signature over anything else is worth nothing here. */
export const STATEMENT_PURPOSE = 'armature-package-v1';
/** What stands before a key that another one endorses. */
export const ENDORSEMENT_PURPOSE = 'armature-key-v1';

const KEY_BYTES = 32;
/** What stands before the 32 bytes of a public key in its DER encoding (RFC 8410). */
const DER_PREFIX = Buffer.from('302a300506032b6570032100', 'hex');

/** What people call a key by: the first 16 hexadecimal digits of its SHA-256. */
export function keyIdOf(publicKey: Uint8Array): string {
  return createHash('sha256').update(publicKey).digest('hex').slice(0, 16);
}

/**
 * Checks that what a registry says of a package is signed by the key it names, and says this package and these bytes.
 * Whether that key may sign is another question.
 * @throws {ArmatureError} `module.bad_package`
 */
export function checkSignature(id: PackageId, description: PackageDescription): void {
  const { statement, signature, publicKey, sha256 } = description;
  if (!isSignedBy(publicKey, statement, signature)) {
    throw new ArmatureError('module.bad_package', `the signature of ${nameOf(id)} is wrong; publish it again`, {
      details: { keyId: keyIdOf(publicKey) },
    });
  }
  const said = decode(statement);
  const expected = { ...id, purpose: STATEMENT_PURPOSE };
  for (const key of ['purpose', 'moduleId', 'version', 'platform'] as const) {
    if (said?.[key] !== expected[key]) {
      const found = said === undefined ? 'nothing that can be read' : `"${said[key]}" as its ${wordOf[key]}`;
      throw new ArmatureError(
        'module.bad_package',
        `the signature of ${nameOf(id)} is for ${found}, not for "${expected[key]}"; publish it again`,
      );
    }
  }
  if (sha256.length !== 32 || !Buffer.from(sha256).equals(said?.sha256 ?? new Uint8Array())) {
    throw new ArmatureError(
      'module.bad_package',
      `the signature of ${nameOf(id)} is for other bytes; publish it again`,
    );
  }
}

const wordOf = { purpose: 'purpose', moduleId: 'module', version: 'version', platform: 'platform' } as const;

/** Whether endorsements lead from one key to another, each signed by the one before. */
export function leadsTo(from: Uint8Array, to: Uint8Array, endorsements: readonly KeyEndorsement[]): boolean {
  const reached = new Set([keyText(from)]);
  // Each round reaches one key more, or is the last.
  for (let before = 0; before < reached.size;) {
    before = reached.size;
    for (const { byKey, endorsedKey, signature } of endorsements) {
      if (!reached.has(keyText(byKey)) || reached.has(keyText(endorsedKey))) continue;
      const endorsed = Buffer.concat([Buffer.from(ENDORSEMENT_PURPOSE), endorsedKey]);
      if (isSignedBy(byKey, endorsed, signature)) reached.add(keyText(endorsedKey));
    }
  }
  return reached.has(keyText(to));
}

function isSignedBy(publicKey: Uint8Array, bytes: Uint8Array, signature: Uint8Array): boolean {
  if (publicKey.length !== KEY_BYTES) return false;
  try {
    const key = createPublicKey({ key: Buffer.concat([DER_PREFIX, publicKey]), format: 'der', type: 'spki' });
    return verify(null, bytes, key, signature);
  } catch {
    return false; // no point of the curve
  }
}

function keyText(key: Uint8Array): string {
  return Buffer.from(key).toString('base64');
}

function decode(statement: Uint8Array): PackageStatement | undefined {
  try {
    return PackageStatement.decode(statement);
  } catch {
    return undefined; // signed, and yet no statement
  }
}
