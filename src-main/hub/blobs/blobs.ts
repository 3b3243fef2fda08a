import { rm } from 'node:fs/promises';
import type { Readable } from 'node:stream';
import { KeyedMutex } from '../../base/async/mutex.ts';
import { sleep, type Clock } from '../../base/clock.ts';
import { ArmatureError, toArmatureError } from '../../base/errors.ts';
import type { Logger } from '../../base/logger.ts';
import type { Cluster } from '../cluster/cluster.ts';
import type { Store } from '../storage/store.ts';
import type { WriteTransaction } from '../storage/tables.ts';
import { BlobDraft } from './blob-draft.ts';
import type { BlobPlace } from './blob-place.ts';
import { damaged } from './folder-place.ts';

export interface BlobsOptions {
  /** Name of the feature whose they are. */
  readonly area: string;
  /** Whether something in the store names it. */
  readonly isUsed: (sha256: string) => Promise<boolean>;
}

/** Notes in the transaction of {@link Blobs.release} which blobs may be named by nothing after it. */
export type LetGo = (hashes: readonly string[]) => Promise<void>;

interface Surroundings {
  readonly place: BlobPlace;
  /** Where blobs lie while they are received. */
  readonly drafts: string;
  readonly store: Store;
  readonly cluster: Cluster;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** Another hub is at this blob: it ends soon. */
class HeldElsewhere extends Error {}

/** Longest wait for another hub: what it uploads to a bucket may be large. */
const HELD_MS = 600_000;
const HELD_LOOK_MS = 200;

/** The bytes of one feature of the hub: immutable, each content once, named by its SHA-256. */
export class Blobs {
  readonly #area: string;
  readonly #isUsed: BlobsOptions['isUsed'];
  readonly #around: Surroundings;
  /** By hash: two rows may name the same bytes, one of which comes while the other goes. */
  readonly #settling = new KeyedMutex();
  #starting: Promise<void> = Promise.resolve();
  #isClosed = false;

  constructor({ area, isUsed }: BlobsOptions, around: Surroundings) {
    this.#area = area;
    this.#isUsed = isUsed;
    this.#around = around;
  }

  /** Begins to receive one. @throws {ArmatureError} `store.full`, `file.unwritable` */
  begin(): Promise<BlobDraft> {
    return BlobDraft.begin(this.#around.drafts);
  }

  /**
   * Gives a finished draft its place, and has it recorded: both, or neither.
   * @param record stores what names it; may be run more than once
   * @throws {ArmatureError} `store.full`, `file.unwritable`, `store.unavailable`, and what `record` throws
   */
  async keep(draft: BlobDraft, sha256: string, record: (tx: WriteTransaction) => Promise<void>): Promise<void> {
    const { place, store } = this.#around;
    await this.#settling.run(sha256, async () => {
      await this.#whenFree(() => store.transaction((tx) => this.#unsettle([sha256], tx)));
      try {
        await place.put(this.#key(sha256), draft.path, draft.bytes);
        await store.transaction(async (tx) => {
          await this.#settle(sha256, tx);
          await record(tx);
        });
      } catch (thrown) {
        await this.#removeUnused(sha256);
        throw thrown;
      }
    });
  }

  /**
   * Opens one for reading.
   * @param bytes as many as it has, from its beginning
   * @throws {ArmatureError} `store.corrupt` where it is gone or has another size, `store.unavailable`
   */
  async open(sha256: string, bytes: number, offset = 0): Promise<OpenBlob> {
    const { place } = this.#around;
    return new OpenBlob(await place.open(this.#key(sha256), bytes, offset), `${place.name}/${this.#area}/${sha256}`, {
      bytes,
      offset,
      failure: (thrown) => place.failure(thrown),
    });
  }

