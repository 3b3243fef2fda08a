import type { Clock } from '../../base/clock.ts';
import { ArmatureError } from '../../base/errors.ts';
import { bearerToken } from '../../rpc/access/access-control.ts';
import type { RefusalLog, RefusalReason } from '../../rpc/access/refusals.ts';
import type { Principal } from '../../rpc/principal.ts';
import type { Connection, Interceptor, ServerCall } from '../../rpc/call.ts';
import { firstValue } from '../../rpc/metadata.ts';
import { isOpenToAll } from '../../rpc/access/open-methods.ts';
import type { AccessTokens, VerifiedToken } from './keys/access-tokens.ts';
import type { Credentials, Loss } from './keys/credentials.ts';

export interface HubAccessOptions {
  readonly credentials: Credentials;
  readonly tokens: AccessTokens;
  readonly clock: Clock;
  readonly refusals: RefusalLog;
  /** `--allow-insecure-creds`: whether to accept credentials in clear text from other computers. */
  readonly allowsInsecureCreds: boolean;
}

const MAX_KNOWN_TOKENS = 10_000;

/**
 * Access control of a hub that has its own port: admits callers with a token for a credential that is currently
 * accepted. Ends streams whose credential is revoked or loses rights.
 */
export class HubAccess {
  readonly refusals: RefusalLog;
  readonly #options: HubAccessOptions;
  readonly #known = new Map<string, VerifiedToken>();
  /** Connections that have shown a token once: their calls need none. */
  readonly #bound = new WeakMap<Connection, VerifiedToken>();
  /** Open streams by holder, each with the version of the secret that it was opened with. */
  readonly #streams = new Map<string, Map<ServerCall, string>>();
  readonly #unsubscribe: () => void;

  constructor(options: HubAccessOptions) {
    this.#options = options;
    this.refusals = options.refusals;
    this.#unsubscribe = options.credentials.onLoss((loss) => this.#endStreams(loss));
  }

  close(): void {
    this.#unsubscribe();
  }

  /** The router's interceptor: sets `call.principal`, or refuses the call. */
  readonly interceptor: Interceptor = {
    name: 'hub-access',
    start: (call) => {
      if (call.connection.transport === 'local' || isOpenToAll(call.method)) return undefined;
      const token = bearerToken(firstValue(call.metadata, 'authorization'));
      const known = token === undefined ? this.#bound.get(call.connection) : this.#known.get(token);
      if (token === undefined && known === undefined) throw this.refuse('no-proof', call, NEED_TOKEN);
      if (this.isInsecure(call)) throw this.refuseInsecure(call);
      if (known === undefined) return this.#examine(token ?? '', call);
      this.#admit(known, call, token !== undefined);
      return undefined;
    },
    end: (call) => {
      const streams = this.#streams.get(keyOf(call.principal));
      if (streams?.delete(call) === true && streams.size === 0) this.#streams.delete(keyOf(call.principal));
    },
  };

