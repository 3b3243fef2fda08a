import { constants } from 'node:fs';
import { access, lstat, readFile, realpath, stat } from 'node:fs/promises';
import path from 'node:path';
import type { JsonSchema } from '../../../proto/config/json-schema.ts';
import type { JsonValue } from '../../../proto/config/json-text.ts';
import { ArmatureError } from '../../base/errors.ts';
import { schemaProblems } from '../config/schema-problems.ts';
import { codeOf } from './file-faults.ts';

/** What a machine needs of the description that a package carries (wire contract 3.4). */
export interface PackageMeta {
  /** '' where it names none. */
  readonly moduleId: string;
  /** The program, relative to the package. */
  readonly entrypoint: string;
  /** Its own set-up, relative to the package; '' for none. */
  readonly firstRun: string;
}

const FILE = 'meta.json';
const LARGEST_BYTES = 1024 * 1024;

/** Only what is used here: whatever else authors write is theirs. */
const schema: JsonSchema = {
  type: 'object',
  properties: {
    module_id: { type: 'string' },
    entrypoint: { type: 'string', minLength: 1 },
    first_run: { type: ['string', 'null'] },
  },
  required: ['entrypoint'],
  additionalProperties: true,
};

/**
 * Reads `meta.json` of an unpacked package and checks that what it names is there and can be run.
 * @throws {ArmatureError} `module.bad_package`
 */
export async function readMeta(root: string): Promise<PackageMeta> {
  const value = parse(await text(root));
  const [problem] = schemaProblems(schema, value);
  if (problem !== undefined) {
    throw bad(`${FILE}${problem.pointer === '' ? '' : ` at ${problem.pointer}`}: ${problem.rule}`);
  }
  const meta = value as {
    readonly module_id?: string;
    readonly entrypoint: string;
    readonly first_run?: string | null;
  };
  await checkProgram(root, 'entrypoint', meta.entrypoint);
  const firstRun = meta.first_run ?? '';
  if (firstRun !== '') await checkProgram(root, 'first_run', firstRun);
  return { moduleId: meta.module_id ?? '', entrypoint: meta.entrypoint, firstRun };
}

async function text(root: string): Promise<string> {
  const file = path.join(root, FILE);
  try {
    const { size } = await stat(file);
    if (size > LARGEST_BYTES) throw bad(`${FILE} has ${size} bytes, at most ${LARGEST_BYTES} are read`);
    return await readFile(file, 'utf8');
  } catch (thrown) {
    if (codeOf(thrown) === 'ENOENT') throw bad(`it has no ${FILE}; that names its program as "entrypoint"`);
    throw thrown;
  }
}

function parse(json: string): JsonValue {
  try {
    return JSON.parse(json) as JsonValue;
  } catch (thrown) {
    throw bad(`${FILE} is not JSON: ${thrown instanceof Error ? thrown.message : String(thrown)}`);
  }
}

async function checkProgram(root: string, key: string, relative: string): Promise<void> {
  const named = `"${key}" of ${FILE} is "${relative}"`;
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
