import { createWriteStream } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import { pipeline } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';
import { trainingScriptProblem, trainingScriptRoot } from '../../../../proto/config/training-script.ts';
import { ArmatureError } from '../../../base/errors.ts';
import { readTar, tarLimits } from '../../../base/tar/read-tar.ts';

/**
 * Unpacks the package of a training script into a folder, which is created. Unpacks only files, because a link might
 * lead anywhere.
 * @param archiveBytes size of the package
 * @param maxBytes of all files together
 * @returns the folder with `model/training.py`
 * @throws {ArmatureError} `registry.bad_package`, `call.too_large`
 */
export async function unpackScript(
  archive: AsyncIterable<Uint8Array>,
  archiveBytes: number,
  folder: string,
  maxBytes: number,
): Promise<string> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const names: string[] = [];
  const base = path.resolve(folder);
  let bytes = 0;
  const take = async (unpacked: AsyncIterable<Uint8Array>): Promise<void> => {
    for await (const entry of readTar(unpacked, { archiveBytes, limits: tarLimits, refuse: refused })) {
      if (entry.kind !== 'file') continue;
      const place = path.resolve(base, entry.name);
      if (!place.startsWith(`${base}${path.sep}`)) throw refused(`"${entry.name.slice(0, 100)}" is outside of it`);
      bytes += entry.bytes;
      if (bytes > maxBytes) {
        throw new ArmatureError(
          'call.too_large',
          `The training script has more than ${Math.floor(maxBytes / 2 ** 20)} MB, which a job may write: allow more in the settings of training.`,
        );
      }
      await mkdir(path.dirname(place), { recursive: true, mode: 0o700 });
      await pipeline(entry.chunks(), createWriteStream(place, { flags: 'wx', mode: 0o600 }));
      names.push(entry.name);
    }
  };
  await pipeline(archive, createGunzip(), take);
  const root = trainingScriptRoot(names);
  if (root === undefined) throw new ArmatureError('registry.bad_package', trainingScriptProblem(names) ?? '');
  return path.resolve(base, root);
}

function refused(why: string): ArmatureError {
  return new ArmatureError('registry.bad_package', `The package of the training script is refused: ${why}.`);
}
