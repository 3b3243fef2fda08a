import { ArmatureError } from '../../base/errors.ts';
import { OutputOwner } from './output-claims.ts';
import { holdsPins, type Session } from './session.ts';
import type { Principal } from '../../rpc/principal.ts';
import type { Connection } from '../../rpc/call.ts';

interface Watched {
  /** Owns outputs commanded without a session; created with the first such command. */
  owner: OutputOwner | undefined;
  /** Sessions that this connection has used. */
  readonly sessions: Set<Session>;
  readonly unsubscribe: () => void;
}

/** What remains of a closed connection. */
export interface Disconnected {
  readonly connection: Connection;
  /** Undefined if it commanded nothing without a session. */
  readonly owner: OutputOwner | undefined;
  /** Sessions whose last connection it was. */
  readonly sessions: readonly Session[];
}

/**
 * The connections whose end stops something: those with a session, or with outputs of their own. Each has one listener,
 * however much it is used. A connection that does not outlive its call is not watched: its end says nothing about its
 * caller.
 */
export class WatchedConnections {
  readonly #onClosed: (gone: Disconnected) => void;
  readonly #watched = new Map<Connection, Watched>();

  constructor(onClosed: (gone: Disconnected) => void) {
    this.#onClosed = onClosed;
  }

  /**
   * The owner of outputs that the connection commands without a session; undefined if its end cannot be observed.
   * @throws {ArmatureError} `call.cancelled` if it has closed
   */
  ownerOf(connection: Connection, principal: Principal): OutputOwner | undefined {
    if (!connection.outlivesCalls) return undefined;
    const known = this.#watched.get(connection);
    if (known?.owner !== undefined) return known.owner;
    if (connection.isClosed) {
      throw new ArmatureError('call.cancelled', 'The connection closed before its command was carried out.');
    }
    const watched = known ?? this.#watch(connection);
    watched.owner = new OutputOwner(holdsPins(connection, principal));
    return watched.owner;
  }

  /** Records that the connection was used in a session. */
  use(connection: Connection, session: Session): void {
    if (!connection.outlivesCalls || session.connections.has(connection) || connection.isClosed) return;
    (this.#watched.get(connection) ?? this.#watch(connection)).sessions.add(session);
    session.connections.add(connection);
  }

  /** Records the end of a session. */
  forget(session: Session): void {
    for (const connection of session.connections) {
      const watched = this.#watched.get(connection);
      watched?.sessions.delete(session);
      if (watched?.sessions.size !== 0 || watched.owner !== undefined) continue;
      watched.unsubscribe();
      this.#watched.delete(connection);
    }
    session.connections.clear();
  }

  dispose(): void {
    for (const { unsubscribe } of this.#watched.values()) unsubscribe();
    this.#watched.clear();
  }

  #watch(connection: Connection): Watched {
    const watched: Watched = {
      owner: undefined,
      sessions: new Set(),
      unsubscribe: connection.onClose(() => this.#closed(connection)),
    };
    this.#watched.set(connection, watched);
    return watched;
  }

  #closed(connection: Connection): void {
    const watched = this.#watched.get(connection);
    if (watched === undefined) return;
    this.#watched.delete(connection);
    const { owner } = watched;
    const sessions = [...watched.sessions].filter((session) => {
      session.connections.delete(connection);
      return session.connections.size === 0;
    });
    this.#onClosed({ connection, owner, sessions });
  }
}
