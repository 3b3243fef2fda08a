import type { Principal } from '../principal.ts';
import type { TransportKind } from '../call.ts';
import type { ErrorCode } from '../../base/errors.ts';
import type { RefusalReason } from './refusals.ts';

/** Facts about a caller when its call arrives. */
export interface Caller {
  readonly transport: TransportKind;
  readonly isLoopback: boolean;
  readonly isEncrypted: boolean;
  /** The call looks like a browser's (`origin`, `sec-fetch-mode`), over any transport. */
  readonly isBrowser: boolean;
  /** A secret was sent: a Bearer token, or the token that opened the channel. */
  readonly showedToken: boolean;
  /** The caller that the secret authenticates; undefined if the secret is not valid, or not any more. */
  readonly proven: Principal | undefined;
  /** Any program of this computer may call the method: it reveals no secret and runs no program. */
  readonly isOpenMethod: boolean;
}

/** The part of the policy that the decision needs. */
export interface AccessRules {
  readonly authEnabled: boolean;
  readonly hasKeys: boolean;
  readonly allowInsecureCreds: boolean;
}

export interface Refusal {
  readonly allowed: false;
  readonly reason: RefusalReason;
  readonly code: ErrorCode;
  readonly message: string;
}

export type Verdict = { readonly allowed: true; readonly principal: Principal } | Refusal;

const LOCAL: Verdict = { allowed: true, principal: { kind: 'local', entity: 'local' } };
const LOOPBACK: Verdict = { allowed: true, principal: { kind: 'loopback', entity: 'loopback' } };

const refuse = (reason: RefusalReason, code: ErrorCode, message: string): Refusal => ({
  allowed: false,
  reason,
  code,
  message,
});

const INSECURE = refuse(
  'insecure-credentials',
  'access.denied',
  'Credentials over clear text from another computer are refused: use TLS ("network": {"tls_cert_file", "tls_key_file"}), or start the program with -allow-insecure-creds.',
);
const BAD_TOKEN = refuse(
  'bad-token',
  'access.unauthenticated',
  'This token is not valid here: it expired, is from before a restart, or its API key was removed. Authenticate again.',
);
const NO_KEYS = refuse(
  'no-proof',
  'access.unauthenticated',
  'Callers from another computer need an API key and this machine has none: add one to its configuration under "auth": {"handlers": [...]}.',
);
const NEED_KEY = refuse(
  'no-proof',
  'access.unauthenticated',
  'This machine needs a token: call proto.rpc.v1.AuthService/Authenticate with an API key and send what it returns as "authorization: Bearer <token>".',
);
const NEED_LAUNCH_TOKEN = refuse(
  'no-proof',
  'access.unauthenticated',
  'What a browser can send needs a token: send the one in the address that the program printed at start, or one from AuthService/Authenticate, as "authorization: Bearer <token>".',
);

const NEED_PROOF = refuse(
  'no-proof',
  'access.unauthenticated',
  'This shows secrets or runs programs, so the caller has to prove itself, on this computer too: call over the socket of the server\'s user (run/PORT-....sock in SVC_HOME), or with a token from AuthService/Authenticate for an API key, or with the launch token, as "authorization: Bearer <token>".',
);

/** Whether a caller needs no proof for what is open to this computer: native gRPC on it, and no `auth` block. */
export function isOpenTo(caller: Pick<Caller, 'transport' | 'isLoopback' | 'isBrowser'>, rules: AccessRules): boolean {
  const isNative = caller.transport === 'grpc' || caller.transport === 'webrtc';
  return !rules.authEnabled && isNative && caller.isLoopback && !caller.isBrowser;
}

/** Whether a secret from this caller could have been read in transit. */
export function isInsecure(caller: Pick<Caller, 'isLoopback' | 'isEncrypted'>, rules: AccessRules): boolean {
  return !caller.isLoopback && !caller.isEncrypted && !rules.allowInsecureCreds;
}

/** The complete access rule for one call, as a function of facts. */
export function decideAccess(caller: Caller, rules: AccessRules): Verdict {
  if (caller.transport === 'local') return LOCAL;
  if (caller.showedToken && isInsecure(caller, rules)) return INSECURE;
  if (caller.proven !== undefined) return { allowed: true, principal: caller.proven };
  const isOpen = isOpenTo(caller, rules);
  if (isOpen && caller.isOpenMethod) return LOOPBACK;
  if (caller.showedToken) return BAD_TOKEN;
  if (isOpen) return NEED_PROOF;
  if (!caller.isLoopback && !rules.hasKeys) return NO_KEYS;
  if (caller.isLoopback && !rules.authEnabled) return NEED_LAUNCH_TOKEN;
  return NEED_KEY;
}

/** The refusal of credentials in clear text, for code that accepts credentials outside a call. */
export const insecureCredentials = INSECURE;
/** The refusal of a caller that could authenticate if a key existed. */
export const noKeysConfigured = NO_KEYS;
