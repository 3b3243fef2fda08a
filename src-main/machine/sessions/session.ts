import { ArmatureError } from '../../base/errors.ts';
import { OutputOwner } from './output-claims.ts';
import type { Principal } from '../../rpc/principal.ts';
import type { Connection } from '../../rpc/call.ts';

export const DEFAULT_WINDOW_MS = 2_000;
export const MIN_WINDOW_MS = 30;
export const MAX_WINDOW_MS = 60_000;
/** Most sessions open at once. */
export const MAX_SESSIONS = 1_024;

/** A client's session, which must send heartbeats, and the outputs that it owns. */
export class Session extends OutputOwner {
  readonly id: string;
  readonly principal: Principal;
  /** The connection that started or resumed it. */
  connection: Connection;
  /** Open connections that used it and outlive their calls. */
  readonly connections = new Set<Connection>();
  windowMs: number;
  /** Monotonic time of the last heartbeat. */
  lastSeen: number;

  constructor(id: string, principal: Principal, connection: Connection, windowMs: number, now: number) {
    super(holdsPins(connection, principal));
    this.id = id;
    this.principal = principal;
    this.connection = connection;
    this.windowMs = windowMs;
    this.lastSeen = now;
  }

  /** Monotonic time at which it expires. */
  get deadline(): number {
    return this.lastSeen + this.windowMs;
  }

  belongsTo(principal: Principal): boolean {
    return this.principal.kind === principal.kind && this.principal.entity === principal.entity;
  }
}

/** The window, if it is allowed; throws `config.invalid`. */
export function checkedWindow(windowMs: number): number {
  if (windowMs >= MIN_WINDOW_MS && windowMs <= MAX_WINDOW_MS) return windowMs;
  throw new ArmatureError(
    'config.invalid',
    `network.sessions.heartbeat_window is ${windowMs} ms. Allowed are 30ms to 1m, for example "2s".`,
    { details: { windowMs, min: MIN_WINDOW_MS, max: MAX_WINDOW_MS } },
  );
}

/**
 * Owners whose pins are always made safe at their end: a page, where a person set them by hand, and a module, where a
 * motor or servo may use them.
 */
export function holdsPins(connection: Connection, principal: Principal): boolean {
  return isPage(connection) || principal.kind === 'module';
}

/** Only pages use message channels. */
export function isPage({ transport }: Connection): boolean {
  return transport === 'channel';
}
