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
  /** What a part is to run; undefined before its first configuration. Throws `call.not_found`. */
  readonly currentConfig: (partId: string) => Promise<StoredConfig | undefined>;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** How soon connected parts are told of keys that were made or revoked. */
const KEYS_MS = 1_000;

interface Told {
  readonly membership: Membership;
  readonly place: Place;
  /** Of the keys that the part was told last. */
  keys: string;
  /** Of the configuration that it has, or was sent last. */
  revision: string;
}

/**
 * The parts of a fleet as they live: who is connected, what each is told, and
 * the configurations that are pushed to them as they are stored.
 */
export class LiveParts {
  readonly connected: ConnectedParts;
  readonly presence: PresenceBook;
  readonly #options: LivePartsOptions;
  readonly #newest: AccessMark;
  readonly #told = new Map<PartStream, Told>();
  readonly #changed = new KeyedEmitter();
  readonly #anyChanged = new Emitter<string>();
  readonly #moved = new KeyedEmitter();
  readonly #endings: (() => void)[] = [];
  #keys: { readonly mark: number; readonly directory: KeyDirectory } | undefined;
  #keysTimer: Timer | undefined;

  constructor(options: LivePartsOptions) {
    const { store, events, cluster, clock, logger } = options;
    this.#options = options;
    this.#newest = new AccessMark(store, clock);
    this.connected = new ConnectedParts(clock);
    this.presence = new PresenceBook({
      store,
      events,
      cluster,
      clock,
      logger,
      onChange: (partId) => this.#tell(partId),
      onStored: (partId) => cluster.notices.tell({ kind: 'part', partId }),
      onGone: (partId) => this.connected.get(partId)?.end(notFound('part', partId)),
    });
  }

  /** Throws where the store cannot be read. */
  async start(): Promise<void> {
    await this.presence.start();
    if (this.#options.cluster.isShared) this.#followOthers();
    let isLooking = false;
    this.#keysTimer = this.#options.clock.every(KEYS_MS, () => {
      if (isLooking || this.#told.size === 0) return;
      isLooking = true;
      void this.tellOfKeys().finally(() => (isLooking = false));
    });
  }

  /**
   * Calls back when something of a part has changed: its versions, its presence, its status. Returns an unsubscribe
   * function.
   */
  onChange(partId: string, listener: () => void): () => void {
    return this.#changed.on(partId, listener);
  }

  /** The same of every part. */
  onAnyChange(listener: (partId: string) => void): () => void {
    return this.#anyChanged.on(listener);
  }

  /** Calls back when a part has connected to another hub. Returns an unsubscribe function. */
  onMoved(partId: string, listener: () => void): () => void {
    return this.#moved.on(partId, listener);
  }

