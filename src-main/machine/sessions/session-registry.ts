import { randomUUID } from 'node:crypto';
import { ArmatureError, toArmatureError } from '../../base/errors.ts';
import { StatusCode } from '../../base/status.ts';
import { commandedOutput } from './commanded-output.ts';
import {
  describeTarget,
  OutputClaims,
  type Claim,
  type OutputOwner,
  type OutputTarget,
  type PinTarget,
} from './output-claims.ts';
import { checkedWindow, MAX_SESSIONS, Session } from './session.ts';
import { STOP_DEADLINE_MS, stopWithin } from './stop-within.ts';
import { WatchedConnections, type Disconnected } from './watched-connections.ts';
import type { Clock, Timer } from '../../base/clock.ts';
import type { Logger } from '../../base/logger.ts';
import type { Principal } from '../../rpc/principal.ts';
import type { Connection, ServerCall } from '../../rpc/call.ts';

/** The text that public clients match on (viamrobotics/rdk: session/context.go). */
const SESSION_EXPIRED = 'SESSION_EXPIRED';

/** Statuses of commands that were refused before they had an effect. */
const refusals: ReadonlySet<StatusCode> = new Set([
  StatusCode.INVALID_ARGUMENT,
  StatusCode.NOT_FOUND,
  StatusCode.PERMISSION_DENIED,
  StatusCode.RESOURCE_EXHAUSTED,
  StatusCode.UNIMPLEMENTED,
  StatusCode.UNAUTHENTICATED,
]);

export interface SessionRegistryOptions {
  readonly clock: Clock;
  readonly logger: Logger;
  /** A session without a heartbeat for this long has ended; see {@link SessionRegistry.setWindow}. */
  readonly windowMs: number;
  /** A session ends with its last connection; outputs commanded without a session stop when their connection closes. */
  readonly stopOnDisconnect: boolean;
  /** API triplet a service serves (`core:component:motor`), or undefined. The cost must not depend on their number. */
  readonly apiOfService: (service: string) => string | undefined;
  /**
   * Stops a resource by full name; does nothing if it no longer exists or is not an actuator. `signal` aborts at the
   * deadline.
   */
  readonly stopResource: (resource: string, signal: AbortSignal) => Promise<void>;
  /** Whether a pin is made safe when the caller that drove it is gone: by configuration, or because a motor uses it. */
  readonly isPinHeld: (pin: PinTarget) => boolean;
  /** Drives a pin to its safe value: low, duty 0, value 0. */
  readonly makePinSafe: (pin: PinTarget, signal: AbortSignal) => Promise<void>;
}

/** A live session, as GetSessions shows it. */
export interface SessionInfo {
  readonly id: string;
  readonly entity: string;
  readonly connection: Connection;
  /** Full names and pins that it commanded last. */
  readonly outputs: readonly OutputTarget[];
}

/**
 * The owners of everything that moves: sessions, kept alive by heartbeats, and connections of callers without a
 * session. When an owner ends, exactly the outputs that it commanded last are stopped, in parallel, each with its own
 * deadline; calls of others do not wait. Pins are different: a relay should stay as it was set, so only held pins are
 * made safe, or all of them if a page or a module drove them.
 */
export class SessionRegistry {
  readonly #options: SessionRegistryOptions;
  readonly #clock: Clock;
  readonly #logger: Logger;
  readonly #sessions = new Map<string, Session>();
  readonly #connections = new WatchedConnections((gone) => this.#disconnected(gone));
  readonly #claims = new OutputClaims();
  /** Commands that are running. */
  readonly #running = new Map<ServerCall, { readonly claim: Claim | undefined; readonly pin: PinTarget | undefined }>();
  /** Pins that calls have driven, whoever the caller was, by key. At most as many as the boards have. */
  readonly #drivenPins = new Map<string, PinTarget>();
  readonly #stopping = new Set<Promise<void>>();
  #windowMs: number;
  #stopOnDisconnect: boolean;
  #timer: Timer | undefined;
  #timerAt = Number.POSITIVE_INFINITY;

  constructor(options: SessionRegistryOptions) {
    this.#options = options;
    this.#clock = options.clock;
    this.#logger = options.logger;
    this.#stopOnDisconnect = options.stopOnDisconnect;
    this.#windowMs = checkedWindow(options.windowMs);
  }

  /**
   * Changes the window, 30 ms to 1 min; throws `config.invalid` for other values. It applies to sessions started or
   * resumed from now on: a running client sends heartbeats at the old pace, and a shorter window would stop what it
   * drives.
   */
  setWindow(windowMs: number): void {
    this.#windowMs = checkedWindow(windowMs);
  }

