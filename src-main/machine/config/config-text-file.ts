import { randomBytes } from 'node:crypto';
import { open, readlink, realpath, rename, stat, unlink } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { readBoundedFile } from '../../base/bounded-file.ts';
import { ArmatureError, codeOf, toArmatureError } from '../../base/errors.ts';
import { LARGEST_CONFIG_BYTES } from './parse-config.ts';

/** Longest chain of symbolic links that is followed, as in Linux. */
const MOST_LINKS = 40;
/** Access of a new file: it may hold keys. */
const NEW_FILE_MODE = 0o600;

/** Text of a file, byte for byte. Throws `config.unreadable` or `config.invalid`. */
export async function readText(path: string): Promise<string> {
  let bytes: Buffer;
  try {
    bytes = await readBoundedFile(path, LARGEST_CONFIG_BYTES);
  } catch (thrown) {
    const { code, message, details } = toArmatureError(thrown);
    if (code === 'file.too_large') {
      const tooLarge = `${path} is too large: a configuration has at most ${LARGEST_CONFIG_BYTES} bytes (32 MiB).`;
      throw new ArmatureError('config.invalid', tooLarge, { details, cause: thrown });
    }
    throw new ArmatureError('config.unreadable', message, { details, cause: thrown });
  }
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch (thrown) {
    const message = `${path} is not UTF-8 text; save it in that encoding.`;
    throw new ArmatureError('config.invalid', message, { details: { path }, cause: thrown });
  }
}

/**
 * Replaces a file by one with this text: written beside it, flushed to the
 * disk, renamed over it. Symbolic links stay and access rights are kept.
 */
export async function replaceText(path: string, text: string): Promise<void> {
  try {
    const target = await realTarget(path);
    const mode = await modeOf(target);
    const folder = dirname(target);
    const temporary = join(folder, `.${basename(target)}.${randomBytes(6).toString('hex')}.new`);
    try {
      const file = await open(temporary, 'wx', mode);
      try {
        await file.writeFile(text, 'utf8');
        // The mask of the process may have taken rights that the old file gave.
        await file.chmod(mode);
        await file.sync();
      } finally {
        await file.close();
      }
      await rename(temporary, target);
    } catch (thrown) {
      // Best effort: what matters is why the writing failed.
      await unlink(temporary).catch(() => undefined);
      throw thrown;
    }
    await syncFolder(folder);
  } catch (thrown) {
    const code = codeOf(thrown);
    const isReadOnly = ['EACCES', 'EPERM', 'EROFS', 'EBUSY'].includes(code);
    const why = thrown instanceof Error ? thrown.message : String(thrown);
    throw new ArmatureError(
      isReadOnly ? 'config.read_only' : 'config.unreadable',
      isReadOnly
        ? `${path} cannot be replaced (${code}): give the user of this server the right to write to its folder.`
        : `${path} cannot be written: ${why}.`,
      { details: { path, cause: code }, cause: thrown },
    );
  }
}

/** Where a path leads through its links, also when the last one leads to nothing yet. */
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

/** Makes the rename itself last through a loss of power. */
async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r');
  try {
    await handle.sync();
  } catch (thrown) {
    // Some file systems have no such thing; the rename itself has happened.
    if (!['EINVAL', 'ENOTSUP', 'EISDIR', 'EPERM'].includes(codeOf(thrown))) throw thrown;
  } finally {
    await handle.close();
  }
}

/** The path and each path its last part links to, one after another. */
async function linksOnTheWay(path: string): Promise<readonly string[]> {
  const paths = [path];
  for (let at = path; paths.length <= MOST_LINKS; paths.push(at)) {
    try {
      at = resolve(dirname(at), await readlink(at));
    } catch {
      // Not a link, or nothing there: the way ends here.
      break;
    }
  }
  return paths;
}

/** Folders in which a change can make another file of `path`: of each link and of the file itself. */
export async function foldersOnTheWay(path: string): Promise<ReadonlySet<string>> {
  const folders = new Set<string>();
  for (const one of await linksOnTheWay(path)) {
    const folder = dirname(one);
    folders.add(folder);
    // The folder may itself be reached by a link, which is swapped in the folder above it.
    for (const inner of await linksOnTheWay(folder)) if (inner !== folder) folders.add(dirname(folder)).add(inner);
  }
  return folders;
}
