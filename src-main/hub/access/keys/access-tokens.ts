import { randomUUID } from 'node:crypto';
import {
  decodeJwt,
  errors,
  exportJWK,
  generateKeyPair,
  importJWK,
  jwtVerify,
  SignJWT,
  type CryptoKey,
  type JWK,
} from 'jose';
import type { Clock } from '../../../base/clock.ts';
import type { Store } from '../../storage/store.ts';
import type { WriteTransaction } from '../../storage/tables.ts';
import type { Holder } from './holder.ts';

/**
 * Lifetime of a token. The public SDKs authenticate only when they connect, and a token ends with its key anyway. A
 * shorter lifetime would protect little, and would cut off long-running programs.
 */
export const TOKEN_LIFETIME_MS = 7 * 24 * 60 * 60 * 1_000;
const ALGORITHM = 'EdDSA';
/** Our tokens have about 500 characters; much longer ones are not parsed. */
const MAX_TOKEN_LENGTH = 2_048;

/** What a token says. */
export interface TokenSubject {
  readonly holder: Holder;
  /** Version of the secret that the token was issued for. */
  readonly version: string;
}

export interface VerifiedToken extends TokenSubject {
  /** Wall-clock time, milliseconds. */
  readonly expiresAt: number;
}

interface SigningKey {
  readonly kid: string;
  readonly privateKey: CryptoKey;
}

/**
 * Signs and verifies access tokens: JWTs (RFC 7519) signed with Ed25519. The signing key is kept in the store, so
 * tokens stay valid when the hub restarts.
 */
export class AccessTokens {
  readonly #clock: Clock;
  readonly #hubId: string;
  readonly #signing: SigningKey;
  readonly #publicKeys: ReadonlyMap<string, CryptoKey>;

  private constructor(clock: Clock, hubId: string, signing: SigningKey, publicKeys: ReadonlyMap<string, CryptoKey>) {
    this.#clock = clock;
    this.#hubId = hubId;
    this.#signing = signing;
    this.#publicKeys = publicKeys;
  }

  /** @param hubId issuer and audience: the token is valid at no other hub */
  static async open(store: Store, clock: Clock, hubId: string): Promise<AccessTokens> {
    const rows = await store.db.selectFrom('token_keys').selectAll().orderBy('created_at', 'desc').execute();
    const publicKeys = new Map<string, CryptoKey>();
    let signing: SigningKey | undefined;
    for (const { kid, private_jwk } of rows) {
      const jwk = JSON.parse(private_jwk) as JWK;
      signing ??= { kid, privateKey: (await importJWK(jwk, ALGORITHM)) as CryptoKey };
      const { d: _private, ...publicJwk } = jwk;
      publicKeys.set(kid, (await importJWK(publicJwk, ALGORITHM)) as CryptoKey);
    }
    if (signing === undefined) throw new Error('the store has no key to sign tokens with'); // `first-start.ts` creates it
    return new AccessTokens(clock, hubId, signing, publicKeys);
  }

  /** Creates the signing key of a new hub. @returns stores it */
  static async createKey(clock: Clock): Promise<(tx: WriteTransaction) => Promise<void>> {
    const { privateKey } = await generateKeyPair(ALGORITHM, { extractable: true });
    const private_jwk = JSON.stringify(await exportJWK(privateKey));
    return async (tx) => {
      await tx.insertInto('token_keys').values({ kid: randomUUID(), private_jwk, created_at: clock.now() }).execute();
    };
  }

  issue({ holder, version }: TokenSubject): Promise<string> {
    const now = Math.floor(this.#clock.now() / 1_000);
    return new SignJWT({ rpc_creds_type: credentialType(holder.kind), rpc_auth_md: { version } })
      .setProtectedHeader({ alg: ALGORITHM, typ: 'JWT', kid: this.#signing.kid })
      .setSubject(holder.id)
      .setIssuer(this.#hubId)
      .setAudience([this.#hubId])
      .setJti(randomUUID())
      .setIssuedAt(now)
      .setExpirationTime(now + TOKEN_LIFETIME_MS / 1_000)
      .sign(this.#signing.privateKey);
  }

  /** Whether a text claims to be a token of this hub; {@link verify} checks whether it is. */
  isIssuedHere(token: string): boolean {
    if (token.length > MAX_TOKEN_LENGTH) return false;
    try {
      return decodeJwt(token).iss === this.#hubId;
    } catch {
      return false; // not a JWT
    }
  }

  /** The content of a token; undefined if it was not issued here, was altered, or has expired. */
  async verify(token: string): Promise<VerifiedToken | undefined> {
    if (token.length > MAX_TOKEN_LENGTH) return undefined;
    try {
      const { payload } = await jwtVerify(token, (header) => this.#publicKey(header.kid), {
        algorithms: [ALGORITHM],
        typ: 'JWT',
        issuer: this.#hubId,
        audience: this.#hubId,
        requiredClaims: ['sub', 'exp', 'iat', 'jti'],
        currentDate: new Date(this.#clock.now()),
      });
      // The signature shows that `issue` wrote this, so its shape needs no second check.
      const { rpc_creds_type, rpc_auth_md } = payload as { rpc_creds_type: string; rpc_auth_md: { version: string } };
      const kind = rpc_creds_type === 'api-key' || rpc_creds_type === 'module-key' ? rpc_creds_type : 'part-secret';
      return {
        holder: { kind, id: payload.sub ?? '' },
        version: rpc_auth_md.version,
        expiresAt: (payload.exp ?? 0) * 1_000,
      };
    } catch (thrown) {
      if (thrown instanceof errors.JOSEError) return undefined;
      throw thrown;
    }
  }

  #publicKey(kid: string | undefined): CryptoKey {
    const key = kid === undefined ? undefined : this.#publicKeys.get(kid);
    if (key === undefined) throw new errors.JWSSignatureVerificationFailed();
    return key;
  }
}

/** The name of the credential type in tokens; the public protocol has no name for module keys. */
export function credentialType(kind: Holder['kind']): 'api-key' | 'module-key' | 'robot-secret' {
  return kind === 'part-secret' ? 'robot-secret' : kind;
}
