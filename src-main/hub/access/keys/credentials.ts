import { timingSafeEqual, randomBytes } from 'node:crypto';
import { Emitter } from '../../../base/async/emitter.ts';
import { Mutex } from '../../../base/async/mutex.ts';
import type { Clock, Timer } from '../../../base/clock.ts';
import { toArmatureError } from '../../../base/errors.ts';
import type { Logger } from '../../../base/logger.ts';
import { sha256 } from '../../../rpc/access/access-policy.ts';
import type { Store } from '../../storage/store.ts';
import { AccessMark, readAccessChange } from './access-mark.ts';
import { holderKey, holderKinds, holderOfKey, type Holder } from './holder.ts';

/** A secret that was shown and is one. */
export interface Match {
  readonly holder: Holder;
  readonly version: string;
}

interface Known {
  readonly digest: Uint8Array;
  /** Names the very secret: a token for another one, or an earlier one, is worth nothing. */
  readonly version: string;
}

/** Everything about one holder that its calls depend on. */
interface Entry {
  readonly secrets: readonly Known[];
  /** Ids of what the holder is authorized to. */
  readonly rights: ReadonlySet<string>;
}

/** A holder has lost something. */
export interface Loss {
  readonly holder: Holder;
  /** What it may do has become less; else only secrets of it are gone. */
  readonly hasLostRights: boolean;
}

/** What a command of `armature hub` changed holds after at most this. */
const LOOK_MS = 500;
const DECOY = randomBytes(32);

/**
 * The credentials that are accepted at this moment, in memory, so that every
 * call is decided by them without a query. Knows of changes made through this
 * program at once, and of those made to its store by others soon after.
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

  /** Reads them all and goes on following. Throws where the store cannot be read. */
  async start(): Promise<void> {
    await this.refresh();
    let isLooking = false;
    let trouble = '';
    this.#look = this.#clock.every(LOOK_MS, () => {
      if (isLooking) return;
      isLooking = true;
      this.#newest
        .look()
        .then((mark) => this.#catchUp(mark))
        .then(() => (trouble = ''))
        .catch((thrown: unknown) => {
          // Those known stay in force; a store that is away for long says so once.
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

  /** Calls back for each holder that was revoked, that a secret was taken from, or that may do less than before. */
  onLoss(listener: (loss: Loss) => void): () => void {
    return this.#losses.on(listener);
  }

  /**
   * Reads them again; settles when what was committed before is in force.
   * @param holder one whose change is not noted in the store (`noteAccessChange`)
   */
  refresh(holder?: Holder): Promise<void> {
    return this.#loading.run(() => this.#load(holder));
  }

  /**
   * Whose secret this is, or undefined where it is nobody's of this type and
   * id. Takes the same time for a holder that is not there.
   * @param type as the public protocol calls it
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

  /** Of the secret that was made last; undefined where none is accepted. */
  newestVersion(holder: Holder): string | undefined {
    return this.#entries.get(holderKey(holder))?.secrets.at(-1)?.version;
  }

  /** Whether a secret of this version is accepted still. */
  holds(holder: Holder, version: string): boolean {
    return this.#entries.get(holderKey(holder))?.secrets.some((known) => known.version === version) ?? false;
  }

  /**
   * What others changed before is in force when this settles, if the store can be read; else what was known stays.
   * However many ask at once, the store is read by one look at a time: who comes during one shares the next.
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
      // The look that goes on says so.
    }
  }

  async #catchUp(mark: number): Promise<void> {
    if (mark !== this.#mark) await this.refresh();
  }

  async #load(unnoted: Holder | undefined): Promise<void> {
    // Before the rows: a change in between is seen as one and read again.
    const { mark, holder } = await readAccessChange(this.#store.db);
    // One change since the last time, and it is known whose: a fleet of thousands is not read for one key.
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
    this.#tellLosses(before, only);
  }

  #tellLosses(before: ReadonlyMap<string, Entry>, only: Holder | undefined): void {
    const keys = only === undefined ? before.keys() : [holderKey(only)];
    for (const key of keys) {
      const [was, now] = [before.get(key), this.#entries.get(key)];
      if (was === undefined || was === now) continue;
      const hasLostRights = [...was.rights].some((right) => now?.rights.has(right) !== true);
      const hasLostSecret = was.secrets.some(
        ({ version }) => now?.secrets.some((kept) => kept.version === version) !== true,
      );
      if (!hasLostRights && !hasLostSecret) continue;
      this.#losses.emit({ holder: holderOfKey(key), hasLostRights });
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