  /**
   * Takes a part in: it is told who it is, and gets its configuration unless it has that or owns it.
   * @throws {ArmatureError} `call.not_found`
   */
  async connect(stream: PartStream): Promise<void> {
    const { partId, hello } = stream;
    const { membership, place } = await membershipOf(this.#options.store, partId);
    // From here on pushes reach it: what is stored while the newest version is read is not missed.
    this.connected.add(stream);
    const [current, keys] = await Promise.all([this.#options.currentConfig(partId), this.#directory()]);
    const accepted: Accepted = { ...membership, keys: keys.keysAt(place), revision: current?.revision ?? '' };
    this.#told.set(stream, { membership, place, keys: signatureOf(accepted), revision: accepted.revision });
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
    this.#told.delete(stream);
    if (isNewest) this.presence.disconnected(stream.partId);
  }

  /**
   * Gives a part what it is to run, which was stored just now.
   * @param storer the stream of the part that has it already
   */
  configStored(partId: string, config: StoredConfig, storer?: PartStream): void {
    const stream = this.connected.get(partId);
    if (stream !== undefined) this.#push(stream, config, stream === storer);
    this.changed(partId);
  }

  /** Something of a part has changed, and is stored: whoever follows it is told. */
  changed(partId: string): void {
    this.#tell(partId);
    this.#options.cluster.notices.tell({ kind: 'part', partId });
  }

  /** Asks a part's program to end, so that its supervisor starts it afresh; when it is there again where it is away. */
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

  /** Whether a part that is asking is to end, and has not been told; it counts as told then. */
  async takeRestart(partId: string): Promise<boolean> {
    const { db } = this.#options.store;
    const isThere = db.selectFrom('part_restarts').select('part_id').where('part_id', '=', partId);
    // Nearly always there is none, and a look costs no commit.
    if ((await isThere.executeTakeFirst()) === undefined) return false;
    const taken = db.deleteFrom('part_restarts').where('part_id', '=', partId).returning('part_id');
    return (await taken.executeTakeFirst()) !== undefined;
  }

  /** Has connected parts know the keys that there are now: before what they are asked next. */
  async tellOfKeys(): Promise<void> {
    try {
      if ((await this.#newest.look()) === this.#keys?.mark) return;
      this.#keys = await this.#readKeys();
      const { directory } = this.#keys;
      for (const [stream, told] of this.#told) {
        const revision = stream.hello.revision;
        const accepted: Accepted = { ...told.membership, keys: directory.keysAt(told.place), revision };
        const keys = signatureOf(accepted);
        if (keys === told.keys) continue;
        told.keys = keys;
        stream.outbox.accept(accepted);
      }
    } catch (thrown) {
      this.#keys = undefined;
      this.#options.logger.warn(`Parts are not told of changed keys yet: ${toArmatureError(thrown).message}`);
    }
  }

  async close(): Promise<void> {
    this.#keysTimer?.cancel();
    for (const end of this.#endings) end();
    for (const stream of [...this.connected.all()]) this.disconnect(stream);
    await this.presence.close();
  }

  #tell(partId: string): void {
    this.#changed.emit(partId);
    this.#anyChanged.emit(partId);
  }

  /** @param hasIt the part has this text already */
  #push(stream: PartStream, config: StoredConfig, hasIt: boolean): void {
    const told = this.#told.get(stream);
    // What another hub stored is read from the events, where what this one stored is too.
    if (told?.revision === config.revision) return;
    if (told !== undefined) told.revision = config.revision;
    if (!hasIt && !stream.hello.ownsConfig) stream.outbox.config(config);
  }

  #followOthers(): void {
    const { events, cluster, logger } = this.#options;
    this.#endings.push(
      cluster.notices.on((notice) => this.#onNotice(notice)),
      cluster.notices.onLost(() => {
        this.#tellOfAll().catch((thrown: unknown) => {
          logger.warn(`Who follows parts may miss a change of one: ${toArmatureError(thrown).message}`);
        });
      }),
      events.follow(({ kind, partId = '' }) => {
        if (kind !== 'config.stored') return;
        this.#pushStored(partId).catch((thrown: unknown) => {
          logger.warn(`The part ${partId} is not given its configuration yet: ${toArmatureError(thrown).message}`);
        });
      }),
    );
  }

  #onNotice(notice: Notice): void {
    if (notice.kind === 'part') this.#tell(notice.partId);
    else if (notice.kind === 'asked') this.presence.askedElsewhere(notice.partId);
    else if (notice.kind === 'connected') {
      const { partId } = notice;
      const stream = this.connected.get(partId);
      // Its own streams see to the rest as they end.
      stream?.end(
        new ArmatureError('part.replaced', `The part "${partId}" has connected to another hub of its fleet.`),
      );
      this.presence.moved(partId);
      this.#moved.emit(partId);
      this.#tell(partId);
    }
  }

  /** Any part may be another than it was. */
  async #tellOfAll(): Promise<void> {
    const rows = await this.#options.store.db.selectFrom('part_presence').select(['part_id', 'hub_id']).execute();
    for (const { part_id: partId, hub_id: hubId } of rows) {
      if (hubId !== this.#options.cluster.hubId) this.#moved.emit(partId);
      this.#tell(partId);
    }
  }

  /** What another hub has stored. */
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
    // Before the keys: a change in between is seen as one and read again.
    const mark = await readAccessMark(store.db);
    return { mark, directory: await readKeys(store) };
  }
}

function signatureOf({ keys }: Accepted): string {
  return keys.map(({ id, digest, role }) => `${id} ${role} ${Buffer.from(digest).toString('hex')}`).join('\n');
}
