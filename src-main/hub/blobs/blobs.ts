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
  /** Name of the feature that owns the blobs. */
  readonly area: string;
  /** Whether a row in the store refers to the blob. */
  readonly isUsed: (sha256: string) => Promise<boolean>;
}

/** Records, in the transaction of {@link Blobs.release}, blobs that may have no reference after it. */
export type LetGo = (hashes: readonly string[]) => Promise<void>;

interface BlobsDependencies {
  readonly place: BlobPlace;
  /** Folder for blobs that are being received. */
  readonly drafts: string;
  readonly store: Store;
  readonly cluster: Cluster;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** Another hub is storing or removing this blob, and will soon be done. */
class HeldByOtherHub extends Error {}

/** Longest wait for another hub, which may be uploading a large blob to a bucket. */
const MAX_HELD_WAIT_MS = 600_000;
const HELD_POLL_MS = 200;

/** The blobs of one feature of the hub: immutable, named by their SHA-256, and stored once for each content. */
export class Blobs {
  readonly #area: string;
  readonly #isUsed: BlobsOptions['isUsed'];
  readonly #deps: BlobsDependencies;
  /** By hash: one reference to a blob may be added while another is removed. */
  readonly #settling = new KeyedMutex();
  #starting: Promise<void> = Promise.resolve();
  #isClosed = false;

  constructor({ area, isUsed }: BlobsOptions, deps: BlobsDependencies) {
    this.#area = area;
    this.#isUsed = isUsed;
    this.#deps = deps;
  }

  /** Starts to receive a blob. @throws {ArmatureError} `store.full`, `file.unwritable` */
  begin(): Promise<BlobDraft> {
    return BlobDraft.begin(this.#deps.drafts);
  }

  /**
   * Stores a finished draft and records it in the store: both, or neither.
   * @param record stores the reference; may run more than once
   * @throws {ArmatureError} `store.full`, `file.unwritable`, `store.unavailable`, and what `record` throws
   */
  async keep(draft: BlobDraft, sha256: string, record: (tx: WriteTransaction) => Promise<void>): Promise<void> {
    const { place, store } = this.#deps;
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
   * Opens a blob for reading.
   * @param bytes the size that the whole blob must have
   * @throws {ArmatureError} `store.corrupt` if it is missing or has another size, `store.unavailable`
   */
  async open(sha256: string, bytes: number, offset = 0): Promise<OpenBlob> {
    const { place } = this.#deps;
    return new OpenBlob(await place.open(this.#key(sha256), bytes, offset), `${place.name}/${this.#area}/${sha256}`, {
      bytes,
      offset,
      failure: (thrown) => place.failure(thrown),
    });
  }

  /**
   * Deletes references to blobs, then removes the blobs that have none left.
   * @param forget deletes the references, and calls `letGo` with their hashes in the same transaction; may run more
   *   than once
   * @throws what `forget` throws; blobs that cannot be removed now are removed at the next start
   */
  async release(forget: (tx: WriteTransaction, letGo: LetGo) => Promise<void>): Promise<void> {
    const left = new Set<string>();
    await this.#whenFree(() =>
      this.#deps.store.transaction((tx) =>
        forget(tx, (hashes) => {
          for (const sha256 of hashes) left.add(sha256);
          return this.#unsettle([...new Set(hashes)], tx);
        }),
      ),
    );
    for (const sha256 of left) await this.#settling.run(sha256, () => this.#removeUnused(sha256));
  }

  /** Removes what a crash has left over. To be called before {@link begin}. */
  async start(): Promise<void> {
    const { drafts, logger } = this.#deps;
    await rm(drafts, { recursive: true, force: true }).catch((thrown: unknown) => {
      logger.warn(`Incomplete uploads cannot be removed from ${drafts}: ${toArmatureError(thrown).message}`);
    });
    await this.removeLeftovers();
  }

  /** Removes blobs left over by hubs that are no longer running. */
  async removeLeftovers(): Promise<void> {
    const { store, cluster } = this.#deps;
    let rows = store.db.selectFrom('unsettled_blobs').select('sha256').where('area', '=', this.#area);
    if (cluster.isShared) {
      const hubs = [...cluster.members.all.keys()];
      rows = rows.where((where) => where.or([where('hub_id', 'is', null), where('hub_id', 'not in', hubs)]));
    }
    const left = await rows.execute();
    // Not awaited: a bucket may take long to respond.
    this.#starting = this.#removeAll(left.map(({ sha256 }) => sha256));
  }

  /** Resolves when no background work uses the store any more. */
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

  /**
   * Only while `#settling` is held for this hash. Never rejects: what is left over only uses space, and the next start
   * tries again.
   */
  async #removeUnused(sha256: string): Promise<void> {
    const { place, store, logger } = this.#deps;
    try {
      if (!(await this.#isUsed(sha256))) await place.remove(this.#key(sha256));
      await store.transaction((tx) => this.#settle(sha256, tx));
    } catch (thrown) {
      logger.warn(`A file that nothing needs may be left in ${place.name}: ${toArmatureError(thrown).message}`);
    }
  }

  /** @throws {HeldByOtherHub} if another hub is storing or removing one of them */
  async #unsettle(hashes: readonly string[], tx: WriteTransaction): Promise<void> {
    if (hashes.length === 0) return;
    const { hubId, isShared, members } = this.#deps.cluster;
    if (isShared) {
      const held = tx.selectFrom('unsettled_blobs').select('hub_id').where('area', '=', this.#area);
      for (const { hub_id } of await held.where('sha256', 'in', hashes).execute()) {
        if (hub_id !== null && hub_id !== hubId && members.all.has(hub_id)) throw new HeldByOtherHub();
      }
    }
    const rows = hashes.map((sha256) => ({ ...this.#key(sha256), hub_id: hubId }));
    await tx
      .insertInto('unsettled_blobs')
      .values(rows)
      .onConflict((conflict) => conflict.columns(['area', 'sha256']).doUpdateSet({ hub_id: hubId }))
      .execute();
  }

  /** Runs `work` as soon as no other hub holds the same blobs. */
  async #whenFree(work: () => Promise<void>): Promise<void> {
    const { clock } = this.#deps;
    for (const since = clock.monotonic(); ;) {
      try {
        await work();
        return;
      } catch (thrown) {
        if (!(thrown instanceof HeldByOtherHub)) throw thrown;
        if (clock.monotonic() - since > MAX_HELD_WAIT_MS) {
          throw new ArmatureError('store.unavailable', 'Another hub is busy with the same file: try again later.');
        }
      }
      await sleep(clock, HELD_POLL_MS);
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

/** The bytes of a blob, read chunk by chunk as the reader takes them. */
export class OpenBlob implements AsyncIterable<Uint8Array> {
  readonly #stream: Readable;
  readonly #name: string;
  readonly #expected: Expected;

  constructor(stream: Readable, name: string, expected: Expected) {
    this.#stream = stream;
    this.#name = name;
    this.#expected = expected;
    // Errors before the first read are reported to the reader.
    stream.on('error', () => undefined);
  }

  /** @throws {ArmatureError} `store.unavailable`; `store.corrupt` if it ends too early */
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

  /** Stops reading before the end. */
  close(): void {
    this.#stream.destroy();
  }
}
