import { randomBytes } from 'node:crypto';
import { open, readlink, realpath, rename, stat, unlink } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { ArmatureError, codeOf } from '../errors.ts';

/** Longest chain of symbolic links that is followed, as in Linux. */
const MAX_LINKS = 40;
/** Access of a new file: it may hold keys. */
const NEW_FILE_MODE = 0o600;
/** File system errors for a write that is not permitted. */
export const READ_ONLY: ReadonlySet<string> = new Set(['EACCES', 'EPERM', 'EROFS', 'EBUSY']);

/**
 * Replaces a file by one with this text: written to a temporary file, flushed to the disk, and renamed over it.
 * Symbolic links and access rights are kept; a new file is readable by its owner only.
 * @throws {ArmatureError} `file.unwritable`; `details.cause` is the code of the file system
 */
export async function replaceFile(path: string, text: string): Promise<void> {
  try {
    const target = await realTarget(path);
    const mode = await modeOf(target);
    const folder = dirname(target);
    const temporary = join(folder, `.${basename(target)}.${randomBytes(6).toString('hex')}.new`);
    try {
      const file = await open(temporary, 'wx', mode);
      try {
        await file.writeFile(text, 'utf8');
        // The umask of the process may have removed rights of the old file.
        await file.chmod(mode);
        await file.sync();
      } finally {
        await file.close();
      }
      await rename(temporary, target);
    } catch (thrown) {
      // Best effort: the reason of the failed write matters more.
      await unlink(temporary).catch(() => undefined);
      throw thrown;
    }
    await syncFolder(folder);
  } catch (thrown) {
    const code = codeOf(thrown);
    const why = thrown instanceof Error ? thrown.message : String(thrown);
    throw new ArmatureError(
      'file.unwritable',
      READ_ONLY.has(code)
        ? `${path} cannot be replaced (${code}): give the user of this server the right to write to its folder.`
        : `${path} cannot be written: ${why}.`,
      { details: { path, cause: code }, cause: thrown },
    );
  }
}

/** Target of a path through its links, even if the last one has no target yet. */
export async function realTarget(path: string): Promise<string> {
  try {
    return await realpath(path);
  } catch (thrown) {
    if (codeOf(thrown) !== 'ENOENT') throw thrown;
    return (await linksOnTheWay(path)).at(-1) ?? path;
  }
}

async function modeOf(path: string): Promise<number> {
  try {
    return (await stat(path)).mode & 0o7777;
  } catch (thrown) {
    if (codeOf(thrown) === 'ENOENT') return NEW_FILE_MODE;
    throw thrown;
  }
}

/** Makes the rename itself survive a loss of power. */
export async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r');
  try {
    await handle.sync();
  } catch (thrown) {
    // Some file systems do not support it; the rename itself has happened.
    if (!['EINVAL', 'ENOTSUP', 'EISDIR', 'EPERM'].includes(codeOf(thrown))) throw thrown;
  } finally {
    await handle.close();
  }
}

/** The path, and each path that its last part links to, one after another. */
export async function linksOnTheWay(path: string): Promise<readonly string[]> {
  const paths = [path];
  for (let at = path; paths.length <= MAX_LINKS; paths.push(at)) {
    try {
      at = resolve(dirname(at), await readlink(at));
    } catch {
      // Not a link, or missing: the chain ends here.
      break;
    }
  }
  return paths;
}
