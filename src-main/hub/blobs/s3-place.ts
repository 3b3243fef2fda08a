import {
  DeleteObjectCommand,
  GetObjectCommand,
  HeadObjectCommand,
  PutObjectCommand,
  S3Client,
  S3ServiceException,
} from '@aws-sdk/client-s3';
import { createReadStream } from 'node:fs';
import { Readable } from 'node:stream';
import { ArmatureError, toArmatureError } from '../../base/errors.ts';
import type { BlobKey, BlobPlace } from './blob-place.ts';
import { damaged } from './folder-place.ts';
import type { S3Address } from './s3-address.ts';

export interface S3Limits {
  /** Time limit for a connection, in milliseconds. */
  readonly connectMs: number;
  /** Maximum time without data in either direction, in milliseconds. */
  readonly idleMs: number;
  /** Number of attempts for a request without a body. */
  readonly attempts: number;
}

const DEFAULT_LIMITS: S3Limits = { connectMs: 5_000, idleMs: 60_000, attempts: 3 };
/** Each machine that downloads holds one; an upload must not wait for the slowest of them. */
const MAX_CONNECTIONS = 512;
/** Error codes of various S3 implementations for a full store. */
const FULL_CODES = new Set(['XMinioStorageFull', 'QuotaExceeded', 'InsufficientStorage', 'InsufficientCapacity']);

/**
 * Blobs as objects of an S3-compatible store, `<prefix><area>/<sha256>`. Keys come from the usual places:
 * AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, ~/.aws/credentials, the role of a computer.
 */
export class S3Place implements BlobPlace {
  readonly name: string;
  readonly #client: S3Client;
  readonly #bucket: string;
  readonly #prefix: string;

  constructor({ bucket, prefix, endpoint, region }: S3Address, limits: S3Limits = DEFAULT_LIMITS) {
    this.name = `s3://${bucket}/${prefix}`.replace(/\/$/, '');
    this.#bucket = bucket;
    this.#prefix = prefix;
    const agent = { keepAlive: true, maxSockets: MAX_CONNECTIONS };
    this.#client = new S3Client({
      // Servers other than AWS have no host name for each bucket, and ignore the region.
      ...(endpoint === undefined ? {} : { endpoint, forcePathStyle: true, region: region ?? 'us-east-1' }),
      ...(region === undefined ? {} : { region }),
      maxAttempts: limits.attempts,
      // The default logger writes to the console; failures are reported by the callers instead.
      logger: { debug: nothing, info: nothing, warn: nothing, error: nothing },
      // We send a SHA-256, which the store checks; not every store supports the default checksum.
      requestChecksumCalculation: 'WHEN_REQUIRED',
      responseChecksumValidation: 'WHEN_REQUIRED',
      requestHandler: {
        connectionTimeout: limits.connectMs,
        socketTimeout: limits.idleMs,
        httpAgent: agent,
        httpsAgent: agent,
      },
    });
  }

  async put(key: BlobKey, file: string, bytes: number): Promise<void> {
    const Body = createReadStream(file);
    const ChecksumSHA256 = Buffer.from(key.sha256, 'hex').toString('base64');
    try {
      await this.#asked(() =>
        this.#client.send(
          new PutObjectCommand({ ...this.#object(this.#nameOf(key)), Body, ContentLength: bytes, ChecksumSHA256 }),
        ),
      );
    } finally {
      Body.destroy();
    }
  }

  async open(key: BlobKey, bytes: number, offset: number): Promise<Readable> {
    const object = this.#object(this.#nameOf(key));
    const place = `s3://${object.Bucket}/${object.Key}`;
    try {
      // An empty range cannot be requested.
      if (offset === bytes) {
        const { ContentLength: found } = await this.#client.send(new HeadObjectCommand(object));
        if (found !== bytes) throw damaged(place, found, bytes);
        return Readable.from([]);
      }
      const range = offset === 0 ? {} : { Range: `bytes=${offset}-` };
      const { Body, ContentLength, ContentRange } = await this.#client.send(
        new GetObjectCommand({ ...object, ...range }),
      );
      const found = ContentRange === undefined ? ContentLength : Number(ContentRange.split('/')[1]);
      if (!(Body instanceof Readable)) throw damaged(place, 0, bytes);
      if (found === bytes) return Body;
      Body.destroy();
      throw damaged(place, found, bytes);
    } catch (thrown) {
      if (thrown instanceof ArmatureError) throw thrown;
      if (isAbsent(thrown)) throw damaged(place, undefined, bytes);
      throw this.failure(thrown);
    }
  }

  async remove(key: BlobKey): Promise<void> {
    await this.#asked(() => this.#client.send(new DeleteObjectCommand(this.#object(this.#nameOf(key)))));
  }

  failure(thrown: unknown): ArmatureError {
    const why = thrown instanceof Error && thrown.message !== '' ? thrown.message : toArmatureError(thrown).message;
    const name = thrown instanceof Error ? thrown.name : '';
    const status = statusOf(thrown);
    const say = (message: string): ArmatureError =>
      new ArmatureError('store.unavailable', message, { details: { place: this.name }, cause: thrown });
    if (status === 507 || FULL_CODES.has(name)) {
      return new ArmatureError('store.full', `${this.name} is full and the file was not stored: free some space.`, {
        cause: thrown,
      });
    }
    if (name === 'CredentialsProviderError') {
      return say(
        `There are no keys for ${this.name}: set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY for the hub, then start it again.`,
      );
    }
    if (name === 'NoSuchBucket') return say(`${this.name}: there is no such bucket. Make it, or name another one.`);
    if (status === 401 || status === 403) {
      return say(`${this.name} refuses the hub (${why}): check its keys, and that they may read, write and delete.`);
    }
    return say(
      `${this.name} does not answer as it should (${why}). The files stored there are available again when it does.`,
    );
  }

  async #asked<T>(ask: () => Promise<T>): Promise<T> {
    try {
      return await ask();
    } catch (thrown) {
      throw this.failure(thrown);
    }
  }

  #object(key: string) {
    return { Bucket: this.#bucket, Key: key };
  }

  #nameOf({ area, sha256 }: BlobKey): string {
    return `${this.#prefix}${area}/${sha256}`;
  }
}

function nothing(): void {}

function statusOf(thrown: unknown): number | undefined {
  return thrown instanceof S3ServiceException ? thrown.$metadata.httpStatusCode : undefined;
}

function isAbsent(thrown: unknown): boolean {
  return thrown instanceof S3ServiceException && (thrown.name === 'NoSuchKey' || thrown.name === 'NotFound');
}
