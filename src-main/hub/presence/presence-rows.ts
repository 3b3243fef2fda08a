import type { Selectable } from 'kysely';
import type { NewEvent } from '../events/event-kinds.ts';
import type { EventLog } from '../events/event-log.ts';
import { chunksOf } from '../storage/chunks.ts';
import type { Store } from '../storage/store.ts';
import type { PartPresenceTable } from './tables.ts';

export type PresenceRow = Selectable<PartPresenceTable>;

/** Presence in the store. */
export class PresenceRows {
  readonly #store: Store;

  readonly #events: EventLog;
  readonly #hubId: string;

  constructor(store: Store, events: EventLog, hubId: string) {
    this.#store = store;
    this.#events = events;
    this.#hubId = hubId;
  }

  /** Parts that are stored as online. */
  online(): Promise<PresenceRow[]> {
    return this.#store.db.selectFrom('part_presence').selectAll().where('is_online', '=', 1).execute();
  }

  /**
   * Takes over parts that were online at dead hubs.
   * @param hubIds ids of the hubs that are alive
   */
  adopt(hubIds: readonly string[]): Promise<PresenceRow[]> {
    return this.#store.transaction((tx) =>
      tx
        .updateTable('part_presence')
        .set({ hub_id: this.#hubId })
        .where('is_online', '=', 1)
        .where((where) => where.or([where('hub_id', 'is', null), where('hub_id', 'not in', hubIds)]))
        .returningAll()
        .execute(),
    );
  }

  /** Id of the hub at which a part is stored as online; undefined if the part is offline. */
  async homeOf(partId: string): Promise<string | undefined> {
    const row = await this.#store.db
      .selectFrom('part_presence')
      .select('hub_id')
      .where('part_id', '=', partId)
      .where('is_online', '=', 1)
      .executeTakeFirst();
    return row?.hub_id ?? undefined;
  }

  async read(partIds: readonly string[]): Promise<PresenceRow[]> {
    const { db } = this.#store;
    const rows: PresenceRow[] = [];
    for (const ids of chunksOf(partIds)) {
      rows.push(...(await db.selectFrom('part_presence').selectAll().where('part_id', 'in', ids).execute()));
    }
    return rows;
  }

  /**
   * Stores presence of parts; parts that were deleted or have connected to another hub meanwhile are skipped.
   * @param takesOver the parts have just connected to this hub, so they are taken from other hubs
   */
  async write(rows: readonly PresenceRow[], takesOver = false): Promise<void> {
    for (const some of chunksOf(rows)) {
      await this.#store.transaction(async (tx) => {
        const ids = some.map(({ part_id }) => part_id);
        const found = await tx
          .selectFrom('parts')
          .leftJoin('part_presence', 'part_presence.part_id', 'parts.id')
          .select(['parts.id', 'part_presence.is_online', 'part_presence.hub_id'])
          .where('parts.id', 'in', ids)
          .execute();
        const ours = found.filter(({ hub_id }) => takesOver || hub_id === null || hub_id === this.#hubId);
        const before = new Map(ours.map(({ id, is_online }) => [id, is_online ?? 0]));
        const values = some.filter(({ part_id }) => before.has(part_id));
        if (values.length === 0) return;
        await tx
          .insertInto('part_presence')
          .values(values)
          .onConflict((conflict) =>
            conflict.column('part_id').doUpdateSet((set) => ({
              is_online: set.ref('excluded.is_online'),
              online_since: set.ref('excluded.online_since'),
              last_seen_at: set.ref('excluded.last_seen_at'),
              owns_config: set.ref('excluded.owns_config'),
              version: set.ref('excluded.version'),
              platform: set.ref('excluded.platform'),
              host: set.ref('excluded.host'),
              started_at: set.ref('excluded.started_at'),
              status: set.ref('excluded.status'),
              status_at: set.ref('excluded.status_at'),
              gap_began_at: set.ref('excluded.gap_began_at'),
              gap_ended_at: set.ref('excluded.gap_ended_at'),
              hub_id: set.ref('excluded.hub_id'),
            })),
          )
          .execute();
        const changed = values.filter(({ part_id, is_online }) => before.get(part_id) !== is_online);
        await this.#events.append(changed.map(presenceEvent), tx);
      });
    }
  }

  /** Stores a time in which nobody could see whether the part was online. */
  async writeGap(partId: string, began: number, ended: number): Promise<void> {
    await this.#store.transaction(async (tx) => {
      const row = tx.updateTable('part_presence').set({ gap_began_at: began, gap_ended_at: ended });
      await row.where('part_id', '=', partId).execute();
      await this.#events.append([{ kind: 'part.gap', partId, payload: { began, ended } }], tx);
    });
  }

  /** Stores that these parts are online now. @returns those that were deleted from the fleet */
  async seen(partIds: readonly string[], now: number): Promise<readonly string[]> {
    const gone: string[] = [];
    for (const ids of chunksOf(partIds)) {
      await this.#store.transaction(async (tx) => {
        await tx.updateTable('part_presence').set({ last_seen_at: now }).where('part_id', 'in', ids).execute();
        await tx.updateTable('parts').set({ last_access_at: now }).where('id', 'in', ids).execute();
      });
      const found = await this.#store.db.selectFrom('parts').select('id').where('id', 'in', ids).execute();
      const existing = new Set(found.map(({ id }) => id));
      gone.push(...ids.filter((id) => !existing.has(id)));
    }
    return gone;
  }
}

function presenceEvent({ part_id: partId, is_online, last_seen_at: lastSeen }: PresenceRow): NewEvent {
  return is_online === 1
    ? { kind: 'part.online', partId, payload: {} }
    : { kind: 'part.away', partId, payload: { lastSeen } };
}
