import type { Clock, Timer } from '../../../base/clock.ts';
import { toArmatureError } from '../../../base/errors.ts';
import type { Logger } from '../../../base/logger.ts';
import type { Blobs } from '../../blobs/blobs.ts';
import type { Store } from '../../storage/store.ts';
import { bytesOfUpload, deleteBinaryUploads, deleteUploads, type OldUpload } from './deletion.ts';
import { partRetentions, type KeptCaptures } from './part-retentions.ts';
import { retentions } from './retention.ts';

const DAY_MS = 24 * 60 * 60 * 1_000;
const LOOK_MS = 60 * 60 * 1_000;
const UPLOADS_AT_ONCE = 100;

export interface DataKeeperOptions {
  readonly store: Store;
  readonly blobs: Blobs;
  readonly clock: Clock;
  readonly logger: Logger;
  /** The time by which data grows old, milliseconds; only grows. */
  readonly age: () => number;
}

interface Sweep {
  readonly captureId: number;
  readonly isBinary: boolean;
  /** Uploads from before it go. */
  readonly before: number;
}

/** Lets go of what is older than its organization or its part keeps it, of what a part has too much of, and of all that an organization left that is deleted. */
export class DataKeeper {
  readonly #options: DataKeeperOptions;
  readonly #timer: Timer;
  #looking: Promise<void> | undefined;
  #isClosed = false;

  constructor(options: DataKeeperOptions) {
    this.#options = options;
    this.#timer = options.clock.every(LOOK_MS, () => {
      this.#looking ??= this.#look().finally(() => (this.#looking = undefined));
    });
  }

  /** Ends it after the step under way. */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.#timer.cancel();
    await this.#looking;
  }

  /** Deletes what is old by now. @returns how many readings and pieces of binary data */
  async sweep(): Promise<number> {
    const { store } = this.#options;
    let count = 0;
    for (const kept of await retentions(store.db)) {
      for (const isBinary of [false, true]) {
        const days = isBinary ? kept.binaryDays : kept.readingsDays;
        if (days === 0) continue;
        const rows = store.db.selectFrom('captures').select('id').where('organization_id', '=', kept.organizationId);
        const before = this.#options.age() - days * DAY_MS;
        for (const { id } of await rows.where('is_binary', '=', isBinary ? 1 : 0).execute()) {
          count += await this.#sweep({ captureId: id, isBinary, before });
        }
      }
    }
    return count + (await this.#sweepParts()) + (await this.#sweepOrphans());
  }

  async #sweepParts(): Promise<number> {
    let count = 0;
    for await (const kept of partRetentions(this.#options.store.db)) {
      const { captureIds, isBinary, days } = kept;
      const before = days === undefined ? 0 : this.#options.age() - days * DAY_MS;
      for (const captureId of captureIds) count += await this.#sweep({ captureId, isBinary, before });
      count += await this.#shrink(kept);
      if (this.#isClosed) break;
    }
    return count;
  }

  /** Deletes the oldest uploads of captures of which there is more than is kept. */
  async #shrink({ captureIds, isBinary, mostBytes = Infinity }: KeptCaptures): Promise<number> {
    const { db } = this.#options.store;
    for (let count = 0; ;) {
      const rows = await db.selectFrom('captures').select('bytes').where('id', 'in', captureIds).execute();
      let excess = rows.reduce((sum, { bytes }) => sum + bytes, 0) - mostBytes;
      if (excess <= 0 || this.#isClosed) return count;
      const oldest = await db
        .selectFrom('uploads')
        .select(['number', 'count', 'capture_id'])
        .where('capture_id', 'in', captureIds)
        .orderBy('ages_from')
        .orderBy('number')
        .limit(UPLOADS_AT_ONCE)
        .execute();
      if (oldest.length === 0) return count;
      for (const upload of oldest) {
        if (excess <= 0) break;
        excess -= await bytesOfUpload(upload.number, isBinary, db);
        count += await this.#delete(upload.capture_id, isBinary, [upload]);
      }
    }
  }

  async #sweepOrphans(): Promise<number> {
    const { db } = this.#options.store;
    const orphans = await db
      .selectFrom('captures')
      .select(['id', 'is_binary'])
      .where((where) =>
        where.not(
          where.exists(
            where
              .selectFrom('organizations')
              .select('organizations.id')
              .whereRef('organizations.id', '=', 'captures.organization_id'),
          ),
        ),
      )
      .execute();
    let count = 0;
    for (const { id, is_binary } of orphans) {
      count += await this.#sweep({ captureId: id, isBinary: is_binary === 1, before: Number.MAX_SAFE_INTEGER });
      if (!this.#isClosed) await db.deleteFrom('captures').where('id', '=', id).execute();
    }
    return count;
  }

  async #sweep({ captureId, isBinary, before }: Sweep): Promise<number> {
    const { store } = this.#options;
    for (let count = 0; ;) {
      const uploads = await store.db
        .selectFrom('uploads')
        .select(['number', 'count'])
        .where('capture_id', '=', captureId)
        .where('ages_from', '<', before)
        .orderBy('ages_from')
        .limit(UPLOADS_AT_ONCE)
        .execute();
      if (uploads.length === 0 || this.#isClosed) return count;
      count += await this.#delete(captureId, isBinary, uploads);
    }
  }

  /** Deletes uploads as far as one transaction goes. */
  #delete(captureId: number, isBinary: boolean, uploads: readonly OldUpload[]): Promise<number> {
    const { store, blobs } = this.#options;
    return isBinary ? deleteBinaryUploads(captureId, uploads, blobs) : deleteUploads(captureId, uploads, store);
  }

  async #look(): Promise<void> {
    const { logger } = this.#options;
    try {
      const count = await this.sweep();
      if (count > 0) logger.info(`${count} readings and pieces of binary data were old, and were let go.`);
    } catch (thrown) {
      logger.warn(`Old captured data is still there: ${toArmatureError(thrown).message}`);
    }
  }
}
