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

/** A part counts as offline after this time without a stream: it may just be reconnecting. */
export const OFFLINE_AFTER_MS = 8_000;
/**
 * Parts that were online when the hub stopped have this long to come back before they count as offline: a restart of
 * the hub should not report thousands of parts as offline.
 */
const MAX_RETURN_MS = 60_000;
/** A part without a stream counts as online for this long after a request; it makes one every 10 s. */
const ONLINE_AFTER_REQUEST_MS = 35_000;
/** Delay before changes are stored, so that they are written together. */
const WRITE_DELAY_MS = 2_000;
/** How old `last_seen_at` in the store may be after a crash of the hub. */
export const SEEN_MS = 60_000;

export interface PresenceBookOptions {
  readonly store: Store;
  readonly events: EventLog;
  readonly cluster: Cluster;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Called when presence or status of a part has changed. */
  readonly onChange: (partId: string) => void;
  /** Called when that change is stored. */
  readonly onStored: (partId: string) => void;
  /** Called when a connected part was deleted from the fleet. */
  readonly onGone: (partId: string) => void;
}

/**
 * Tracks which parts are online, and the last status of each. A part is online at once, and offline after some seconds
 * without a stream. Changes are stored soon after, so that they survive a restart of the hub.
 */
export class PresenceBook {
  readonly #options: PresenceBookOptions;
  readonly #rows: PresenceRows;
  /** Rows of parts that were seen since the start, or were online before it. */
  readonly #known = new Map<string, PresenceRow>();
  readonly #connected = new Set<string>();
  readonly #offlineTimers = new Map<string, Timer>();
  readonly #changed = new Set<string>();
  readonly #writing = new Mutex();
  #writeTimer: Timer | undefined;
  #seenTimer: Timer | undefined;

  constructor(options: PresenceBookOptions) {
    this.#options = options;
    this.#rows = new PresenceRows(options.store, options.events, options.cluster.hubId);
  }

