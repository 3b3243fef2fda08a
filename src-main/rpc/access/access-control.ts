import { randomBytes, timingSafeEqual } from 'node:crypto';
import type { Clock } from '../../base/clock.ts';
import { ArmatureError } from '../../base/errors.ts';
import type { Logger } from '../../base/logger.ts';
import type { Principal } from '../principal.ts';
import type { Connection, Interceptor, ServerCall } from '../call.ts';
import { firstValue } from '../metadata.ts';
import { isOpenToAll } from './open-methods.ts';
import type { Method } from '../method.ts';
import { sha256, type AccessPolicy } from './access-policy.ts';
import {
  decideAccess,
  insecureCredentials,
  isInsecure,
  isOpenTo,
  type AccessRules,
  type Refusal,
  type Verdict,
} from './access-decision.ts';
import { KeyRing } from './key-ring.ts';
import { RefusalLog, type RefusalReason } from './refusals.ts';
import { TokenIssuer } from './token-issuer.ts';

/** A caller's proof in a form that can be checked again after a change of policy. */
export type Proof =
  | { readonly kind: 'launch-token'; readonly digest: Uint8Array; readonly principal: Principal }
  /** We opened the connection, and the other side has authenticated. */
  | { readonly kind: 'hub'; readonly principal: Principal }
  /** We started the process, and created the socket for it alone. */
  | { readonly kind: 'module'; readonly principal: Principal }
  /** The operating system restricts who can open the socket of the connection. */
  | { readonly kind: 'user'; readonly principal: Principal }
  /** A browser that the person who started the program has opened before. */
  | { readonly kind: 'browser'; readonly holds: () => boolean; readonly principal: Principal }
  | { readonly kind: 'api-key'; readonly fingerprint: string; readonly principal: Principal };

interface KnownToken {
  readonly proof: Proof;
  readonly expiresAt: number;
}

const ANONYMOUS: Principal = { kind: 'anonymous', entity: 'anonymous' };
const LAUNCH: Principal = { kind: 'launch-token', entity: 'launch-token' };
const MAX_KNOWN_TOKENS = 1_024;

/**
 * Decides who may call. The policy can be replaced while connections are open: every call is checked against the
 * current policy, so a token whose API key was removed stops working at the next call. A token's expiry is checked only
 * when a connection first shows it, so that nobody loses control of a moving motor because a token expires.
 */
export class AccessControl {
  readonly refusals: RefusalLog;
  readonly #clock: Clock;
  readonly #isOpenMethod: (method: Method) => boolean;
  readonly #issuer: TokenIssuer;
  readonly #bootSecret = randomBytes(32);
  readonly #bound = new WeakMap<Connection, Proof>();
  readonly #shown = new WeakMap<Connection, { readonly token: string; readonly proof: Proof }>();
  readonly #known = new Map<string, KnownToken>();
  #policy: AccessPolicy;
  #keys: KeyRing;
  #rules: AccessRules;
  #launchDigest: Uint8Array;

  /** @param isOpenMethod whether any program of this computer may call it without proof if there is no `auth` block */
  constructor(policy: AccessPolicy, clock: Clock, logger: Logger, isOpenMethod: (method: Method) => boolean) {
    this.refusals = new RefusalLog(logger, clock);
    this.#isOpenMethod = isOpenMethod;
    this.#clock = clock;
    this.#issuer = new TokenIssuer(clock);
    this.#policy = policy;
    this.#keys = new KeyRing(policy.apiKeys, this.#bootSecret);
    this.#rules = rulesOf(policy, this.#keys);
    this.#launchDigest = launchDigestOf(policy);
  }

  get policy(): AccessPolicy {
    return this.#policy;
  }

  get keys(): KeyRing {
    return this.#keys;
  }

  get rules(): AccessRules {
    return this.#rules;
  }

  /** Replaces the policy for all calls from now on; connections stay open. */
  setPolicy(policy: AccessPolicy): void {
    this.#policy = policy;
    this.#keys = new KeyRing(policy.apiKeys, this.#bootSecret);
    this.#rules = rulesOf(policy, this.#keys);
    this.#launchDigest = launchDigestOf(policy);
    this.#known.clear();
  }

