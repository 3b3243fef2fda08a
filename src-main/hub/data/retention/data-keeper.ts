import type { Clock, Timer } from '../../../base/clock.ts';
import { toArmatureError } from '../../../base/errors.ts';
import type { Logger } from '../../../base/logger.ts';
import type { Blobs } from '../../blobs/blobs.ts';
import type { Store } from '../../storage/store.ts';
import { bytesOfUpload, deleteBinaryUploads, deleteUploads, type OldUpload } from './deletion.ts';
import { partRetentions, type KeptCaptures } from './part-retentions.ts';
import { retentions } from './retention.ts';

const DAY_MS = 24 * 60 * 60 * 1_000;
const SWEEP_INTERVAL_MS = 60 * 60 * 1_000;
const UPLOADS_AT_ONCE = 100;

export interface DataSweeperOptions {
  readonly store: Store;
  readonly blobs: Blobs;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Clock for the age of data, milliseconds; never goes back. */
  readonly age: () => number;
}

interface SweepRequest {
  readonly captureId: number;
  readonly isBinary: boolean;
  /** Uploads with an earlier `ages_from` are deleted. */
  readonly before: number;
}

/**
 * Deletes captured data once an hour: data that is older than its organization or its part keeps it, data above the
 * size limit of a part, and all data of deleted organizations.
 */
export class DataSweeper {
  readonly #options: DataSweeperOptions;
  readonly #timer: Timer;
  #sweeping: Promise<void> | undefined;
  #isClosed = false;

  constructor(options: DataSweeperOptions) {
    this.#options = options;
    this.#timer = options.clock.every(SWEEP_INTERVAL_MS, () => {
      this.#sweeping ??= this.#sweepAndLog().finally(() => (this.#sweeping = undefined));
    });
  }

  /** Waits for the current step of a sweep, and ends it then. */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.#timer.cancel();
    await this.#sweeping;
  }

  /** Deletes what is not to be kept any more. @returns how many readings and pieces of binary data */
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
          count += await this.#deleteOld({ captureId: id, isBinary, before });
        }
      }
    }
    return count + (await this.#sweepParts()) + (await this.#sweepDeletedOrganizations());
  }

  async #sweepParts(): Promise<number> {
    let count = 0;
    for await (const kept of partRetentions(this.#options.store.db)) {
      const { captureIds, isBinary, days } = kept;
      const before = days === undefined ? 0 : this.#options.age() - days * DAY_MS;
      for (const captureId of captureIds) count += await this.#deleteOld({ captureId, isBinary, before });
      count += await this.#shrink(kept);
      if (this.#isClosed) break;
    }
    return count;
  }

  /** Deletes the oldest uploads of captures that exceed their size limit. */
  async #shrink({ captureIds, isBinary, maxBytes = Infinity }: KeptCaptures): Promise<number> {
    const { db } = this.#options.store;
    for (let count = 0; ;) {
      const rows = await db.selectFrom('captures').select('bytes').where('id', 'in', captureIds).execute();
      let excess = rows.reduce((sum, { bytes }) => sum + bytes, 0) - maxBytes;
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

  async #sweepDeletedOrganizations(): Promise<number> {
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
      count += await this.#deleteOld({ captureId: id, isBinary: is_binary === 1, before: Number.MAX_SAFE_INTEGER });
      if (!this.#isClosed) await db.deleteFrom('captures').where('id', '=', id).execute();
    }
    return count;
  }

  async #deleteOld({ captureId, isBinary, before }: SweepRequest): Promise<number> {
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

  /** Deletes as much of these uploads as one transaction may. */
  #delete(captureId: number, isBinary: boolean, uploads: readonly OldUpload[]): Promise<number> {
    const { store, blobs } = this.#options;
    return isBinary ? deleteBinaryUploads(captureId, uploads, blobs) : deleteUploads(captureId, uploads, store);
  }

  async #sweepAndLog(): Promise<void> {
    const { logger } = this.#options;
    try {
      const count = await this.sweep();
      if (count > 0) logger.info(`${count} old readings and pieces of binary data were deleted.`);
    } catch (thrown) {
      logger.warn(`Old captured data cannot be deleted now: ${toArmatureError(thrown).message}`);
    }
  }
}
