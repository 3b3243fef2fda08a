import { statfs } from 'node:fs/promises';
import { ArmatureError, codeOf, isNoSpace } from '../../../base/errors.ts';

/** Space that downloads leave free on the disk of the packages: with a full disk, a machine cannot store anything. */
export const FREE_FLOOR_BYTES = 100 * 1024 * 1024;

/**
 * Space that a package needs during installation, besides {@link FREE_FLOOR_BYTES}: the archive and its contents, which
 * are usually twice as large.
 */
const NEEDED_PER_BYTE = 3;

/** Bytes that this user may still write to the disk of `folder`. */
export async function freeBytes(folder: string): Promise<number> {
  const { bavail, bsize } = await statfs(folder);
  return bavail * bsize;
}

/** @throws {ArmatureError} `module.no_space` if a package of this size would fill the disk */
export async function checkSpace(folder: string, bytes: number, hasBytes: number, floor: number): Promise<void> {
  const needed = bytes * NEEDED_PER_BYTE - hasBytes + floor;
  const free = await freeBytes(folder);
  if (free < needed) throw noSpace(folder, `${inMegabytes(needed)} are needed, ${inMegabytes(free)} are free`);
}

export function noSpace(folder: string, why: string, cause?: unknown): ArmatureError {
  const message = `The disk of ${folder} has too little space (${why}); make some, and it continues by itself.`;
  return new ArmatureError('module.no_space', message, { details: { folder }, cause });
}

/** A failed write as an error of ours; an ArmatureError stays unchanged. */
export function toWriteError(folder: string, thrown: unknown): unknown {
  const code = codeOf(thrown);
  if (isNoSpace(thrown)) return noSpace(folder, 'it is full', thrown);
  if (!['EACCES', 'EPERM', 'EROFS', 'EIO'].includes(code)) return thrown;
  const message = `${folder} cannot be written to (${code}); give the user of this server the right to.`;
  return new ArmatureError('file.unwritable', message, { details: { folder, cause: code }, cause: thrown });
}

function inMegabytes(bytes: number): string {
  return `${Math.ceil(bytes / (1024 * 1024))} MB`;
}
