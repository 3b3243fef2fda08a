import { StatusReport, type Hello } from '../../../proto/gen/core/hub/v1/part.ts';
import { encodeMessage } from '../../../proto/message.ts';
import { Mutex } from '../../base/async/mutex.ts';
import type { Clock, Timer } from '../../base/clock.ts';
import { toArmatureError } from '../../base/errors.ts';
import type { Logger } from '../../base/logger.ts';
import type { Cluster } from '../cluster/cluster.ts';
import type { EventLog } from '../events/event-log.ts';
import type { Store } from '../storage/store.ts';
import { PresenceRows, type PresenceRow } from './presence-rows.ts';

/** A part without a stream is away after this: it may only be connecting anew. */
export const AWAY_AFTER_MS = 8_000;
/**
 * Who was there when the hub ended has so long to come back before it counts as away: a restart of the hub is nothing that
 * people want to be told of, for each of thousands of parts.
 */
const RETURN_MS = 60_000;
/** Who only asks does so every 10 s. */
const ASKED_MS = 35_000;
/** What changes is stored together. */
const WRITE_MS = 2_000;
/** How old `last_seen_at` in the store may be, where the hub was killed. */
export const SEEN_MS = 60_000;

export interface PresenceBookOptions {
  readonly store: Store;
  readonly events: EventLog;
  readonly cluster: Cluster;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Presence or status of a part has changed. */
  readonly onChange: (partId: string) => void;
  /** That is in the store now. */
  readonly onStored: (partId: string) => void;
  /** The fleet has this part no more. */
  readonly onGone: (partId: string) => void;
}

/**
 * Which parts are there and what each last said of itself. A part is online at
 * once and offline after some seconds without a stream; what is known is in the
 * store soon after, so that it is there after a restart of the hub.
 */
export class PresenceBook {
  readonly #options: PresenceBookOptions;
  readonly #rows: PresenceRows;
  /** Of the parts that were heard of since the start, and those that were there before it. */
  readonly #known = new Map<string, PresenceRow>();
  readonly #connected = new Set<string>();
  readonly #leaving = new Map<string, Timer>();
  readonly #changed = new Set<string>();
  readonly #writing = new Mutex();
  #write: Timer | undefined;
  #seen: Timer | undefined;

  constructor(options: PresenceBookOptions) {
    this.#options = options;
    this.#rows = new PresenceRows(options.store, options.events, options.cluster.hubId);
  }