  /** Continues from the stored state. Throws if the store cannot be read. */
  async start(): Promise<void> {
    if (!this.#options.cluster.isShared) this.#awaitReturn(await this.#rows.online());
    this.#seenTimer = this.#options.clock.every(SEEN_MS, () => void this.#storeSeen());
  }

  /**
   * Takes over parts of dead hubs: they soon connect to another hub, or count as offline. Throws if the store fails.
   */
  async adopt(): Promise<void> {
    this.#awaitReturn(await this.#rows.adopt([...this.#options.cluster.members.all.keys()]));
  }

  #awaitReturn(rows: readonly PresenceRow[]): void {
    for (const { part_id: partId, ...row } of rows) {
      if (this.#connected.has(partId)) continue;
      this.#known.set(partId, { ...row, part_id: partId, hub_id: this.#options.cluster.hubId });
      this.#scheduleOffline(partId, MAX_RETURN_MS);
    }
  }

  /** The part has connected to another hub, which tracks it from now on. */
  moved(partId: string): void {
    this.#offlineTimers.get(partId)?.cancel();
    this.#offlineTimers.delete(partId);
    this.#connected.delete(partId);
    this.#known.delete(partId);
    this.#changed.delete(partId);
  }

  /**
   * Id of the hub that a part is connected to, or sent its last request to; undefined if the part is offline or the hub
   * is dead.
   */
  async homeOf(partId: string): Promise<string | undefined> {
    const hubId = await this.#rows.homeOf(partId);
    return hubId !== undefined && this.#options.cluster.members.all.has(hubId) ? hubId : undefined;
  }

  /** Presence of these parts; parts that never connected are left out. */
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

  /** The part has opened a stream. */
  async connected(partId: string, hello: Hello): Promise<void> {
    const before = this.#known.get(partId) ?? (await this.#rows.read([partId]))[0];
    const now = this.#now();
    // The first connection of a part is stored at once.
    const writeMs = before === undefined ? 0 : WRITE_DELAY_MS;
    this.#offlineTimers.get(partId)?.cancel();
    this.#offlineTimers.delete(partId);
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
    // Other hubs must know at once where to forward calls for it.
    if (this.#options.cluster.isShared) await this.#rows.write([row], true);
  }

  /** A part without a stream has made a request: it counts as online as long as it keeps making requests. */
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
    this.#scheduleOffline(partId, ONLINE_AFTER_REQUEST_MS);
  }

  /** Like {@link asked}, for a request at another hub. */
  askedElsewhere(partId: string): void {
    if (this.#offlineTimers.has(partId)) this.#scheduleOffline(partId, ONLINE_AFTER_REQUEST_MS);
  }

  /**
   * Records the time in which this hub, and the part that runs in the same program, were not running, so that nobody
   * could see the part. Kept until the next gap. To be called before the part connects.
   */
  async noteGap(partId: string): Promise<void> {
    const before = this.#known.get(partId) ?? (await this.#rows.read([partId]))[0];
    if (before === undefined) return;
    const [began, ended] = [before.last_seen_at, this.#now()];
    await this.#rows.writeGap(partId, began, ended);
    this.#set({ ...before, gap_began_at: began, gap_ended_at: ended });
  }

  /** The stream has ended; another one may follow. */
  disconnected(partId: string): void {
    const row = this.#known.get(partId);
    if (!this.#connected.delete(partId) || row === undefined) return;
    this.#set({ ...row, last_seen_at: this.#now() });
    this.#scheduleOffline(partId, OFFLINE_AFTER_MS);
  }

  reported(partId: string, status: StatusReport): void {
    const row = this.#known.get(partId);
    if (row === undefined) return;
    const text = Buffer.from(encodeMessage(StatusReport, status)).toString('base64');
    this.#set({ ...row, status: text, status_at: this.#now() });
  }

  /** Stops, and stores pending changes. */
  async close(): Promise<void> {
    this.#seenTimer?.cancel();
    this.#writeTimer?.cancel();
    for (const timer of this.#offlineTimers.values()) timer.cancel();
    const now = this.#now();
    for (const partId of this.#connected) {
      const row = this.#known.get(partId);
      if (row !== undefined) this.#known.set(partId, { ...row, last_seen_at: now });
      this.#changed.add(partId);
    }
    await this.#flush();
  }

  #scheduleOffline(partId: string, afterMs: number): void {
    this.#offlineTimers.get(partId)?.cancel();
    const timer = this.#options.clock.after(afterMs, () => {
      this.#offlineTimers.delete(partId);
      const row = this.#known.get(partId);
      if (row !== undefined) this.#set({ ...row, is_online: 0 });
    });
    this.#offlineTimers.set(partId, timer);
  }

  #set(row: PresenceRow, writeMs = WRITE_DELAY_MS): void {
    this.#known.set(row.part_id, row);
    this.#changed.add(row.part_id);
    this.#writeTimer ??= this.#options.clock.after(writeMs, () => void this.#flush());
    this.#options.onChange(row.part_id);
  }

  /** Never rejects. */
  #flush(): Promise<void> {
    this.#writeTimer = undefined;
    return this.#writing.run(async () => {
      const ids = [...this.#changed];
      this.#changed.clear();
      const rows = ids.flatMap((id) => this.#known.get(id) ?? []);
      try {
        await this.#rows.write(rows);
        for (const { part_id } of rows) this.#options.onStored(part_id);
        // Rows of offline parts are in the store and need no memory.
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

  async #storeSeen(): Promise<void> {
    const partIds = [...this.#connected];
    if (partIds.length === 0) return;
    try {
      for (const partId of await this.#rows.seen(partIds, this.#now())) this.#options.onGone(partId);
    } catch (thrown) {
      this.#options.logger.warn(
        `The times when parts were last seen are not stored yet: ${toArmatureError(thrown).message}`,
      );
    }
  }

  #now(): number {
    return this.#options.clock.now();
  }
}
