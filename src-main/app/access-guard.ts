import { ArmatureError } from '../base/errors.ts';
import type { AuthServiceDefinition } from '../../proto/gen/proto/rpc/v1/auth.ts';
import type { Clock } from '../base/clock.ts';
import { StatusCode, type Status } from '../base/status.ts';
import { bearerToken, type AccessControl } from '../rpc/access/access-control.ts';
import { authService } from '../rpc/access/auth-service.ts';
import { requirePermission } from '../rpc/access/role-check.ts';
import type { Admission, ChannelAdmission } from '../rpc/channel/websocket.ts';
import type { Connection, Interceptor, ServerCall } from '../rpc/call.ts';
import { firstValue } from '../rpc/metadata.ts';
import type { ServiceHandlers } from '../rpc/service.ts';
import { isBrowserKey, type Browser, type RememberedBrowsers } from './browsers/remembered-browsers.ts';
import { isOfThisUser } from './browsers/page-service.ts';
import type { EmbeddedHub, OpenHub } from './hub/embedded-hub.ts';

type Browsers = Pick<RememberedBrowsers, 'prove' | 'wasForgotten' | 'onForgotten'>;
type AuthHandlers = ServiceHandlers<typeof AuthServiceDefinition>;

const CANCELLED: Status = { code: StatusCode.CANCELLED, message: '' };

/**
 * Decides who may call a machine with a hub in the same program. The machine's own rules come
 * first: a caller that they accept as the owner of this computer owns the fleet too.
 * The hub checks its own tokens: its keys have their roles for the fleet, and
 * may operate this machine.
 */
export class AccessGuard implements ChannelAdmission {
  readonly #access: AccessControl;
  readonly #embedded: EmbeddedHub | undefined;
  readonly #browsers: Browsers;
  /** Ids of the browsers that have opened channels. */
  readonly #browserOf = new WeakMap<Connection, string>();
  /** Calls that the hub has accepted. */
  readonly #fleetCalls = new WeakSet<ServerCall>();

  /** @param embedded undefined where the hub of this machine is elsewhere, or it has none */
  constructor(access: AccessControl, embedded: EmbeddedHub | undefined, browsers: Browsers) {
    this.#access = access;
    this.#embedded = embedded;
    this.#browsers = browsers;
  }

  /** The step of this machine's router: sets `call.principal`, or refuses. */
  readonly interceptor: Interceptor = this.#step((call, hub) => this.#mayCallMachine(call, hub));

  /** The same for another part of the fleet, whose channel checks itself what the caller may do with it. */
  readonly partInterceptor: Interceptor = this.#step((call) => requireFleetCaller(call, this));

  async admit(connection: Connection, token: string | undefined): Promise<Admission> {
    if (token !== undefined && isBrowserKey(token)) return this.#admitBrowser(connection, token);
    const hub = await this.#hubFor(connection, token);
    if (hub !== undefined) return hub.access.admit(connection, token);
    const verdict = this.#access.admit(connection, token);
    return verdict.allowed ? { allowed: true, onRevoked: this.#onRevoked(connection) } : verdict;
  }

  /** Makes a channel that of a browser, from now on: it ends when the browser is signed out. */
  bind(connection: Connection, browser: Browser): void {
    this.#browserOf.set(connection, browser.id);
    this.#access.trustBrowser(connection, () => !this.#browsers.wasForgotten(browser.id));
  }

  /** Whether the caller has authenticated with a credential of the hub. */
  isFleetCall(call: ServerCall): boolean {
    return this.#fleetCalls.has(call);
  }

  /**
   * `proto.rpc.v1.AuthService`: keys of the configuration are for this machine,
   * keys and secrets of the hub for its fleet.
   */
  authService(clock: Clock): AuthHandlers {
    const ofMachine = authService(this.#access, clock) as Required<AuthHandlers>;
    const embedded = this.#embedded;
    if (embedded === undefined) return ofMachine;
    return {
      authenticate: async (request, call) => {
        const { entity, credentials } = request;
        const { type = '', payload = '' } = credentials ?? {};
        // The key of its modules is both: a token of the hub opens both.
        const isOfHub = embedded.current?.access.accepts(type, entity, payload) === true;
        const isOwn = !isOfHub && type === 'api-key' && this.#access.keys.matches(entity, payload);
        // Without its hub, the machine still knows its own keys.
        const open = isOwn || credentials === undefined ? undefined : await embedded.opened().catch(() => undefined);
        if (open === undefined) return ofMachine.authenticate(request, call);
        const needsNoProof = this.#access.keys.isEmpty && this.#access.isOpenTo(call);
        // A machine without keys answers that, unless the credential is valid.
        if (needsNoProof && !(await open.access.acceptsFresh(type, entity, payload))) {
          return ofMachine.authenticate(request, call);
        }
        return open.authenticate(request, call);
      },
    };
  }

  /**
   * Its key lies in the storage of the page's origin, which another user's server can read once it has the port. So it is
   * worth something only to a program of this user, on this computer.
   */
  async #admitBrowser(connection: Connection, key: string): Promise<Admission> {
    const browser = await this.#browsers.prove(key);
    if (browser === undefined || !(await isOfThisUser(connection))) {
      const message =
        'This browser is not signed in here: its key is of another server or user, was revoked, or was unused for 30 days. Open the address that the server printed.';
      this.#access.refusals.record('bad-token', connection.remoteAddress, 'a channel', message);
      return { allowed: false, message };
    }
    this.bind(connection, browser);
    return { allowed: true, onRevoked: this.#onRevoked(connection) };
  }

  #onRevoked(connection: Connection): (listener: () => void) => () => void {
    return (listener) =>
      this.#browsers.onForgotten((id) => {
        if (this.#browserOf.get(connection) === id) listener();
      });
  }

