import { timingSafeEqual, randomBytes } from 'node:crypto';
import { Emitter } from '../../../base/async/emitter.ts';
import { Mutex } from '../../../base/async/mutex.ts';
import type { Clock, Timer } from '../../../base/clock.ts';
import { toArmatureError } from '../../../base/errors.ts';
import type { Logger } from '../../../base/logger.ts';
import { sha256 } from '../../../rpc/access/access-policy.ts';
import type { Store } from '../../storage/store.ts';
import { AccessMark, readAccessChange } from './access-mark.ts';
import { holderKey, holderKinds, parseHolderKey, type Holder } from './holder.ts';

/** The holder of a secret that a caller has shown. */
export interface Match {
  readonly holder: Holder;
  readonly version: string;
}

interface Known {
  readonly digest: Uint8Array;
  /** Identifies this secret: tokens issued for another or an earlier secret are not valid. */
  readonly version: string;
}

/** Everything about one holder that decides whether its calls are accepted. */
interface Entry {
  readonly secrets: readonly Known[];
  /** Ids of the holder's authorizations. */
  readonly rights: ReadonlySet<string>;
}

/** A holder has lost secrets or rights. */
export interface Loss {
  readonly holder: Holder;
  /** Whether it lost rights; else it lost only secrets. */
  readonly hasLostRights: boolean;
}

/** How often to check for changes made by other programs; they take effect within this time. */
const CHECK_INTERVAL_MS = 500;
const DECOY = randomBytes(32);

/**
 * The credentials that are currently accepted, kept in memory so that no call needs a query. Knows at once of changes
 * made by this program, and soon after of those made by other programs.
 */
export class Credentials {
  readonly #store: Store;
  readonly #clock: Clock;
  readonly #logger: Logger;
  readonly #newest: AccessMark;
  readonly #losses = new Emitter<Loss>();
  readonly #loading = new Mutex();
  #entries = new Map<string, Entry>();
  #mark = -1;
  #look: Timer | undefined;
  #following: Promise<void> | undefined;
  #followingNext: Promise<void> | undefined;

  constructor(store: Store, clock: Clock, logger: Logger) {
    this.#store = store;
    this.#clock = clock;
    this.#logger = logger;
    this.#newest = new AccessMark(store, clock);
  }

