import type { Clock } from '../../base/clock.ts';
import { ArmatureError } from '../../base/errors.ts';
import type { BlobDraft } from './blob-draft.ts';
import type { Blobs } from './blobs.ts';

export interface UploadLimits {
  /** Maximum size of an upload. */
  readonly bytes: number;
  readonly atOnce: number;
  /** Maximum time without data, in milliseconds. */
  readonly idleMs: number;
}

export interface BlobUploadsOptions {
  readonly blobs: Pick<Blobs, 'begin'>;
  readonly clock: Clock;
  readonly limits: UploadLimits;
  /** The kind of upload, for messages: `package`. */
  readonly what: string;
}

/** Receives blobs: a few at a time, in bounded memory, each in a temporary file that is removed unless it is kept. */
export class BlobUploads {
  readonly #options: BlobUploadsOptions;
  #underWay = 0;

  constructor(options: BlobUploadsOptions) {
    this.#options = options;
  }

  /**
   * Receives one blob and passes it to `keep`.
   * @param chunks its bytes; each chunk is requested only when the previous one is written
   * @param onIdle ends the call: no data came for too long
   * @param keep called with the whole upload; the file is removed when this has settled, unless it was kept
   * @throws {ArmatureError} `call.overloaded`, `call.too_large`, `store.full`, and what `keep` throws
   */
  async receive<T>(
    chunks: AsyncIterable<Uint8Array>,
    onIdle: (reason: ArmatureError) => void,
    keep: (draft: BlobDraft, sha256: Buffer) => Promise<T>,
  ): Promise<T> {
    const { blobs, limits } = this.#options;
    if (this.#underWay >= limits.atOnce) {
      throw new ArmatureError(
        'call.overloaded',
        `${limits.atOnce} uploads are under way: try again when one has ended.`,
      );
    }
    this.#underWay++;
    try {
      const draft = await blobs.begin();
      try {
        await this.#write(draft, chunks, onIdle);
        return await keep(draft, await draft.finish());
      } finally {
        await draft.close();
      }
    } finally {
      this.#underWay--;
    }
  }

  async #write(
    draft: BlobDraft,
    chunks: AsyncIterable<Uint8Array>,
    onIdle: (reason: ArmatureError) => void,
  ): Promise<void> {
    const { clock, limits, what } = this.#options;
    const { bytes: most, idleMs } = limits;
    const waitForMore = () =>
      clock.after(idleMs, () =>
        onIdle(
          new ArmatureError('call.deadline_exceeded', `The upload has stopped: nothing came for ${idleMs / 1_000} s.`),
        ),
      );
    let idle = waitForMore();
    try {
      for await (const chunk of chunks) {
        idle.cancel();
        if (draft.bytes + chunk.length > most) {
          throw new ArmatureError(
            'call.too_large',
            `The ${what} has more than ${most} bytes, which is the most that is kept.`,
          );
        }
        await draft.write(chunk);
        idle = waitForMore();
      }
    } finally {
      idle.cancel();
    }
  }
}
