import { isVersion } from '../../../proto/config/module-versions.ts';
import { ArmatureError } from '../../base/errors.ts';

/** One package: a version of a module for a platform. */
export interface PackageId {
  /** `namespace:name`. */
  readonly moduleId: string;
  /** Exact. */
  readonly version: string;
  /** The package's own: `linux/amd64`, `linux/any`, `any`. */
  readonly platform: string;
}

const MODULE_ID = /^([a-zA-Z0-9_-]{1,200}):([a-zA-Z0-9_-]{1,200})$/;
const PLATFORM = /^[a-z0-9]{1,32}(?:\/[a-z0-9]{1,32})?$/;

/** Namespace and name of a module id. @throws {ArmatureError} `call.bad_argument` */
export function splitModuleId(moduleId: string): readonly [namespace: string, name: string] {
  const [, namespace, name] = MODULE_ID.exec(moduleId) ?? [];
  if (namespace === undefined || name === undefined) {
    throw new ArmatureError('call.bad_argument', `"${moduleId}" is not a module id; write namespace:module.`);
  }
  return [namespace, name];
}

/**
 * Name of a package's folder below that of its module, without anything that leads elsewhere: only here, text from a
 * hub becomes a path. A version contains no `_`, so no two packages share a name.
 * @throws {ArmatureError} `call.bad_argument`
 */
export function folderNameOf({ version, platform }: PackageId): string {
  if (!isVersion(version)) {
    throw new ArmatureError('call.bad_argument', `"${version}" is not an exact version; one is like 1.2.3.`);
  }
  if (!PLATFORM.test(platform)) {
    throw new ArmatureError('call.bad_argument', `"${platform}" is not a platform; one is like linux/amd64.`);
  }
  return `${version}_${platform.replace('/', '-')}`;
}

/** For messages: `acme:motors 1.2.3`. */
export function nameOf({ moduleId, version }: PackageId): string {
  return `${moduleId} ${version}`;
}

export function isSamePackage(one: PackageId, other: PackageId): boolean {
  return one.moduleId === other.moduleId && one.version === other.version && one.platform === other.platform;
}