  /**
   * Identifies who opens a channel. Its calls then need no token of their own, and end when the key is revoked. The
   * token's expiry is checked here only, not during the life of the channel.
   */
  async admit(
    connection: Connection,
    token: string | undefined,
  ): Promise<{ readonly allowed: true } | { readonly allowed: false; readonly message: string }> {
    const refuse = (reason: RefusalReason, message: string) => {
      this.refusals.record(reason, connection.remoteAddress, 'a channel', message);
      return { allowed: false, message } as const;
    };
    if (token === undefined) return refuse('no-proof', NEED_TOKEN);
    if (this.isInsecure({ connection })) return refuse('insecure-credentials', INSECURE);
    const verified = this.#known.get(token) ?? (await this.#verify(token));
    if (verified === undefined || !this.#isGood(verified, true)) return refuse('bad-token', BAD_TOKEN);
    this.#bound.set(connection, verified);
    return { allowed: true };
  }

  /** Whether these credentials are accepted at this moment. */
  accepts(type: string, entity: string, payload: string): boolean {
    return this.#options.credentials.match(type, entity, payload) !== undefined;
  }

  /** Like {@link accepts}, but also finds credentials that another program has just created. */
  async acceptsFresh(type: string, entity: string, payload: string): Promise<boolean> {
    if (this.accepts(type, entity, payload)) return true;
    await this.#options.credentials.follow();
    return this.accepts(type, entity, payload);
  }

  /** Whether this hub can identify the caller: by a token that it issued, or a channel opened with one. */
  knows(connection: Connection, token: string | undefined): boolean {
    if (token === undefined) return this.#bound.has(connection);
    return this.#known.has(token) || this.#options.tokens.isIssuedHere(token);
  }

  /** Whether a secret sent with this call could have been read in transit. */
  isInsecure({ connection }: Pick<ServerCall, 'connection'>): boolean {
    return !connection.isLoopback && !connection.isEncrypted && !this.#options.allowsInsecureCreds;
  }

  refuseInsecure(call: ServerCall): ArmatureError {
    return this.refuse('insecure-credentials', call, INSECURE);
  }

  /** Counts and logs a refusal. @returns the error to throw */
  refuse(reason: RefusalReason, call: ServerCall, message: string): ArmatureError {
    this.refusals.record(reason, call.connection.remoteAddress, call.method.path, message);
    const code = reason === 'insecure-credentials' ? 'access.denied' : 'access.unauthenticated';
    return new ArmatureError(code, message, { details: { reason } });
  }

  async #examine(token: string, call: ServerCall): Promise<void> {
    const verified = await this.#verify(token);
    if (verified === undefined) throw this.refuse('bad-token', call, BAD_TOKEN);
    this.#admit(verified, call, true);
    if (this.#known.size >= MAX_KNOWN_TOKENS) this.#known.clear();
    this.#known.set(token, verified);
  }

  /** Verifies a token that is not cached yet; undefined if it is not valid. */
  async #verify(token: string): Promise<VerifiedToken | undefined> {
    const { tokens, credentials } = this.#options;
    const verified = await tokens.verify(token);
    // Another hub of the same store may have just created the key and issued the token.
    if (verified !== undefined && !credentials.holds(verified.holder, verified.version)) await credentials.follow();
    return verified;
  }

  #isGood({ holder, version, expiresAt }: VerifiedToken, mayExpire: boolean): boolean {
    const { credentials, clock } = this.#options;
    return credentials.holds(holder, version) && !(mayExpire && expiresAt <= clock.now());
  }

  #admit(verified: VerifiedToken, call: ServerCall, mayExpire: boolean): void {
    if (!this.#isGood(verified, mayExpire)) throw this.refuse('bad-token', call, BAD_TOKEN);
    const { holder, version } = verified;
    call.principal = { kind: holder.kind, entity: holder.id };
    if (!call.method.requestStream && !call.method.responseStream) return;
    const key = keyOf(call.principal);
    const streams = this.#streams.get(key);
    if (streams === undefined) this.#streams.set(key, new Map([[call, version]]));
    else streams.set(call, version);
  }

  /** Unary calls may finish: they are treated as answered before the loss. */
  #endStreams({ holder, hasLostRights }: Loss): void {
    const streams = this.#streams.get(keyOf({ kind: holder.kind, entity: holder.id }));
    for (const [call, version] of [...(streams ?? [])]) {
      if (!hasLostRights && this.#options.credentials.holds(holder, version)) continue;
      call.cancel(this.refuse('bad-token', call, ENDED));
    }
  }
}

function keyOf({ kind, entity }: Principal): string {
  return `${kind} ${entity}`;
}

const NEED_TOKEN =
  'This hub needs a token: call proto.rpc.v1.AuthService/Authenticate with an API key and send what it returns as "authorization: Bearer <token>".';
const BAD_TOKEN =
  'This token is not valid here: it expired, is of another hub, or its key was replaced or revoked. Authenticate again.';
const ENDED = 'The key of this call was replaced or revoked, or may do less than before. Authenticate again.';
const INSECURE =
  'Credentials over clear text from another computer are refused: use TLS, or start the hub with --allow-insecure-creds.';