  /**
   * Has what names some of them forgotten, and removes those that nothing names then.
   * @param forget calls `letGo` with the hashes that it found in the transaction; may be run more than once
   * @throws what `forget` throws; what cannot be removed now is at the next start
   */
  async release(forget: (tx: WriteTransaction, letGo: LetGo) => Promise<void>): Promise<void> {
    const left = new Set<string>();
    await this.#whenFree(() =>
      this.#around.store.transaction((tx) =>
        forget(tx, (hashes) => {
          for (const sha256 of hashes) left.add(sha256);
          return this.#unsettle([...new Set(hashes)], tx);
        }),
      ),
    );
    for (const sha256 of left) await this.#settling.run(sha256, () => this.#removeUnused(sha256));
  }

  /** Removes what a program left that ended in the middle of any of this. Before {@link begin}. */
  async start(): Promise<void> {
    const { drafts, logger } = this.#around;
    await rm(drafts, { recursive: true, force: true }).catch((thrown: unknown) => {
      logger.warn(`Files that were cut off while they came are left in ${drafts}: ${toArmatureError(thrown).message}`);
    });
    await this.removeLeft();
  }

  /** Removes what hubs left that are not there any more. */
  async removeLeft(): Promise<void> {
    const { store, cluster } = this.#around;
    let rows = store.db.selectFrom('unsettled_blobs').select('sha256').where('area', '=', this.#area);
    if (cluster.isShared) {
      const hubs = [...cluster.members.all.keys()];
      rows = rows.where((where) => where.or([where('hub_id', 'is', null), where('hub_id', 'not in', hubs)]));
    }
    const left = await rows.execute();
    // Not waited for: a bucket may not answer for long.
    this.#starting = this.#removeAll(left.map(({ sha256 }) => sha256));
  }

  /** Settles when nothing of it uses the store any more. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#starting;
  }

  /** Never rejects. */
  async #removeAll(hashes: readonly string[]): Promise<void> {
    for (const sha256 of hashes) {
      if (!this.#isClosed) await this.#settling.run(sha256, () => this.#removeUnused(sha256));
    }
  }

  /** While nobody else settles it. Never rejects: what is left costs room, and the next start tries again. */
  async #removeUnused(sha256: string): Promise<void> {
    const { place, store, logger } = this.#around;
    try {
      if (!(await this.#isUsed(sha256))) await place.remove(this.#key(sha256));
      await store.transaction((tx) => this.#settle(sha256, tx));
    } catch (thrown) {
      logger.warn(`A file that nothing needs may be left in ${place.name}: ${toArmatureError(thrown).message}`);
    }
  }

  /** @throws {HeldElsewhere} where another hub gives one of them its place, or takes it, at this moment */
  async #unsettle(hashes: readonly string[], tx: WriteTransaction): Promise<void> {
    if (hashes.length === 0) return;
    const { hubId, isShared, members } = this.#around.cluster;
    if (isShared) {
      const held = tx.selectFrom('unsettled_blobs').select('hub_id').where('area', '=', this.#area);
      for (const { hub_id } of await held.where('sha256', 'in', hashes).execute()) {
        if (hub_id !== null && hub_id !== hubId && members.all.has(hub_id)) throw new HeldElsewhere();
      }
    }
    const rows = hashes.map((sha256) => ({ ...this.#key(sha256), hub_id: hubId }));
    await tx
      .insertInto('unsettled_blobs')
      .values(rows)
      .onConflict((conflict) => conflict.columns(['area', 'sha256']).doUpdateSet({ hub_id: hubId }))
      .execute();
  }

  /** Does it as soon as no other hub is at the same blobs. */
  async #whenFree(work: () => Promise<void>): Promise<void> {
    const { clock } = this.#around;
    for (const since = clock.monotonic(); ;) {
      try {
        await work();
        return;
      } catch (thrown) {
        if (!(thrown instanceof HeldElsewhere)) throw thrown;
        if (clock.monotonic() - since > HELD_MS) {
          throw new ArmatureError('store.unavailable', 'Another hub is busy with the same file: try again later.');
        }
      }
      await sleep(clock, HELD_LOOK_MS);
    }
  }

  async #settle(sha256: string, tx: WriteTransaction): Promise<void> {
    const rows = tx.deleteFrom('unsettled_blobs').where('area', '=', this.#area);
    await rows.where('sha256', '=', sha256).execute();
  }

  #key(sha256: string) {
    return { area: this.#area, sha256 };
  }
}

interface Expected {
  readonly bytes: number;
  readonly offset: number;
  readonly failure: (thrown: unknown) => unknown;
}

/** The bytes of a blob, each piece read when the one before was taken. */
export class OpenBlob implements AsyncIterable<Uint8Array> {
  readonly #stream: Readable;
  readonly #name: string;
  readonly #expected: Expected;

  constructor(stream: Readable, name: string, expected: Expected) {
    this.#stream = stream;
    this.#name = name;
    this.#expected = expected;
    // What it fails with before anybody reads is told to whoever does.
    stream.on('error', () => undefined);
  }

  /** @throws {ArmatureError} `store.unavailable`; `store.corrupt` where it ends too early */
  async *[Symbol.asyncIterator](): AsyncGenerator<Uint8Array> {
    const { bytes, offset, failure } = this.#expected;
    let at = offset;
    try {
      for await (const chunk of this.#stream as AsyncIterable<Uint8Array>) {
        at += chunk.length;
        yield chunk;
      }
    } catch (thrown) {
      throw thrown instanceof ArmatureError ? thrown : failure(thrown);
    }
    if (at !== bytes) throw damaged(this.#name, at, bytes);
  }

  /** For one that is not read to its end. */
  close(): void {
    this.#stream.destroy();
  }
}