  /** The router's interceptor: sets `call.principal`, or refuses. */
  readonly interceptor: Interceptor = {
    name: 'access',
    start: (call) => {
      const verdict = this.#decideCall(call);
      if (verdict.allowed) {
        call.principal = verdict.principal;
      } else if (isOpenToAll(call.method)) {
        call.principal = ANONYMOUS;
      } else {
        throw this.refuse(verdict, call.connection.remoteAddress, call.method.path);
      }
    },
  };

  /** Whether this caller needs no proof for open methods (then AuthService answers Unimplemented). */
  isOpenTo(call: ServerCall): boolean {
    return isOpenTo(
      {
        transport: call.connection.transport,
        isLoopback: call.connection.isLoopback,
        isBrowser: isFromBrowser(call.metadata),
      },
      this.#rules,
    );
  }

  /** Whether these rules apply to a token; other tokens are checked by their issuer. */
  recognizes(token: string): boolean {
    return this.#issuer.isOurs(token) || timingSafeEqual(sha256(token), this.#launchDigest);
  }

  isInsecure(connection: Connection): boolean {
    return isInsecure(connection, this.#rules);
  }

  /** A token for a caller that has authenticated with the key with this id. */
  issueToken(keyId: string): string {
    const fingerprint = this.#keys.fingerprint(keyId);
    if (fingerprint === undefined)
      throw new ArmatureError('internal.bug', `no API key "${keyId}" to issue a token for`);
    return this.#issuer.issue({ entity: keyId, fingerprint }, this.#policy.fqdn);
  }

  /**
   * Authenticates the opener of a channel, by the launch token or an access token. Calls over the connection then need
   * no token.
   * @param token the caller's, or undefined
   */
  admit(connection: Connection, token: string | undefined): Verdict {
    const proof = token === undefined ? undefined : this.#prove(connection, token);
    const verdict = decideAccess(
      {
        transport: connection.transport,
        isLoopback: connection.isLoopback,
        isEncrypted: connection.isEncrypted,
        isBrowser: true,
        showedToken: token !== undefined,
        proven: proof?.principal,
        isOpenMethod: false,
      },
      this.#rules,
    );
    if (!verdict.allowed) {
      this.refusals.record(verdict.reason, connection.remoteAddress, 'a channel', verdict.message);
    } else if (proof !== undefined) {
      this.#bound.set(connection, proof);
    }
    return verdict;
  }

  /** Trusts a connection that this program made itself, for example the desktop window's port. */
  trustOwnWindow(connection: Connection): void {
    this.#bound.set(connection, { kind: 'launch-token', digest: this.#launchDigest, principal: LAUNCH });
  }

  /** Trusts calls over a connection that this program opened to its hub. */
  trustHub(connection: Connection): void {
    this.#bound.set(connection, { kind: 'hub', principal: { kind: 'hub', entity: 'hub' } });
  }

  /**
   * Trusts calls over a channel of a browser that was signed in by the launch token of an earlier start.
   * @param holds whether it is still so; asked for each call
   */
  trustBrowser(connection: Connection, holds: () => boolean): void {
    this.#bound.set(connection, { kind: 'browser', holds, principal: LAUNCH });
  }

  /**
   * Gives a connection the rights of an API key while the key is valid.
   * @returns false if there is no such key
   */
  trustKey(connection: Connection, keyId: string): boolean {
    const fingerprint = this.#keys.fingerprint(keyId);
    if (fingerprint === undefined) return false;
    this.#bound.set(connection, {
      kind: 'api-key',
      fingerprint,
      principal: { kind: 'api-key', entity: keyId },
    });
    return true;
  }

  /** Trusts calls over the socket that was made for a module of this machine. */
  trustModule(connection: Connection, name: string): void {
    this.#bound.set(connection, { kind: 'module', principal: { kind: 'module', entity: name } });
  }

  /** Trusts calls over a socket that only this program's user, and root, can open. */
  trustUser(connection: Connection, name: string): void {
    this.#bound.set(connection, { kind: 'user', principal: { kind: 'user', entity: name } });
  }

  /** Counts and logs a refusal; returns the error to throw. */
  refuse(refusal: Refusal, remoteAddress: string, what: string): ArmatureError {
    return this.#refusal(refusal.reason, remoteAddress, what, refusal);
  }

  /** The refusal of credentials sent in clear text from beyond this computer. */
  refuseInsecure(remoteAddress: string, what: string): ArmatureError {
    return this.refuse(insecureCredentials, remoteAddress, what);
  }

  #refusal(reason: RefusalReason, remoteAddress: string, what: string, refusal: Refusal): ArmatureError {
    this.refusals.record(reason, remoteAddress, what, refusal.message);
    return new ArmatureError(refusal.code, refusal.message, { details: { reason } });
  }

  #decideCall(call: ServerCall): Verdict {
    const { connection, metadata } = call;
    const token = bearerToken(firstValue(metadata, 'authorization'));
    const bound = this.#bound.get(connection);
    const proof =
      (token === undefined ? undefined : this.#prove(connection, token)) ??
      (bound !== undefined && this.#holds(bound) ? bound : undefined);
    return decideAccess(
      {
        transport: connection.transport,
        isLoopback: connection.isLoopback,
        isEncrypted: connection.isEncrypted,
        isBrowser: isFromBrowser(metadata),
        showedToken: token !== undefined || bound !== undefined,
        proven: proof?.principal,
        isOpenMethod: this.#isOpenMethod(call.method),
      },
      this.#rules,
    );
  }

  #prove(connection: Connection, token: string): Proof | undefined {
    const shown = this.#shown.get(connection);
    if (shown?.token === token && this.#holds(shown.proof)) return shown.proof;
    const proof = this.#examine(token);
    if (proof !== undefined) this.#shown.set(connection, { token, proof });
    return proof;
  }

  #examine(token: string): Proof | undefined {
    const known = this.#known.get(token);
    if (known !== undefined && known.expiresAt > this.#clock.now()) return known.proof;
    const digest = sha256(token);
    if (timingSafeEqual(digest, this.#launchDigest)) return { kind: 'launch-token', digest, principal: LAUNCH };
    const verified = this.#issuer.verify(token, this.#policy.fqdn);
    if (verified === undefined) return undefined;
    const proof: Proof = {
      kind: 'api-key',
      fingerprint: verified.fingerprint,
      principal: { kind: 'api-key', entity: verified.entity },
    };
    if (!this.#holds(proof)) return undefined;
    if (this.#known.size >= MAX_KNOWN_TOKENS) this.#known.clear();
    this.#known.set(token, { proof, expiresAt: verified.expiresAt });
    return proof;
  }

  #holds(proof: Proof): boolean {
    if (proof.kind === 'hub' || proof.kind === 'module' || proof.kind === 'user') return true;
    if (proof.kind === 'browser') return proof.holds();
    if (proof.kind === 'launch-token') return timingSafeEqual(proof.digest, this.#launchDigest);
    return this.#keys.fingerprint(proof.principal.entity) === proof.fingerprint;
  }
}

function rulesOf(policy: AccessPolicy, keys: KeyRing): AccessRules {
  return {
    authEnabled: policy.authEnabled,
    hasKeys: !keys.isEmpty,
    allowInsecureCreds: policy.allowInsecureCreds,
  };
}

function launchDigestOf(policy: AccessPolicy): Uint8Array {
  // An empty secret would accept an empty token.
  return policy.launchToken === '' ? randomBytes(32) : sha256(policy.launchToken);
}

/** The token in `Bearer <token>`; other schemes, such as the dummy `Basic` of one SDK, do not count. */
export function bearerToken(authorization: string | undefined): string | undefined {
  if (authorization === undefined) return undefined;
  const match = /^bearer +(\S+)$/i.exec(authorization);
  return match?.[1];
}

function isFromBrowser(metadata: ServerCall['metadata']): boolean {
  return metadata['origin'] !== undefined || metadata['sec-fetch-mode'] !== undefined;
}
