import { constants } from 'node:fs';
import { open, type FileHandle } from 'node:fs/promises';
import { ArmatureError } from '../../../base/errors.ts';

/** More than any file of /sys or /proc that tells a number. */
export const MOST_FILE_BYTES = 64 * 1_024;

/**
 * The text of a regular file. Fails for one that is longer than
 * {@link MOST_FILE_BYTES}, as an endless one is, and for pipes and devices,
 * which may wait for ever or be changed by being read.
 */
export async function readBoundedFile(path: string): Promise<string> {
  let file: FileHandle | undefined;
  try {
    // Without O_NONBLOCK opening a pipe that nobody writes to would never return.
    file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK);
    const found = await file.stat();
    if (!found.isFile()) throw unreadable(path, `it is ${found.isDirectory() ? 'a folder' : 'a pipe or a device'}`);
    const bytes = Buffer.alloc(MOST_FILE_BYTES + 1);
    let length = 0;
    while (length < bytes.length) {
      // No position: files of /proc are read on from where they are.
      const { bytesRead } = await file.read(bytes, length, bytes.length - length, null);
      if (bytesRead === 0) return bytes.toString('utf8', 0, length);
      length += bytesRead;
    }
    throw unreadable(path, `it has more than ${MOST_FILE_BYTES} bytes`);
  } catch (thrown) {
    if (thrown instanceof ArmatureError) throw thrown;
    throw unreadable(path, reasonOf(thrown), thrown);
  } finally {
    await file?.close().catch(() => {
      // It was only read: what closing says does not change what was.
    });
  }
}

function unreadable(path: string, reason: string, cause?: unknown): ArmatureError {
  return new ArmatureError('file.unreadable', `${path} cannot be read: ${reason}`, { cause, details: { path } });
}

const reasons: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such file',
  EACCES: 'this user may not read it',
  EPERM: 'this user may not read it',
  ENOTDIR: 'a part of the path is no folder',
  ELOOP: 'its links lead in a circle',
  ENXIO: 'it is a pipe or a device',
};

function reasonOf(thrown: unknown): string {
  const code = thrown instanceof Error && 'code' in thrown ? String(thrown.code) : '';
  return reasons[code] ?? (thrown instanceof Error ? thrown.message : String(thrown));
}
