import { MODULE_PLATFORMS, PLATFORM_TAG } from '../../../../proto/config/module-platforms.ts';
import { isVersion } from '../../../../proto/config/module-versions.ts';
import type { Clock } from '../../../base/clock.ts';
import { ArmatureError } from '../../../base/errors.ts';
import type { BlobDraft } from '../../blobs/blob-draft.ts';

export interface UploadLimits {
  /** Largest package. */
  readonly bytes: number;
  readonly atOnce: number;
  /** Longest time without a byte, milliseconds. */
  readonly idleMs: number;
}

export const UPLOAD_LIMITS: UploadLimits = { bytes: 1024 ** 3, atOnce: 4, idleMs: 60_000 };

/** What a package is uploaded as. */
export interface UploadInfo {
  readonly moduleId: string;
  readonly version: string;
  readonly platform: string;
  readonly platformTags: readonly string[];
}

/** @throws {ArmatureError} `call.bad_argument` */
export function checkUploadInfo({ version, platform, platformTags }: UploadInfo): void {
  const refuse = (what: string, found: string, allowed: string): never => {
    throw new ArmatureError('call.bad_argument', `The ${what} "${found.slice(0, 120)}" is not allowed: ${allowed}.`);
  };
  if (!isVersion(version)) {
    refuse('version', version, 'write MAJOR.MINOR.PATCH, perhaps with a prerelease: 1.2.3, 1.3.0-rc.1');
  }
  if (!(MODULE_PLATFORMS as readonly string[]).includes(platform)) {
    refuse('platform', platform, `it is one of ${MODULE_PLATFORMS.join(', ')}`);
  }
  for (const tag of platformTags) {
    if (!PLATFORM_TAG.test(tag)) refuse('platform tag', tag, 'it is written KEY:VALUE, as distro:debian');
  }
  if (platformTags.length > 20) refuse('list of platform tags', platformTags.join(' '), 'it has at most 20');
}

/** Receives packages: a few at a time, in bounded memory, each to a file of its own that is gone when it is not kept. */
export class Uploads {
  readonly #begin: () => Promise<BlobDraft>;
  readonly #clock: Clock;
  readonly #limits: UploadLimits;
  #underWay = 0;

  constructor(begin: () => Promise<BlobDraft>, clock: Clock, limits: UploadLimits = UPLOAD_LIMITS) {
    this.#begin = begin;
    this.#clock = clock;
    this.#limits = limits;
  }

  /**
   * Receives one and has it kept, or not.
   * @param chunks its bytes; each is awaited only when the one before is on the disk
   * @param onIdle ends the call: nothing came for too long
   * @param keep told of the whole package; the file is gone when this has settled, unless it was kept
   * @throws {ArmatureError} `call.overloaded`, `call.too_large`, `call.bad_argument`, `store.full`, and what `keep` throws
   */
  async receive<T>(
    chunks: AsyncIterable<Uint8Array>,
    onIdle: (reason: ArmatureError) => void,
    keep: (draft: BlobDraft, sha256: Buffer) => Promise<T>,
  ): Promise<T> {
    const { atOnce } = this.#limits;
    if (this.#underWay >= atOnce) {
      throw new ArmatureError('call.overloaded', `${atOnce} uploads are under way: try again when one has ended.`);
    }
    this.#underWay++;
    try {
      const draft = await this.#begin();
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
    const { bytes: most, idleMs } = this.#limits;
    const waitForMore = () =>
      this.#clock.after(idleMs, () =>
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
            `The package has more than ${most} bytes, which is the most that is kept.`,
          );
        }
        await draft.write(chunk);
        idle = waitForMore();
      }
    } finally {
      idle.cancel();
    }
    if (draft.bytes === 0)
      throw new ArmatureError('call.bad_argument', 'The upload has no bytes: send the package after its description.');
  }
}