  /** Takes effect at once, also for open connections. */
  setStopOnDisconnect(isOn: boolean): void {
    this.#stopOnDisconnect = isOn;
  }

  /**
   * Opens a session, or resumes `resume` if that is a live one of the same owner. Throws `call.overloaded` at the
   * limit.
   */
  start(resume: string, principal: Principal, connection: Connection): { id: string; windowMs: number } {
    const now = this.#clock.monotonic();
    let session = this.#live(resume, principal, now);
    if (session === undefined) {
      if (this.#sessions.size >= MAX_SESSIONS) {
        throw new ArmatureError(
          'call.overloaded',
          `${MAX_SESSIONS} sessions are open, which is the limit. Close clients that are not needed and try again.`,
          { details: { limit: MAX_SESSIONS } },
        );
      }
      session = new Session(randomUUID(), principal, connection, this.#windowMs, now);
      this.#sessions.set(session.id, session);
    } else {
      session.lastSeen = now;
      session.windowMs = this.#windowMs;
      session.connection = connection;
    }
    this.#connections.use(connection, session);
    this.#schedule(session.deadline);
    return { id: session.id, windowMs: session.windowMs };
  }

  /**
   * Keeps a session alive. Throws `session.expired` for an id that is unknown, has ended, or belongs to another caller.
   */
  heartbeat(id: string, principal: Principal, connection: Connection): void {
    const now = this.#clock.monotonic();
    const session = this.#live(id, principal, now);
    if (session === undefined) throw new ArmatureError('session.expired', SESSION_EXPIRED);
    session.lastSeen = now;
    this.#connections.use(connection, session);
  }

  /** Live sessions, oldest first. */
  list(): SessionInfo[] {
    return [...this.#sessions.values()].map((session) => ({
      id: session.id,
      entity: session.principal.entity,
      connection: session.connection,
      outputs: [...session.outputs].flatMap(({ head }) => (head?.owner === session ? [head.target] : [])),
    }));
  }

  /**
   * Records a call that commands an output: a monitored method, or a board's SetGPIO, SetPWM, WriteAnalog. Returns the
   * full name of the resource, or undefined if the call commands nothing. Throws `session.expired`.
   */
  command(call: ServerCall): string | undefined {
    const output = commandedOutput(call, this.#options.apiOfService);
    if (output === undefined) return undefined;
    const { key, target, resource } = output;
    const claim = this.#claims.claim(key, target, this.#ownerOf(call));
    const pin = target.kind === 'pin' ? target : undefined;
    if (claim !== undefined || pin !== undefined) this.#running.set(call, { claim, pin });
    return resource;
  }

  /** Records the end of any call. */
  finished(call: ServerCall, status: StatusCode): void {
    if (this.#running.size === 0) return;
    const running = this.#running.get(call);
    if (running === undefined) return;
    this.#running.delete(call);
    const { claim, pin } = running;
    const isRefused = refusals.has(status);
    if (pin !== undefined && !isRefused) this.#drivenPins.set(drivenKey(pin), pin);
    if (claim === undefined) return;
    const orphan = isRefused ? this.#claims.withdraw(claim) : this.#claims.settle(claim);
    if (orphan !== undefined) this.#stop([orphan.target], orphan.owner, 'its last commander has disconnected');
  }

  /** Pins that calls have driven directly, whether or not their callers are still connected. */
  get drivenPins(): PinTarget[] {
    return [...this.#drivenPins.values()];
  }

  /** To be called when the pin was made safe. */
  forgetDriven(pin: PinTarget): void {
    const key = drivenKey(pin);
    if (this.#drivenPins.get(key) === pin) this.#drivenPins.delete(key);
  }

  /** Number of outputs that have an owner. */
  get ownedOutputs(): number {
    return this.#claims.size;
  }

  /** Settles when the current stops have ended; failures are logged, not thrown. */
  async settled(): Promise<void> {
    while (this.#stopping.size > 0) await Promise.all(this.#stopping);
  }

  /** Stops watching. Stops no output: at shutdown the graph makes outputs safe. */
  dispose(): void {
    this.#timer?.cancel();
    this.#timer = undefined;
    this.#timerAt = Number.POSITIVE_INFINITY;
    this.#connections.dispose();
    this.#sessions.clear();
  }

  #live(id: string, principal: Principal, now: number): Session | undefined {
    const session = this.#sessions.get(id);
    if (session === undefined || !session.belongsTo(principal)) return undefined;
    if (now < session.deadline) return session;
    this.#expire(session, now);
    return undefined;
  }

  #ownerOf(call: ServerCall): OutputOwner | undefined {
    if (call.sessionId !== undefined) {
      const session = this.#sessions.get(call.sessionId);
      // The session can end between the header of a call and its first message.
      if (session === undefined) throw new ArmatureError('session.expired', SESSION_EXPIRED);
      return session;
    }
    return this.#connections.ownerOf(call.connection, call.principal);
  }

  #disconnected({ connection, owner, sessions }: Disconnected): void {
    const stops = this.#stopOnDisconnect;
    if (owner !== undefined) {
      const targets = this.#claims.end(owner, stops);
      const reason = `connection from ${connection.remoteAddress} closed and it used no session`;
      if (stops) this.#stop(targets, owner, reason);
    }
    if (!stops) return; // Its sessions stay for their window: the client may resume them.
    for (const session of sessions) {
      this.#logger.info('Session ended: its last connection closed.', fieldsOf(session));
      this.#end(session, 'the last connection of its session closed');
    }
  }

  #expire(session: Session, now: number): void {
    const silentMs = Math.round(now - session.lastSeen);
    const lateMs = Math.round(now - session.deadline);
    const fields = { ...fieldsOf(session), silentMs, windowMs: session.windowMs };
    if (lateMs > session.windowMs) {
      // Heartbeats may have waited in our own sockets. That cannot be detected here, so stopping is the safe choice.
      this.#logger.warn('Session expired while this program itself was too busy to listen; stopping what it moved.', {
        ...fields,
        lateMs,
      });
    } else {
      this.#logger.info('Session expired: its client sent no heartbeat.', fields);
    }
    this.#end(session, 'session expired');
  }

  #end(session: Session, reason: string): void {
    this.#sessions.delete(session.id);
    this.#connections.forget(session);
    // Running calls are cancelled first, so that none moves anything after the stop. Not with session.expired: clients
    // would retry then, which would start the motor again.
    const ended = new ArmatureError('call.cancelled', `The call was cancelled: ${reason}.`);
    for (const [call, { claim }] of [...this.#running]) if (claim?.owner === session) call.cancel(ended);
    this.#stop(this.#claims.end(session, true), session, reason);
  }

  #stop(targets: readonly OutputTarget[], owner: OutputOwner | undefined, reason: string): void {
    for (const target of targets) {
      if (target.kind === 'pin' && owner?.holdsPins !== true && !this.#options.isPinHeld(target)) continue;
      const what = describeTarget(target);
      this.#logger.warn(`Stopping ${what}: ${reason}.`);
      const { makePinSafe, stopResource } = this.#options;
      const stop = stopWithin(this.#clock, STOP_DEADLINE_MS, what, (signal) =>
        target.kind === 'pin' ? makePinSafe(target, signal) : stopResource(target.resource, signal),
      )
        .catch((thrown: unknown) => {
          const { code, message } = toArmatureError(thrown);
          this.#logger.error(`${what} could not be stopped: ${message}`, { code, reason });
        })
        .finally(() => this.#stopping.delete(stop));
      this.#stopping.add(stop);
    }
  }

  /** One timer, for the session that may expire first. Heartbeats do not reset it: it checks again when it fires. */
  #schedule(at: number): void {
    if (at >= this.#timerAt) return;
    this.#timer?.cancel();
    this.#timerAt = at;
    this.#timer = this.#clock.after(Math.max(0, at - this.#clock.monotonic()), () => this.#check());
  }

  #check(): void {
    this.#timer = undefined;
    this.#timerAt = Number.POSITIVE_INFINITY;
    const now = this.#clock.monotonic();
    let next = Number.POSITIVE_INFINITY;
    for (const session of [...this.#sessions.values()]) {
      if (now >= session.deadline) this.#expire(session, now);
      else next = Math.min(next, session.deadline);
    }
    // A timer may fire a fraction of a millisecond early, so wait at least one.
    if (next !== Number.POSITIVE_INFINITY) this.#schedule(Math.max(next, now + 1));
  }
}

function drivenKey({ board, pin, drivenAs }: PinTarget): string {
  return `${board}\n${drivenAs}\n${pin}`;
}

function fieldsOf(session: Session): { readonly session: string; readonly entity: string } {
  return { session: session.id, entity: session.principal.entity };
}
