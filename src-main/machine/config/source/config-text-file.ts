import { dirname } from 'node:path';
import { readBoundedFile } from '../../../base/files/bounded-file.ts';
import { ArmatureError, toArmatureError } from '../../../base/errors.ts';
import { linksOnTheWay, READ_ONLY, replaceFile } from '../../../base/files/replace-file.ts';
import { LARGEST_CONFIG_BYTES } from '../reading/parse-config.ts';

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
 * Replaces a configuration file: see {@link replaceFile}.
 * @throws {ArmatureError} `config.read_only`, `config.unreadable`
 */
export async function replaceText(path: string, text: string): Promise<void> {
  try {
    await replaceFile(path, text);
  } catch (thrown) {
    const { message, details } = toArmatureError(thrown);
    const isReadOnly = READ_ONLY.has(String(details['cause']));
    throw new ArmatureError(isReadOnly ? 'config.read_only' : 'config.unreadable', message, { details, cause: thrown });
  }
}

/** Folders in which a change can make `path` a different file: of each link and of the file itself. */
export async function foldersOnTheWay(path: string): Promise<ReadonlySet<string>> {
  const folders = new Set<string>();
  for (const one of await linksOnTheWay(path)) {
    const folder = dirname(one);
    folders.add(folder);
    // The folder itself may be reached through a link, which is swapped in its parent folder.
    for (const inner of await linksOnTheWay(folder)) if (inner !== folder) folders.add(dirname(folder)).add(inner);
  }
  return folders;
}
