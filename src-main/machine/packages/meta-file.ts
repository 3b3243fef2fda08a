import { constants } from 'node:fs';
import { access, lstat, readFile, realpath, stat } from 'node:fs/promises';
import path from 'node:path';
import { LARGEST_META_BYTES, META_FILE, readProgramMeta } from '../../../proto/config/module-meta.ts';
import { ArmatureError, codeOf } from '../../base/errors.ts';

/** The part of a package's description that a machine needs. */
export interface PackageMeta {
  /** '' where it names none. */
  readonly moduleId: string;
  /** The program, relative to the package. */
  readonly entrypoint: string;
  /** Its first-run program, relative to the package; '' for none. */
  readonly firstRun: string;
}

/**
 * Reads `meta.json` of an unpacked package, and checks that the named files exist and can be executed.
 * @throws {ArmatureError} `module.bad_package`
 */
export async function readMeta(root: string): Promise<PackageMeta> {
  const read = readProgramMeta(await text(root), META_FILE);
  if ('problems' in read) throw bad(read.problems[0] ?? '');
  const { meta } = read;
  await checkProgram(root, 'entrypoint', meta.entrypoint);
  const firstRun = meta.first_run ?? '';
  if (firstRun !== '') await checkProgram(root, 'first_run', firstRun);
  return { moduleId: meta.module_id ?? '', entrypoint: meta.entrypoint, firstRun };
}

async function text(root: string): Promise<string> {
  const file = path.join(root, META_FILE);
  try {
    const { size } = await stat(file);
    if (size > LARGEST_META_BYTES) throw bad(`${META_FILE} has ${size} bytes, at most ${LARGEST_META_BYTES} are read`);
    return await readFile(file, 'utf8');
  } catch (thrown) {
    if (codeOf(thrown) === 'ENOENT') throw bad(`it has no ${META_FILE}; that names its program as "entrypoint"`);
    throw thrown;
  }
}

async function checkProgram(root: string, key: string, relative: string): Promise<void> {
  const named = `"${key}" of ${META_FILE} is "${relative}"`;
  const file = path.join(root, relative);
  let real: string;
  try {
    real = await realpath(file);
  } catch {
    throw bad(`${named}, which is not in the package`);
  }
  if (!isInside(await realpath(root), real)) throw bad(`${named}, which leads out of the package`);
  if (!(await lstat(real)).isFile()) throw bad(`${named}, which is no file`);
  try {
    await access(real, constants.X_OK);
  } catch {
    throw bad(`${named}, which may not be run; chmod +x it before packing`);
  }
}

function isInside(folder: string, file: string): boolean {
  return file.startsWith(`${folder}${path.sep}`);
}

function bad(why: string): ArmatureError {
  return new ArmatureError('module.bad_package', why);
}
