import { createWriteStream } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import { pipeline } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';
import { trainingScriptProblem, trainingScriptRoot } from '../../../../proto/config/training-script.ts';
import { ArmatureError } from '../../../base/errors.ts';

/**
 * Unpacks the package of a training script into a folder, which is made. Only files: a link might lead anywhere.
 * @param mostBytes of all files
 * @returns where its script is
 * @throws {ArmatureError} `registry.bad_package`, `call.too_large`
 */
export async function unpackScript(
  archive: AsyncIterable<Uint8Array>,
  folder: string,
  mostBytes: number,
): Promise<string> {
  const { extract } = await import('tar-stream');
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const entries = extract();
  // Nothing is awaited before the loop: an entry that comes before it is asked for is never told of again.
  const reading = pipeline(archive, createGunzip(), entries);
  // Whichever fails is thrown below; the other is heard of too.
  reading.catch(() => undefined);
  const names: string[] = [];
  const base = path.resolve(folder);
  let bytes = 0;
  try {
    for await (const entry of entries) {
      const { name, type, size = 0 } = entry.header;
      if (type !== 'file' && type !== 'contiguous-file') {
        entry.resume();
        continue;
      }
      const place = path.resolve(base, name);
      if (!place.startsWith(`${base}${path.sep}`)) throw refused(`"${name.slice(0, 100)}" is outside of it`);
      bytes += size;
      if (bytes > mostBytes) {
        throw new ArmatureError(
          'call.too_large',
          `The training script has more than ${Math.floor(mostBytes / 2 ** 20)} MB, which a job may write: allow more in the settings of training.`,
        );
      }
      await mkdir(path.dirname(place), { recursive: true, mode: 0o700 });
      await pipeline(entry, createWriteStream(place, { flags: 'wx', mode: 0o600 }));
      names.push(name);
    }
    await reading;
  } finally {
    entries.destroy();
  }
  const root = trainingScriptRoot(names);
  if (root === undefined) throw new ArmatureError('registry.bad_package', trainingScriptProblem(names) ?? '');
  return path.resolve(base, root);
}

function refused(why: string): ArmatureError {
  return new ArmatureError('registry.bad_package', `The package of the training script is refused: ${why}.`);
}
