import type { Accepted, StoredConfig } from '../../../proto/gen/core/hub/v1/part.ts';
import { Emitter, KeyedEmitter } from '../../base/async/emitter.ts';
import type { Clock, Timer } from '../../base/clock.ts';
import { ArmatureError, toArmatureError } from '../../base/errors.ts';
import type { Logger } from '../../base/logger.ts';
import { AccessMark, readAccessMark } from '../access/keys/access-mark.ts';
import { readKeys, type KeyDirectory } from '../access/keys/key-directory.ts';
import { notFound } from '../places/fleet-errors.ts';
import { membershipOf, type Membership } from '../places/membership.ts';
import type { Place } from '../places/place.ts';
import type { Cluster } from '../cluster/cluster.ts';
import type { Notice } from '../cluster/notices.ts';
import type { EventLog } from '../events/event-log.ts';
import type { Store } from '../storage/store.ts';
import { ConnectedParts } from './connected-parts.ts';
import type { PartStream } from './part-stream.ts';
import { PresenceBook } from './presence-book.ts';

export interface LivePartsOptions {
  readonly store: Store;
  readonly events: EventLog;
  readonly cluster: Cluster;
  /** The current configuration of a part; undefined before the first. Throws `call.not_found`. */
  readonly currentConfig: (partId: string) => Promise<StoredConfig | undefined>;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** How often to check for new and revoked keys, which are sent to connected parts. */
const KEY_CHECK_INTERVAL_MS = 1_000;

interface SentState {
  readonly membership: Membership;
  readonly place: Place;
  /** Signature of the keys that were sent last. */
  keys: string;
  /** Revision of the configuration that the part has, or was sent last. */
  revision: string;
}

/** The connected parts of a fleet: tracks their presence, and sends them their identity, keys and configurations. */
export class LiveParts {
  readonly connected: ConnectedParts;
  readonly presence: PresenceBook;
  readonly #options: LivePartsOptions;
  readonly #accessMark: AccessMark;
  readonly #sent = new Map<PartStream, SentState>();
  readonly #changed = new KeyedEmitter();
  readonly #anyChanged = new Emitter<string>();
  readonly #moved = new KeyedEmitter();
  readonly #unsubscribes: (() => void)[] = [];
  #keys: { readonly mark: number; readonly directory: KeyDirectory } | undefined;
  #keysTimer: Timer | undefined;

  constructor(options: LivePartsOptions) {
    const { store, events, cluster, clock, logger } = options;
    this.#options = options;
    this.#accessMark = new AccessMark(store, clock);
    this.connected = new ConnectedParts(clock);
    this.presence = new PresenceBook({
      store,
      events,
      cluster,
      clock,
      logger,
      onChange: (partId) => this.#notify(partId),
      onStored: (partId) => cluster.notices.tell({ kind: 'part', partId }),
      onGone: (partId) => this.connected.get(partId)?.end(notFound('part', partId)),
    });
  }

  /** Throws if the store cannot be read. */
  async start(): Promise<void> {
    await this.presence.start();
    if (this.#options.cluster.isShared) this.#followOthers();
    let isLooking = false;
    this.#keysTimer = this.#options.clock.every(KEY_CHECK_INTERVAL_MS, () => {
      if (isLooking || this.#sent.size === 0) return;
      isLooking = true;
      void this.sendKeys().finally(() => (isLooking = false));
    });
  }

  /** Calls back when the versions, presence or status of a part have changed. Returns an unsubscribe function. */
  onChange(partId: string, listener: () => void): () => void {
    return this.#changed.on(partId, listener);
  }

  /** Like {@link onChange}, for every part. */
  onAnyChange(listener: (partId: string) => void): () => void {
    return this.#anyChanged.on(listener);
  }

  /** Calls back when a part has connected to another hub. Returns an unsubscribe function. */
  onMoved(partId: string, listener: () => void): () => void {
    return this.#moved.on(partId, listener);
  }

