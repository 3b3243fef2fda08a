import type { Accepted, StoredConfig } from '../../../proto/gen/core/hub/v1/part.ts';
import { Emitter, KeyedEmitter } from '../../base/async/emitter.ts';
import type { Clock, Timer } from '../../base/clock.ts';
import { toArmatureError } from '../../base/errors.ts';
import type { Logger } from '../../base/logger.ts';
import { AccessMark, readAccessMark } from '../access/keys/access-mark.ts';
import { readKeys, type KeyDirectory } from '../access/keys/key-directory.ts';
import { notFound } from '../places/fleet-errors.ts';
import { membershipOf, type Membership } from '../places/membership.ts';
import type { Place } from '../places/place.ts';
import type { EventLog } from '../events/event-log.ts';
import type { Store } from '../storage/store.ts';
import { ConnectedParts } from './connected-parts.ts';
import type { PartStream } from './part-stream.ts';
import { PresenceBook } from './presence-book.ts';

export interface LivePartsOptions {
  readonly store: Store;
  readonly events: EventLog;
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
  /** Parts that are to end as soon as they can be told. */
  readonly #restarts = new Set<string>();
  #keys: { readonly mark: number; readonly directory: KeyDirectory } | undefined;
  #keysTimer: Timer | undefined;

  constructor(options: LivePartsOptions) {
    const { store, events, clock, logger } = options;
    this.#options = options;
    this.#newest = new AccessMark(store, clock);
    this.connected = new ConnectedParts(clock);
    this.presence = new PresenceBook({
      store,
      events,
      clock,
      logger,
      onChange: (partId) => this.changed(partId),
      onGone: (partId) => this.connected.get(partId)?.end(notFound('part', partId)),
    });
  }

  /** Throws where the store cannot be read. */
  async start(): Promise<void> {
    await this.presence.start();
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
    this.#told.set(stream, { membership, place, keys: signatureOf(accepted) });
    stream.outbox.accept(accepted);
    if (current !== undefined && current.revision !== hello.revision && !hello.ownsConfig) {
      stream.outbox.config(current);
    }
    if (this.takeRestart(partId)) stream.outbox.restart();
    await this.presence.connected(partId, hello);
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
    if (stream !== undefined && stream !== storer && !stream.hello.ownsConfig) stream.outbox.config(config);
    this.changed(partId);
  }

  /** Something of a part has changed: whoever follows it is told. */
  changed(partId: string): void {
    this.#changed.emit(partId);
    this.#anyChanged.emit(partId);
  }

  /** Asks a part's program to end, so that its supervisor starts it afresh; when it is there again where it is away. */
  restart(partId: string): void {
    const stream = this.connected.get(partId);
    if (stream === undefined) this.#restarts.add(partId);
    else stream.outbox.restart();
  }

  /** Whether a part that is asking is to end, and has not been told; it counts as told then. */
  takeRestart(partId: string): boolean {
    return this.#restarts.delete(partId);
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
    for (const stream of [...this.connected.all()]) this.disconnect(stream);
    await this.presence.close();
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
