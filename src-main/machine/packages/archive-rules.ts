import { ArmatureError } from '../../base/errors.ts';

const LONGEST_PATH = 1_000;
const LONGEST_NAME = 255;

/**
 * The path of an entry below the folder it is unpacked to, without `.` and empty parts; '' for the folder itself.
 * @throws {ArmatureError} `module.bad_package` where it would lead elsewhere
 */
export function entryPath(name: string): string {
  if (name.includes('\0')) throw bad(name, 'has a zero byte in its name');
  if (name.startsWith('/')) throw bad(name, 'is an absolute path');
  const parts = name.split('/').filter((part) => part !== '' && part !== '.');
  if (parts.includes('..')) throw bad(name, 'leads out of the package');
  if (name.length > LONGEST_PATH || parts.some((part) => Buffer.byteLength(part) > LONGEST_NAME)) {
    throw bad(`${name.slice(0, 80)}...`, 'has a name that is too long');
  }
  return parts.join('/');
}

/**
 * Checks that a symbolic link stays in the package. `..` is allowed only at its front: behind a name that is itself a
 * link it would lead to where only the file system knows.
 * @param at path of the link, as {@link entryPath} gives it
 * @throws {ArmatureError} `module.bad_package`
 */
export function checkLinkTarget(at: string, target: string): void {
  if (target === '' || target.includes('\0')) throw bad(at, 'is a link to nothing');
  if (target.startsWith('/')) throw bad(at, `is a link to the absolute path ${target}; make it a relative one`);
  if (target.length > LONGEST_PATH) throw bad(at, 'is a link to a name that is too long');
  const parts = target.split('/').filter((part) => part !== '' && part !== '.');
  const up = parts.findIndex((part) => part !== '..');
  const levels = up < 0 ? parts.length : up;
  if (levels > at.split('/').length - 1) throw bad(at, `is a link to ${target}, which leads out of the package`);
  if (parts.slice(levels).includes('..')) {
    throw bad(at, `is a link to ${target}; write it without ".." behind a name`);
  }
}

/** An entry that makes its package unusable. */
export function bad(entry: string, why: string): ArmatureError {
  return new ArmatureError('module.bad_package', `its entry ${entry} ${why}`, { details: { entry } });
}
