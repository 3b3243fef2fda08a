import { MAX_PICTURE_BYTES } from '../picture-size.ts';
import { readBoundedFile } from '../../../base/files/bounded-file.ts';
import { ArmatureError } from '../../../base/errors.ts';

/** A picture with the unchanged bytes of its file. */
export interface Picture {
  readonly mimeType: 'image/jpeg' | 'image/png';
  readonly bytes: Buffer;
}

const formats = [
  // ISO/IEC 10918-1, B.2.1 (SOI and the marker after it), EOI.
  { mimeType: 'image/jpeg', head: Buffer.from('ffd8ff', 'hex'), tail: Buffer.from('ffd9', 'hex') },
  // PNG specification, 5.2 (signature) and 11.2.5 (IEND).
  { mimeType: 'image/png', head: Buffer.from('89504e470d0a1a0a', 'hex'), tail: Buffer.from('IEND') },
] as const;

/**
 * Reads a JPEG or PNG, whatever the file is called.
 * @throws {ArmatureError} `file.unreadable`, also for a truncated file; `file.too_large`
 */
export async function readPicture(path: string): Promise<Picture> {
  const bytes = await readBoundedFile(path, MAX_PICTURE_BYTES);
  const format = formats.find(({ head }) => bytes.subarray(0, head.length).equals(head));
  if (format === undefined) throw unreadable(path, bytes.length === 0 ? 'it is empty' : 'it is no JPEG or PNG');
  const { mimeType, tail } = format;
  if (!bytes.includes(tail)) throw unreadable(path, 'it ends before its picture does; it may still be being written');
  return { mimeType, bytes };
}

/** The error for a file that contains no picture, worded as in `readBoundedFile`. */
export function unreadable(path: string, reason: string, cause?: unknown): ArmatureError {
  const details = { path, reason };
  return new ArmatureError('file.unreadable', `${path} cannot be read: ${reason}.`, { cause, details });
}
