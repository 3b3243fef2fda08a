import path from 'node:path';
import type { Readable } from 'node:stream';
import type { Clock } from '../../base/clock.ts';
import { ArmatureError } from '../../base/errors.ts';
import type { Logger } from '../../base/logger.ts';
import type { Cluster } from '../cluster/cluster.ts';
import type { Store } from '../storage/store.ts';
import type { BlobKey, BlobPlace } from './blob-place.ts';
import { Blobs, type BlobsOptions } from './blobs.ts';
import { FolderPlace } from './folder-place.ts';
import { parseS3Address } from './s3-address.ts';

export interface BlobStoreOptions {
  /** Where complete blobs are stored: `s3://bucket/prefix?endpoint=...`; undefined for the folder of the hub. */
  readonly address: string | undefined;
  /** The folder of the hub. Blobs are always received here. */
  readonly folder: string;
  readonly hubId: string;
  readonly store: Store;
  readonly cluster: Cluster;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** All files that a hub keeps outside of its database, with one area for each feature that has any. */
export class BlobStore {
  readonly #place: BlobPlace;
  readonly #options: BlobStoreOptions;
  readonly #areas: Blobs[] = [];

  private constructor(place: BlobPlace, options: BlobStoreOptions) {
    this.#place = place;
    this.#options = options;
  }

  /**
   * Does not contact the bucket, so that a bucket that does not respond does not stop the rest of the hub.
   * @throws {ArmatureError} `call.bad_argument` for an invalid address
   */
  static async open(options: BlobStoreOptions): Promise<BlobStore> {
    const { address, folder, hubId } = options;
    const local = new FolderPlace(folder);
    if (address === undefined) return new BlobStore(local, options);
    const bucket = parseS3Address(address);
    const { S3Place } = await import('./s3-place.ts');
    // Hubs that share a bucket use separate prefixes: two may have the same content, and one of them may delete it.
    const ours = new S3Place({ ...bucket, prefix: `${bucket.prefix}${hubId}/` });
    return new BlobStore(new PlaceWithFallback(ours, local), options);
  }

  area(options: BlobsOptions): Blobs {
    const { folder, store, cluster, clock, logger } = this.#options;
    const area = new Blobs(options, {
      place: this.#place,
      drafts: path.join(folder, options.area, 'uploads'),
      store,
      cluster,
      clock,
      logger,
    });
    this.#areas.push(area);
    return area;
  }

  /** Removes blobs left over by hubs that are no longer running. */
  async removeLeftovers(): Promise<void> {
    for (const area of this.#areas) await area.removeLeftovers();
  }
}

/** A place with a fallback for blobs that were stored before this place was configured. */
class PlaceWithFallback implements BlobPlace {
  readonly name: string;
  readonly #primary: BlobPlace;
  readonly #fallback: BlobPlace;

  constructor(primary: BlobPlace, fallback: BlobPlace) {
    this.name = primary.name;
    this.#primary = primary;
    this.#fallback = fallback;
  }

  put(key: BlobKey, file: string, bytes: number): Promise<void> {
    return this.#primary.put(key, file, bytes);
  }

  async open(key: BlobKey, bytes: number, offset: number): Promise<Readable> {
    try {
      return await this.#primary.open(key, bytes, offset);
    } catch (thrown) {
      if (!(thrown instanceof ArmatureError) || thrown.code !== 'store.corrupt') throw thrown;
      const before = await this.#fallback.open(key, bytes, offset).catch(() => undefined);
      if (before === undefined) throw thrown;
      return before;
    }
  }

  async remove(key: BlobKey): Promise<void> {
    await this.#fallback.remove(key);
    await this.#primary.remove(key);
  }

  failure(thrown: unknown): unknown {
    return this.#primary.failure(thrown);
  }
}
