import { ArmatureError } from '../../../base/errors.ts';
import { isSignedBy, keyIdOf, statementOf } from '../../../base/ed25519.ts';
import type { PublisherKeyRow, PublisherKeys, RegistryKey } from '../publisher-keys.ts';
import type { UploadInfo } from './upload-info.ts';

/** A publisher's signature over the statement of a package. */
export interface PackageProof {
  readonly publicKey: Uint8Array;
  readonly signature: Uint8Array;
}

/** A signature as it is stored. */
export interface SignedPackage {
  readonly sha256: string;
  readonly statement: string;
  readonly signature: string;
  readonly public_key: string;
  readonly signed_by: string;
}

/** Metadata keys of a signed upload; the values are base64. */
export const SIGNATURE_HEADER = 'armature-signature';
export const KEY_HEADER = 'armature-signing-key';

/**
 * Reads the signature and key of an upload from its metadata; undefined if the upload is not signed.
 * @throws {ArmatureError} `registry.bad_signature`
 */
export function readProof(signature: string | undefined, key: string | undefined): PackageProof | undefined {
  if (signature === undefined && key === undefined) return undefined;
  const proof = { publicKey: Buffer.from(key ?? '', 'base64'), signature: Buffer.from(signature ?? '', 'base64') };
  if (proof.publicKey.length === 32 && proof.signature.length === 64) return proof;
  throw refused(
    `of the upload is not valid: ${SIGNATURE_HEADER} must be the base64 of 64 bytes, ${KEY_HEADER} that of the 32 bytes of the raw public key`,
  );
}

interface Signer {
  readonly key: PublisherKeyRow;
  readonly proof: PackageProof;
}

/** Signs packages: the publisher's signature if the organization has keys, else one by the hub. */
export class Signing {
  readonly #keys: PublisherKeys;
  readonly #hubKey: RegistryKey;

  constructor(keys: PublisherKeys, hubKey: RegistryKey) {
    this.#keys = keys;
    this.#hubKey = hubKey;
  }

  /**
   * Finds out who has to sign a package; undefined for the hub. An organization that ever had a key must sign from then
   * on: otherwise anybody who can upload could leave the signature out.
   * @throws {ArmatureError} `registry.bad_signature`
   */
  async signerOf(organizationId: string, proof: PackageProof | undefined): Promise<Signer | undefined> {
    const keys = await this.#keys.list(organizationId);
    if (proof === undefined) {
      if (keys.length === 0) return undefined;
      throw refused(
        `is missing: this organization signs its packages, so upload with "armature module upload", which signs, or send ${SIGNATURE_HEADER} and ${KEY_HEADER}`,
      );
    }
    const id = keyIdOf(proof.publicKey);
    const key = keys.find((known) => known.public_key === Buffer.from(proof.publicKey).toString('base64'));
    if (key === undefined)
      throw refused(`is by the key ${id}, which this organization does not accept: have an owner add it`);
    if (key.revoked_at !== null)
      throw refused(`is by the key ${id} ("${key.name}"), which was revoked: sign with another`);
    return { key, proof };
  }

  /**
   * The signature of a package whose bytes are known.
   * @throws {ArmatureError} `registry.bad_signature` if the publisher's signature is not over these bytes
   */
  sign({ moduleId, version, platform }: UploadInfo, sha256: Buffer, signer: Signer | undefined): SignedPackage {
    const statement = statementOf({ moduleId, version, platform, sha256 });
    const { publicKey, signature } = signer?.proof ?? {
      publicKey: this.#hubKey.publicKey,
      signature: this.#hubKey.sign(statement),
    };
    if (!isSignedBy(publicKey, statement, signature)) {
      throw refused(
        `is not for ${moduleId} ${version} ${platform} with these bytes (SHA-256 ${sha256.toString('hex')}): sign the very file that is uploaded`,
      );
    }
    const base64 = (bytes: Uint8Array): string => Buffer.from(bytes).toString('base64');
    return {
      sha256: sha256.toString('hex'),
      statement: base64(statement),
      signature: base64(signature),
      public_key: base64(publicKey),
      signed_by: signer?.key.name ?? '',
    };
  }
}

function refused(why: string): ArmatureError {
  return new ArmatureError('registry.bad_signature', `The signature ${why}.`);
}
