import { MODULE_PLATFORMS, PLATFORM_TAG } from '../../../../proto/config/module-platforms.ts';
import { isVersion } from '../../../../proto/config/module-versions.ts';
import { ArmatureError } from '../../../base/errors.ts';
import type { UploadLimits } from '../../blobs/blob-uploads.ts';

/** Limits for uploads of packages. */
export const UPLOAD_LIMITS: UploadLimits = { bytes: 1024 ** 3, atOnce: 4, idleMs: 60_000 };

/** The version and platform for which a package is uploaded. */
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
