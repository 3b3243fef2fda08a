import {
  PackageStatement,
  type KeyEndorsement,
  type PackageDescription,
} from '../../../../proto/gen/core/hub/v1/registry.ts';
import { endorsementOf, isSignedBy, keyIdOf, STATEMENT_PURPOSE } from '../../../base/ed25519.ts';
import { ArmatureError } from '../../../base/errors.ts';
import { nameOf, type PackageId } from '../package-id.ts';

/**
 * Checks that a registry's description of a package is signed by the key it names, and names this package and these
 * bytes. Whether that key may sign is checked elsewhere.
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

/** Whether a chain of endorsements connects one key to another, each signed by the previous key. */
export function leadsTo(from: Uint8Array, to: Uint8Array, endorsements: readonly KeyEndorsement[]): boolean {
  const reached = new Set([keyText(from)]);
  // Each pass reaches at least one more key, or is the last.
  for (let before = 0; before < reached.size;) {
    before = reached.size;
    for (const { byKey, endorsedKey, signature } of endorsements) {
      if (!reached.has(keyText(byKey)) || reached.has(keyText(endorsedKey))) continue;
      if (isSignedBy(byKey, endorsementOf(endorsedKey), signature)) reached.add(keyText(endorsedKey));
    }
  }
  return reached.has(keyText(to));
}

function keyText(key: Uint8Array): string {
  return Buffer.from(key).toString('base64');
}

function decode(statement: Uint8Array): PackageStatement | undefined {
  try {
    return PackageStatement.decode(statement);
  } catch {
    return undefined; // signed, but not a valid statement
  }
}