  /** Reads all credentials and keeps following changes. Throws if the store cannot be read. */
  async start(): Promise<void> {
    await this.refresh();
    let isLooking = false;
    let trouble = '';
    this.#look = this.#clock.every(CHECK_INTERVAL_MS, () => {
      if (isLooking) return;
      isLooking = true;
      this.#newest
        .look()
        .then((mark) => this.#catchUp(mark))
        .then(() => (trouble = ''))
        .catch((thrown: unknown) => {
          // The known credentials stay valid; a long outage of the store is reported once.
          const { message } = toArmatureError(thrown);
          if (message !== trouble) this.#logger.warn(`Changes of keys cannot be followed for now: ${message}`);
          trouble = message;
        })
        .finally(() => (isLooking = false));
    });
  }

  stop(): void {
    this.#look?.cancel();
  }

  /** Calls back for each holder that was revoked or lost secrets or rights. Returns an unsubscribe function. */
  onLoss(listener: (loss: Loss) => void): () => void {
    return this.#losses.on(listener);
  }

  /**
   * Reads the credentials again; resolves when everything committed before the call is in effect.
   * @param holder a holder whose change is not recorded in the store (`noteAccessChange`)
   */
  refresh(holder?: Holder): Promise<void> {
    return this.#loading.run(() => this.#load(holder));
  }

  /**
   * Finds the holder of a secret; undefined if no holder of this type and id has it. Takes the same time for a holder
   * that does not exist.
   * @param type its name in the public protocol
   */
  match(type: string, id: string, secret: string): Match | undefined {
    let found: Match | undefined;
    for (const kind of holderKinds.get(type) ?? []) {
      const version = this.#versionOf({ kind, id }, secret);
      if (version !== undefined) found ??= { holder: { kind, id }, version };
    }
    return found;
  }

  #versionOf(holder: Holder, secret: string): string | undefined {
    const digest = sha256(secret);
    const secrets = this.#entries.get(holderKey(holder))?.secrets ?? [];
    let found: string | undefined;
    for (const known of secrets.length > 0 ? secrets : [{ digest: DECOY, version: undefined }]) {
      if (timingSafeEqual(digest, known.digest)) found = known.version;
    }
    return found;
  }

  /** Version of the newest secret; undefined if the holder has none. */
  newestVersion(holder: Holder): string | undefined {
    return this.#entries.get(holderKey(holder))?.secrets.at(-1)?.version;
  }

  /** Whether a secret of this version is still accepted. */
  holds(holder: Holder, version: string): boolean {
    return this.#entries.get(holderKey(holder))?.secrets.some((known) => known.version === version) ?? false;
  }

  /**
   * Resolves when changes that other programs made before the call are in effect; if the store cannot be read, nothing
   * changes. At most one read runs at a time: calls during a read share the next one.
   */
  follow(): Promise<void> {
    if (this.#following === undefined) {
      this.#following = this.#followOnce().finally(() => (this.#following = undefined));
      return this.#following;
    }
    this.#followingNext ??= this.#following.then(() => {
      this.#followingNext = undefined;
      return this.follow();
    });
    return this.#followingNext;
  }

  async #followOnce(): Promise<void> {
    try {
      await this.#catchUp((await readAccessChange(this.#store.db)).mark);
    } catch {
      // The regular check reports the failure.
    }
  }

  async #catchUp(mark: number): Promise<void> {
    if (mark !== this.#mark) await this.refresh();
  }

  async #load(unnoted: Holder | undefined): Promise<void> {
    // Read the mark before the rows: a change in between is then detected, and read again.
    const { mark, holder } = await readAccessChange(this.#store.db);
    // If there was exactly one change and its holder is known, read only that holder, not the keys of a whole fleet.
    const noted = mark === this.#mark + 1 ? holder : undefined;
    const only = mark === this.#mark ? unnoted : unnoted === undefined ? noted : undefined;
    const read = await readEntries(this.#store, only);
    const before = this.#entries;
    this.#entries = read;
    if (only !== undefined) {
      const key = holderKey(only);
      const entry = read.get(key);
      this.#entries = new Map(before);
      if (entry === undefined) this.#entries.delete(key);
      else this.#entries.set(key, entry);
    }
    this.#mark = mark;
    this.#emitLosses(before, only);
  }

  #emitLosses(before: ReadonlyMap<string, Entry>, only: Holder | undefined): void {
    const keys = only === undefined ? before.keys() : [holderKey(only)];
    for (const key of keys) {
      const [was, now] = [before.get(key), this.#entries.get(key)];
      if (was === undefined || was === now) continue;
      const hasLostRights = [...was.rights].some((right) => now?.rights.has(right) !== true);
      const hasLostSecret = was.secrets.some(
        ({ version }) => now?.secrets.some((kept) => kept.version === version) !== true,
      );
      if (!hasLostRights && !hasLostSecret) continue;
      this.#losses.emit({ holder: parseHolderKey(key), hasLostRights });
    }
  }
}

async function readEntries({ db }: Store, only: Holder | undefined): Promise<Map<string, Entry>> {
  let keyQuery = db.selectFrom('api_keys').select(['id', 'sha256', 'generation']);
  let rightQuery = db.selectFrom('authorizations').select(['id', 'key_id']);
  let secretQuery = db.selectFrom('part_secrets').select(['id', 'part_id', 'sha256']);
  let moduleQuery = db.selectFrom('part_module_keys').select(['part_id', 'key_id', 'sha256', 'version']);
  if (only !== undefined) {
    keyQuery = keyQuery.where('id', '=', only.id);
    rightQuery = rightQuery.where('key_id', '=', only.id);
    secretQuery = secretQuery.where('part_id', '=', only.id);
    moduleQuery = moduleQuery.where('key_id', '=', only.id);
  }
  const [keys, authorizations, secrets, moduleKeys] = await Promise.all([
    keyQuery.execute(),
    rightQuery.execute(),
    secretQuery.execute(),
    moduleQuery.execute(),
  ]);
  const entries = new Map<string, Entry>();
  const allowed = Map.groupBy(authorizations, ({ key_id }) => key_id);
  for (const { id, sha256: hex, generation } of keys) {
    entries.set(holderKey({ kind: 'api-key', id }), {
      secrets: [{ digest: Buffer.from(hex, 'hex'), version: `${generation}` }],
      rights: new Set((allowed.get(id) ?? []).map((authorization) => authorization.id)),
    });
  }
  for (const [id, ofPart] of Map.groupBy(secrets, ({ part_id }) => part_id)) {
    entries.set(holderKey({ kind: 'part-secret', id }), {
      secrets: ofPart.map((secret) => ({ digest: Buffer.from(secret.sha256, 'hex'), version: secret.id })),
      rights: new Set(),
    });
  }
  for (const { part_id, key_id, sha256: hex, version } of moduleKeys) {
    entries.set(holderKey({ kind: 'module-key', id: key_id }), {
      secrets: [{ digest: Buffer.from(hex, 'hex'), version }],
      rights: new Set([part_id]),
    });
  }
  return entries;
}
