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
  /** Where whole blobs are: `s3://bucket/prefix?endpoint=...`; undefined for the folder of the hub. */
  readonly address: string | undefined;
  /** Of the hub: blobs that are being received are here in any case. */
  readonly folder: string;
  readonly hubId: string;
  readonly store: Store;
  readonly cluster: Cluster;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** All bytes that a hub keeps outside of its database, an area for each feature that has any. */
export class BlobStore {
  readonly #place: BlobPlace;
  readonly #options: BlobStoreOptions;
  readonly #areas: Blobs[] = [];

  private constructor(place: BlobPlace, options: BlobStoreOptions) {
    this.#place = place;
    this.#options = options;
  }

  /**
   * Asks nothing of a bucket: one that does not answer keeps a hub from nothing else.
   * @throws {ArmatureError} `call.bad_argument` for an address that is none
   */
  static async open(options: BlobStoreOptions): Promise<BlobStore> {
    const { address, folder, hubId } = options;
    const local = new FolderPlace(folder);
    if (address === undefined) return new BlobStore(local, options);
    const bucket = parseS3Address(address);
    const { S3Place } = await import('./s3-place.ts');
    // Hubs that share a bucket keep apart: two may have the same content, and one of them may let go of it.
    const ours = new S3Place({ ...bucket, prefix: `${bucket.prefix}${hubId}/` });
    return new BlobStore(new MovedPlace(ours, local), options);
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

  /** Removes what hubs left that are not there any more. */
  async removeLeft(): Promise<void> {
    for (const area of this.#areas) await area.removeLeft();
  }
}

/** A place with those blobs beside that were kept before there was one. */
class MovedPlace implements BlobPlace {
  readonly name: string;
  readonly #now: BlobPlace;
  readonly #before: BlobPlace;

  constructor(now: BlobPlace, before: BlobPlace) {
    this.name = now.name;
    this.#now = now;
    this.#before = before;
  }

  put(key: BlobKey, file: string, bytes: number): Promise<void> {
    return this.#now.put(key, file, bytes);
  }

  async open(key: BlobKey, bytes: number, offset: number): Promise<Readable> {
    try {
      return await this.#now.open(key, bytes, offset);
    } catch (thrown) {
      if (!(thrown instanceof ArmatureError) || thrown.code !== 'store.corrupt') throw thrown;
      const before = await this.#before.open(key, bytes, offset).catch(() => undefined);
      if (before === undefined) throw thrown;
      return before;
    }
  }

  async remove(key: BlobKey): Promise<void> {
    await this.#before.remove(key);
    await this.#now.remove(key);
  }

  failure(thrown: unknown): unknown {
    return this.#now.failure(thrown);
  }
}