  /**
   * Connects a part: sends its identity, and its configuration unless it has that already or a local file owns it.
   * @throws {ArmatureError} `call.not_found`
   */
  async connect(stream: PartStream): Promise<void> {
    const { partId, hello } = stream;
    const { membership, place } = await membershipOf(this.#options.store, partId);
    // From here on the part gets pushes, so a version that is stored during the reads below is not missed.
    this.connected.add(stream);
    const [current, keys] = await Promise.all([this.#options.currentConfig(partId), this.#directory()]);
    const accepted: Accepted = { ...membership, keys: keys.keysAt(place), revision: current?.revision ?? '' };
    this.#sent.set(stream, { membership, place, keys: signatureOf(accepted), revision: accepted.revision });
    stream.outbox.accept(accepted);
    if (current !== undefined && current.revision !== hello.revision && !hello.ownsConfig) {
      stream.outbox.config(current);
    }
    if (await this.takeRestart(partId)) stream.outbox.restart();
    await this.presence.connected(partId, hello);
    const { cluster } = this.#options;
    cluster.notices.tell({ kind: 'connected', partId, hubId: cluster.hubId });
  }

  disconnect(stream: PartStream): void {
    const isNewest = this.connected.get(stream.partId) === stream;
    this.connected.remove(stream);
    this.#sent.delete(stream);
    if (isNewest) this.presence.disconnected(stream.partId);
  }

  /**
   * Sends a part the configuration that was just stored.
   * @param storer the stream of the part, if the part stored it and so has it already
   */
  configStored(partId: string, config: StoredConfig, storer?: PartStream): void {
    const stream = this.connected.get(partId);
    if (stream !== undefined) this.#push(stream, config, stream === storer);
    this.changed(partId);
  }

  /** Notifies listeners, here and at other hubs, that a part has changed. The change must be stored. */
  changed(partId: string): void {
    this.#notify(partId);
    this.#options.cluster.notices.tell({ kind: 'part', partId });
  }

  /** Asks a part's program to exit, so that its supervisor restarts it. An offline part is asked when it is back. */
  async restart(partId: string): Promise<void> {
    const stream = this.connected.get(partId);
    if (stream !== undefined) {
      stream.outbox.restart();
      return;
    }
    const { db } = this.#options.store;
    const row = db.insertInto('part_restarts').values({ part_id: partId });
    await row.onConflict((conflict) => conflict.doNothing()).execute();
  }

  /** Whether the part still has to be asked to restart; also marks it as asked. */
  async takeRestart(partId: string): Promise<boolean> {
    const { db } = this.#options.store;
    const isThere = db.selectFrom('part_restarts').select('part_id').where('part_id', '=', partId);
    // Nearly always there is no row, and reading needs no commit.
    if ((await isThere.executeTakeFirst()) === undefined) return false;
    const taken = db.deleteFrom('part_restarts').where('part_id', '=', partId).returning('part_id');
    return (await taken.executeTakeFirst()) !== undefined;
  }

  /** Sends the current keys to connected parts whose keys have changed, ahead of later calls. */
  async sendKeys(): Promise<void> {
    try {
      if ((await this.#accessMark.look()) === this.#keys?.mark) return;
      this.#keys = await this.#readKeys();
      const { directory } = this.#keys;
      for (const [stream, sent] of this.#sent) {
        const revision = stream.hello.revision;
        const accepted: Accepted = { ...sent.membership, keys: directory.keysAt(sent.place), revision };
        const keys = signatureOf(accepted);
        if (keys === sent.keys) continue;
        sent.keys = keys;
        stream.outbox.accept(accepted);
      }
    } catch (thrown) {
      this.#keys = undefined;
      this.#options.logger.warn(`Changed keys are not sent to parts yet: ${toArmatureError(thrown).message}`);
    }
  }

  async close(): Promise<void> {
    this.#keysTimer?.cancel();
    for (const unsubscribe of this.#unsubscribes) unsubscribe();
    for (const stream of [...this.connected.all()]) this.disconnect(stream);
    await this.presence.close();
  }

  #notify(partId: string): void {
    this.#changed.emit(partId);
    this.#anyChanged.emit(partId);
  }

  /** @param hasIt whether the part has this text already */
  #push(stream: PartStream, config: StoredConfig, hasIt: boolean): void {
    const sent = this.#sent.get(stream);
    // Events also report what this hub stored, so the same revision may come twice.
    if (sent?.revision === config.revision) return;
    if (sent !== undefined) sent.revision = config.revision;
    if (!hasIt && !stream.hello.ownsConfig) stream.outbox.config(config);
  }

  #followOthers(): void {
    const { events, cluster, logger } = this.#options;
    this.#unsubscribes.push(
      cluster.notices.on((notice) => this.#onNotice(notice)),
      cluster.notices.onLost(() => {
        this.#notifyAll().catch((thrown: unknown) => {
          logger.warn(`Callers that follow parts may miss a change: ${toArmatureError(thrown).message}`);
        });
      }),
      events.follow(({ kind, partId = '' }) => {
        if (kind !== 'config.stored') return;
        this.#pushStored(partId).catch((thrown: unknown) => {
          logger.warn(`The configuration of part ${partId} is not sent to it yet: ${toArmatureError(thrown).message}`);
        });
      }),
    );
  }

  #onNotice(notice: Notice): void {
    if (notice.kind === 'part') this.#notify(notice.partId);
    else if (notice.kind === 'asked') this.presence.askedElsewhere(notice.partId);
    else if (notice.kind === 'connected') {
      const { partId } = notice;
      const stream = this.connected.get(partId);
      // The ended stream does its own cleanup.
      stream?.end(
        new ArmatureError('part.replaced', `The part "${partId}" has connected to another hub of its fleet.`),
      );
      this.presence.moved(partId);
      this.#moved.emit(partId);
      this.#notify(partId);
    }
  }

  /** Notifies for every part: any of them may have changed. */
  async #notifyAll(): Promise<void> {
    const rows = await this.#options.store.db.selectFrom('part_presence').select(['part_id', 'hub_id']).execute();
    for (const { part_id: partId, hub_id: hubId } of rows) {
      if (hubId !== this.#options.cluster.hubId) this.#moved.emit(partId);
      this.#notify(partId);
    }
  }

  /** Sends a configuration that was stored by another hub. */
  async #pushStored(partId: string): Promise<void> {
    const stream = this.connected.get(partId);
    if (stream === undefined || stream.hello.ownsConfig) return;
    const current = await this.#options.currentConfig(partId);
    if (current !== undefined && this.connected.get(partId) === stream) this.#push(stream, current, false);
  }

  async #directory(): Promise<KeyDirectory> {
    this.#keys ??= await this.#readKeys();
    return this.#keys.directory;
  }

  async #readKeys(): Promise<{ readonly mark: number; readonly directory: KeyDirectory }> {
    const { store } = this.#options;
    // Read the mark before the keys: a change in between is then detected, and read again.
    const mark = await readAccessMark(store.db);
    return { mark, directory: await readKeys(store) };
  }
}

function signatureOf({ keys }: Accepted): string {
  return keys.map(({ id, digest, role }) => `${id} ${role} ${Buffer.from(digest).toString('hex')}`).join('\n');
}
