import { createReadStream } from 'node:fs';
import { pipeline } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';
import { extract } from 'tar-stream';
import { LARGEST_META_BYTES, META_FILE } from '../../../proto/config/module-meta.ts';
import { ArmatureError, toArmatureError } from '../../base/errors.ts';
import { parseMeta, type ModuleMeta } from './module-meta.ts';

/** `meta.json` of a package. @throws {ArmatureError} `file.unreadable`, `config.invalid` */
export async function metaInArchive(archive: string): Promise<ModuleMeta> {
  let text: string | undefined;
  const tar = extract();
  tar.on('entry', ({ name }, entry, next) => {
    const isMeta = name.replace(/^\.\//, '') === META_FILE;
    let bytes = Buffer.alloc(0);
    entry.on('data', (chunk) => {
      if (isMeta && bytes.length < LARGEST_META_BYTES) bytes = Buffer.concat([bytes, chunk as Buffer]);
    });
    entry.once('end', () => {
      if (isMeta) text = bytes.toString('utf8');
      next();
    });
    entry.resume();
  });
  try {
    await pipeline(createReadStream(archive), createGunzip(), tar);
  } catch (cause) {
    throw new ArmatureError(
      'file.unreadable',
      `${archive} is no package that can be read (${toArmatureError(cause).message}); "armature module build" makes one.`,
      { cause },
    );
  }
  if (text === undefined) throw new ArmatureError('config.invalid', `${archive} has no ${META_FILE} at its top.`);
  return parseMeta(text, `${archive}, ${META_FILE}`);
}
