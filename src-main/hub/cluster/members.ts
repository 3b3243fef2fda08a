import { sql } from 'kysely';
import { Emitter } from '../../base/async/emitter.ts';
import type { Clock, Timer } from '../../base/clock.ts';
import { ArmatureError, toArmatureError } from '../../base/errors.ts';
import type { Logger } from '../../base/logger.ts';
import type { Store } from '../storage/store.ts';

/** How often a hub renews its row. */
const RENEW_MS = 2_000;
/** A hub counts as dead when it has not renewed its row for this long: its parts may have connected anywhere. */
export const DEAD_MS = 10_000;
/** Duration of the leader's lease. */
const LEASE_MS = 8_000;
/** A leader that cannot renew for this long ends, well before another hub may lead. */
const GIVE_UP_MS = 5_000;
/** Rows of dead hubs are kept this long, for diagnosis. */
const DEAD_ROW_RETENTION_MS = 24 * 60 * 60 * 1_000;
const LEADER = 'leader';

/** The database's time in wall-clock milliseconds, because the clocks of computers differ. */
const now = sql<number>`(extract(epoch FROM clock_timestamp()) * 1000)::bigint`;

export interface Member {
  readonly id: string;
  /** `https://10.0.0.1:8090`, where the other hubs reach it. */
  readonly address: string;
}

export interface MembersOptions {
  readonly store: Store;
  readonly self: Member;
  readonly version: string;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Called when the other hubs no longer count on this hub, because it cannot renew: it has to end. */
  readonly onLost: (reason: string) => void;
}

/**
 * The hubs that serve one PostgreSQL database together. Each renews its row every 2 s. The one that holds the lease is
 * the leader, which does the work that must not be done twice.
 */
export class Members {
  readonly #options: MembersOptions;
  readonly #died = new Emitter<string>();
  #members: ReadonlyMap<string, Member> = new Map();
  #timer: Timer | undefined;
  #isRenewing = false;
  /** Monotonic time at which the last successful renewal began. */
  #renewedAt: number;
  #leaderId: string | undefined;
  #isLeading = false;
  #isClosed = false;
  #startLeading: (() => void) | undefined;

  constructor(options: MembersOptions) {
    this.#options = options;
    this.#renewedAt = options.clock.monotonic();
  }

  /**
   * Joins the cluster.
   * @throws {ArmatureError} `call.failed_precondition` if a hub of another version is running
   */
  async start(): Promise<void> {
    const { store, self, version, clock } = this.#options;
    const others = await store.db
      .selectFrom('cluster_hubs')
      .selectAll()
      .where('seen_at', '>', sql<number>`${now} - ${DEAD_MS}::bigint`)
      .execute();
    const other = others.find((one) => one.version !== version);
    if (other !== undefined) {
      throw new ArmatureError(
        'call.failed_precondition',
        `The hub at ${other.address} serves the same database with version ${other.version}, this hub has version ${version}. Stop the hubs of the other version first.`,
      );
    }
    const row = { id: self.id, address: self.address, version, started_at: now, seen_at: now };
    await store.db.insertInto('cluster_hubs').values(row).execute();
    const old = store.db
      .deleteFrom('cluster_hubs')
      .where('seen_at', '<', sql<number>`${now} - ${DEAD_ROW_RETENTION_MS}::bigint`);
    await old.execute();
    await this.#renew();
    this.#timer = clock.every(RENEW_MS, () => void this.#look());
  }

  /** Hubs that were alive at the last renewal, including this one. */
  get all(): ReadonlyMap<string, Member> {
    return this.#members;
  }

  /** The leader at the last renewal; undefined if there was none. */
  get leaderId(): string | undefined {
    return this.#leaderId;
  }

  /** Calls back with the id of each hub that has died or left. Returns an unsubscribe function. */
  onDeath(listener: (hubId: string) => void): () => void {
    return this.#died.on(listener);
  }

  get isLeading(): boolean {
    return this.#isLeading;
  }

  /** Calls back once, when this hub becomes the leader; it then leads until it ends. */
  whenLeading(start: () => void): void {
    this.#startLeading = start;
    if (this.#isLeading) start();
  }

  /** Leaves the cluster, so that the others need not wait until this hub counts as dead. */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.#timer?.cancel();
    const { store, self, logger } = this.#options;
    try {
      await store.db.deleteFrom('cluster_leases').where('hub_id', '=', self.id).execute();
      await store.db.deleteFrom('cluster_hubs').where('id', '=', self.id).execute();
    } catch (thrown) {
      logger.debug(`Other hubs take some seconds to notice that this one ended: ${toArmatureError(thrown).message}`);
    }
  }

  async #look(): Promise<void> {
    const { clock, onLost } = this.#options;
    if (this.#isLeading && clock.monotonic() - this.#renewedAt > GIVE_UP_MS) {
      this.#timer?.cancel();
      onLost(
        `The database did not answer for ${GIVE_UP_MS / 1_000} s, so this hub no longer leads; another one takes over.`,
      );
      return;
    }
    if (this.#isRenewing) return;
    this.#isRenewing = true;
    try {
      await this.#renew();
    } catch (thrown) {
      this.#options.logger.warn(`This hub cannot renew its entry in the database: ${toArmatureError(thrown).message}`);
    } finally {
      this.#isRenewing = false;
    }
  }

  async #renew(): Promise<void> {
    const { store, self, clock, onLost } = this.#options;
    const beganAt = clock.monotonic();
    const renewed = await sql<{ id: string }>`
      UPDATE cluster_hubs SET seen_at = ${now} WHERE id = ${self.id} AND seen_at > ${now} - ${DEAD_MS}::bigint
      RETURNING id`.execute(store.db);
    if (this.#isClosed) return;
    if (renewed.rows.length === 0) {
      this.#timer?.cancel();
      onLost('This hub counts as dead for the others: it did not renew its entry in the database in time.');
      return;
    }
    const leader = await sql<{ hub_id: string }>`
      INSERT INTO cluster_leases (name, hub_id, expires_at) VALUES (${LEADER}, ${self.id}, ${now} + ${LEASE_MS}::bigint)
      ON CONFLICT (name) DO UPDATE SET hub_id = excluded.hub_id, expires_at = excluded.expires_at
      WHERE cluster_leases.expires_at < ${now} OR cluster_leases.hub_id = excluded.hub_id
      RETURNING hub_id`.execute(store.db);
    const lease = store.db.selectFrom('cluster_leases').select('hub_id').where('name', '=', LEADER);
    const holder = await lease.where('expires_at', '>', now).executeTakeFirst();
    const rows = await store.db
      .selectFrom('cluster_hubs')
      .select(['id', 'address'])
      .where('seen_at', '>', sql<number>`${now} - ${DEAD_MS}::bigint`)
      .execute();
    this.#renewedAt = beganAt;
    this.#leaderId = holder?.hub_id;
    const before = this.#members;
    this.#members = new Map(rows.map((row) => [row.id, row]));
    for (const id of before.keys()) if (!this.#members.has(id)) this.#died.emit(id);
    if (leader.rows.length > 0) this.#lead();
  }

  #lead(): void {
    if (this.#isLeading) return;
    this.#isLeading = true;
    this.#options.logger.info('This hub is the leader: it fires triggers, trains models and deletes old data.');
    this.#startLeading?.();
  }
}