  /** Goes on from what was known before. Throws where the store cannot be read. */
  async start(): Promise<void> {
    if (!this.#options.cluster.isShared) this.#await(await this.#rows.online());
    this.#seen = this.#options.clock.every(SEEN_MS, () => void this.#noteSeen());
  }

  /** Awaits parts whose hub is not there any more: they connect to another one soon, or are away. Throws as the store does. */
  async adopt(): Promise<void> {
    this.#await(await this.#rows.adopt([...this.#options.cluster.members.all.keys()]));
  }

  #await(rows: readonly PresenceRow[]): void {
    for (const { part_id: partId, ...row } of rows) {
      if (this.#connected.has(partId)) continue;
      this.#known.set(partId, { ...row, part_id: partId, hub_id: this.#options.cluster.hubId });
      this.#leave(partId, RETURN_MS);
    }
  }

  /** The part is connected to another hub, which knows of it from now on. */
  moved(partId: string): void {
    this.#leaving.get(partId)?.cancel();
    this.#leaving.delete(partId);
    this.#connected.delete(partId);
    this.#known.delete(partId);
    this.#changed.delete(partId);
  }

  /** Id of the hub that a part is connected to, or asked last; undefined for one that is away, or whose hub is dead. */
  async homeOf(partId: string): Promise<string | undefined> {
    const hubId = await this.#rows.homeOf(partId);
    return hubId !== undefined && this.#options.cluster.members.all.has(hubId) ? hubId : undefined;
  }

  /** What is known of these parts; those that never called are left out. */
  async read(partIds: readonly string[]): Promise<ReadonlyMap<string, PresenceRow>> {
    const unknown = partIds.filter((id) => !this.#known.has(id));
    const stored = await this.#rows.read(unknown);
    const found = new Map(stored.map((row) => [row.part_id, row]));
    for (const id of partIds) {
      const row = this.#known.get(id);
      if (row !== undefined) found.set(id, this.#connected.has(id) ? { ...row, last_seen_at: this.#now() } : row);
    }
    return found;
  }

  /** The part has a stream. */
  async connected(partId: string, hello: Hello): Promise<void> {
    const before = this.#known.get(partId) ?? (await this.#rows.read([partId]))[0];
    const now = this.#now();
    // That a part has ever been there is worth knowing at once.
    const writeMs = before === undefined ? 0 : WRITE_MS;
    this.#leaving.get(partId)?.cancel();
    this.#leaving.delete(partId);
    this.#connected.add(partId);
    const row = {
      part_id: partId,
      is_online: 1,
      online_since: before?.is_online === 1 ? before.online_since : now,
      last_seen_at: now,
      owns_config: hello.ownsConfig ? 1 : 0,
      version: hello.version,
      platform: hello.platform,
      host: hello.host,
      started_at: hello.startedAt?.getTime() ?? null,
      status: before?.status ?? '',
      status_at: before?.status_at ?? null,
      gap_began_at: before?.gap_began_at ?? null,
      gap_ended_at: before?.gap_ended_at ?? null,
      hub_id: this.#options.cluster.hubId,
    };
    this.#set(row, writeMs);
    // The other hubs have to know at once where its calls go.
    if (this.#options.cluster.isShared) await this.#rows.write([row], true);
  }

  /** A part without a stream asked for something: it is there for as long as it asks again and again. */
  async asked(partId: string, hello: Hello): Promise<void> {
    if (this.#connected.has(partId)) return;
    const { cluster } = this.#options;
    const home = cluster.isShared ? await this.homeOf(partId) : undefined;
    if (home !== undefined && home !== cluster.hubId) {
      cluster.notices.tell({ kind: 'asked', partId });
      return;
    }
    await this.connected(partId, hello);
    this.#connected.delete(partId);
    this.#leave(partId, ASKED_MS);
  }

  /** The same, told by another hub. */
  askedElsewhere(partId: string): void {
    if (this.#leaving.has(partId)) this.#leave(partId, ASKED_MS);
  }

  /**
   * The part was away together with this hub, which runs in its program: nobody could see that. Kept until the next
   * time. To be called before the part connects.
   */
  async noteGap(partId: string): Promise<void> {
    const before = this.#known.get(partId) ?? (await this.#rows.read([partId]))[0];
    if (before === undefined) return;
    const [began, ended] = [before.last_seen_at, this.#now()];
    await this.#rows.writeGap(partId, began, ended);
    this.#set({ ...before, gap_began_at: began, gap_ended_at: ended });
  }

  /** The stream is gone; another may follow. */
  disconnected(partId: string): void {
    const row = this.#known.get(partId);
    if (!this.#connected.delete(partId) || row === undefined) return;
    this.#set({ ...row, last_seen_at: this.#now() });
    this.#leave(partId, AWAY_AFTER_MS);
  }

  reported(partId: string, status: StatusReport): void {
    const row = this.#known.get(partId);
    if (row === undefined) return;
    const text = Buffer.from(encodeMessage(StatusReport, status)).toString('base64');
    this.#set({ ...row, status: text, status_at: this.#now() });
  }

  /** Stores what is not stored yet. */
  async close(): Promise<void> {
    this.#seen?.cancel();
    this.#write?.cancel();
    for (const timer of this.#leaving.values()) timer.cancel();
    const now = this.#now();
    for (const partId of this.#connected) {
      const row = this.#known.get(partId);
      if (row !== undefined) this.#known.set(partId, { ...row, last_seen_at: now });
      this.#changed.add(partId);
    }
    await this.#flush();
  }

  #leave(partId: string, afterMs: number): void {
    this.#leaving.get(partId)?.cancel();
    const timer = this.#options.clock.after(afterMs, () => {
      this.#leaving.delete(partId);
      const row = this.#known.get(partId);
      if (row !== undefined) this.#set({ ...row, is_online: 0 });
    });
    this.#leaving.set(partId, timer);
  }

  #set(row: PresenceRow, writeMs = WRITE_MS): void {
    this.#known.set(row.part_id, row);
    this.#changed.add(row.part_id);
    this.#write ??= this.#options.clock.after(writeMs, () => void this.#flush());
    this.#options.onChange(row.part_id);
  }

  /** Never rejects. */
  #flush(): Promise<void> {
    this.#write = undefined;
    return this.#writing.run(async () => {
      const ids = [...this.#changed];
      this.#changed.clear();
      const rows = ids.flatMap((id) => this.#known.get(id) ?? []);
      try {
        await this.#rows.write(rows);
        for (const { part_id } of rows) this.#options.onStored(part_id);
        // What is stored and away need not be remembered.
        for (const row of rows) {
          if (row.is_online === 0 && this.#known.get(row.part_id) === row) this.#known.delete(row.part_id);
        }
      } catch (thrown) {
        this.#options.logger.warn(
          `Presence of ${rows.length} parts is not stored yet: ${toArmatureError(thrown).message}`,
        );
        for (const id of ids) this.#changed.add(id);
      }
    });
  }

  async #noteSeen(): Promise<void> {
    const partIds = [...this.#connected];
    if (partIds.length === 0) return;
    try {
      for (const partId of await this.#rows.seen(partIds, this.#now())) this.#options.onGone(partId);
    } catch (thrown) {
      this.#options.logger.warn(`It is not stored that parts are there: ${toArmatureError(thrown).message}`);
    }
  }

  #now(): number {
    return this.#options.clock.now();
  }
}