  /** The hub that decides about a caller; a promise while it is opening. */
  #hubFor(connection: Connection, token: string | undefined): OpenHub | Promise<OpenHub | undefined> | undefined {
    const embedded = this.#embedded;
    if (embedded === undefined) return undefined;
    if (token !== undefined && this.#access.recognizes(token)) return undefined;
    const { current } = embedded;
    if (current !== undefined) return current.access.knows(connection, token) ? current : undefined;
    if (embedded.state.kind !== 'opening' || token?.split('.').length !== 3) return undefined;
    return embedded.opened().then(
      (opened) => (opened.access.knows(connection, token) ? opened : undefined),
      () => undefined,
    );
  }

  /** @param further checks an authenticated caller; throws, or rejects, to refuse */
  #step(further: (call: ServerCall, hub: OpenHub | undefined) => Promise<void> | undefined): Interceptor {
    const letIn = (call: ServerCall, hub: OpenHub | undefined): Promise<void> | undefined => {
      if (hub === undefined) {
        const waiting = this.#access.interceptor.start?.(call);
        return waiting instanceof Promise ? waiting.then(() => further(call, undefined)) : further(call, undefined);
      }
      const admitted = (): Promise<void> | undefined => {
        this.#fleetCalls.add(call);
        // A call that a later interceptor refuses gets no `end`, and the hub counts streams.
        const forget = (thrown: unknown): never => {
          hub.access.interceptor.end?.(call, CANCELLED);
          throw thrown;
        };
        try {
          return further(call, hub)?.catch(forget);
        } catch (thrown) {
          return forget(thrown);
        }
      };
      const admitting = hub.access.interceptor.start?.(call);
      return admitting instanceof Promise ? admitting.then(admitted) : admitted();
    };
    return {
      name: 'access',
      start: (call) => {
        const token = bearerToken(firstValue(call.metadata, 'authorization'));
        const hub = call.connection.transport === 'local' ? undefined : this.#hubFor(call.connection, token);
        return hub instanceof Promise ? hub.then((found) => letIn(call, found)) : letIn(call, hub);
      },
      end: (call, status) => {
        if (this.#fleetCalls.has(call)) this.#embedded?.current?.access.interceptor.end?.(call, status);
      },
    };
  }

  #mayCallMachine(call: ServerCall, hub: OpenHub | undefined): Promise<void> | undefined {
    if (hub === undefined) {
      requirePermission(call, this.#access);
      return undefined;
    }
    if (call.method.traits.namesPart === true) return undefined;
    return hub.operating.require(call, hub.partId);
  }
}

/** @throws {ArmatureError} `access.denied` for a key of the machine's configuration */
export function requireFleetCaller(call: ServerCall, guard: Pick<AccessGuard, 'isFleetCall'>): undefined {
  const { kind, entity } = call.principal;
  if (kind !== 'api-key' || guard.isFleetCall(call)) return undefined;
  throw new ArmatureError(
    'access.denied',
    `The key "${entity}" is in the configuration of this machine and for it alone. Use a key of the hub: "armature hub key create" makes one.`,
  );
}
