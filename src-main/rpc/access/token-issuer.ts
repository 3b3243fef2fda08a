import { generateKeyPairSync, randomUUID, sign, verify, type KeyObject } from 'node:crypto';
import type { Clock } from '../../base/clock.ts';

/** The identity in a token. */
export interface TokenSubject {
  /** Id of the API key. */
  readonly entity: string;
  /** Fingerprint of the key that the token was issued for: replacing the key ends its tokens. */
  readonly fingerprint: string;
}

export interface VerifiedToken extends TokenSubject {
  /** Wall-clock time, milliseconds. */
  readonly expiresAt: number;
}

/**
 * Tokens live this long. The TypeScript SDK authenticates only when it
 * connects and reconnects by itself when a call is refused, so a day means at
 * most one reconnect a day; a connection that has proved itself is not
 * interrupted (see AccessControl).
 */
export const TOKEN_LIFETIME_MS = 24 * 60 * 60 * 1_000;

const base64url = (text: string | Uint8Array): string => Buffer.from(text).toString('base64url');

/**
 * Makes and checks the access tokens of this machine: JWTs signed with an Ed25519 key that is made
 * at each start, with an expiry.
 */
export class TokenIssuer {
  readonly #clock: Clock;
  readonly #privateKey: KeyObject;
  readonly #publicKey: KeyObject;
  readonly #header: string;

  constructor(clock: Clock) {
    this.#clock = clock;
    const { privateKey, publicKey } = generateKeyPairSync('ed25519');
    this.#privateKey = privateKey;
    this.#publicKey = publicKey;
    const { x: kid } = publicKey.export({ format: 'jwk' });
    this.#header = base64url(JSON.stringify({ alg: 'EdDSA', typ: 'JWT', kid }));
  }

  /** @param audience name of this machine; a token is valid nowhere else */
  issue(subject: TokenSubject, audience: string): string {
    const now = this.#clock.now();
    const claims = {
      iss: audience,
      aud: [audience],
      sub: subject.entity,
      iat: Math.floor(now / 1_000),
      exp: Math.floor((now + TOKEN_LIFETIME_MS) / 1_000),
      jti: randomUUID(),
      rpc_creds_type: 'api-key',
      rpc_auth_md: { key: subject.fingerprint },
    };
    const signed = `${this.#header}.${base64url(JSON.stringify(claims))}`;
    return `${signed}.${base64url(sign(null, Buffer.from(signed), this.#privateKey))}`;
  }

  /** Whether a text looks like a token of this start, without checking it. */
  isOurs(token: string): boolean {
    return token.startsWith(`${this.#header}.`);
  }

  /** The subject of a token that we signed for this audience and that has not expired, else undefined. */
  verify(token: string, audience: string): VerifiedToken | undefined {
    const [header, payload, signature, ...rest] = token.split('.');
    if (header !== this.#header || payload === undefined || signature === undefined || rest.length > 0)
      return undefined;
    const isOurs = verify(
      null,
      Buffer.from(`${header}.${payload}`),
      this.#publicKey,
      Buffer.from(signature, 'base64url'),
    );
    if (!isOurs) return undefined;
    // We sign only what `issue` wrote, so its form needs no second check.
    const claims = JSON.parse(Buffer.from(payload, 'base64url').toString()) as {
      aud: string[];
      sub: string;
      exp: number;
      rpc_auth_md: { key: string };
    };
    const expiresAt = claims.exp * 1_000;
    if (!claims.aud.includes(audience) || expiresAt <= this.#clock.now()) return undefined;
    return { entity: claims.sub, fingerprint: claims.rpc_auth_md.key, expiresAt };
  }
}
