import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { ArmatureError, codeOf } from '../../../../base/errors.ts';

const OLDEST = [3, 8] as const;
/** A start of Python on a busy computer; packages are looked for and not loaded. */
const TIME_LIMIT_MS = 30_000;
const PROBE = `
import importlib.util, json, sys
print(json.dumps({"version": sys.version_info[:2], "missing": [n for n in sys.argv[1:] if importlib.util.find_spec(n) is None]}))
`;
/** Debian 12, measured: 182 MB are loaded from the network. */
const INSTALL = 'apt install python3-torch python3-numpy python3-pil (0.8 GB on the disk)';

/**
 * Makes sure that there is a Python that has what a script imports.
 * @throws {ArmatureError} `training.unavailable` with what is to be installed
 */
export async function requirePython(python: string, packages: readonly string[]): Promise<void> {
  let told: { readonly version: readonly number[]; readonly missing: readonly string[] };
  try {
    // -I: neither the folder nor the environment of this program decides what it finds.
    const { stdout } = await promisify(execFile)(python, ['-I', '-c', PROBE, ...packages], { timeout: TIME_LIMIT_MS });
    told = JSON.parse(stdout) as typeof told;
  } catch (thrown) {
    const why = codeOf(thrown) === 'ENOENT' ? 'is not there' : `does not run (${firstLine(thrown)})`;
    throw unavailable(`Python, which training needs, ${why} at ${python}. Install it: ${INSTALL}`, thrown);
  }
  const { version, missing } = told;
  const [major = 0, minor = 0] = version;
  if (major < OLDEST[0] || (major === OLDEST[0] && minor < OLDEST[1])) {
    throw unavailable(
      `${python} is Python ${version.join('.')}, and training needs ${OLDEST.join('.')} or newer. Install it: ${INSTALL}`,
    );
  }
  if (missing.length === 0) return;
  throw unavailable(`${python} lacks what training needs: ${missing.join(', ')}. Install it: ${INSTALL}`);
}

function unavailable(what: string, cause?: unknown): ArmatureError {
  const message = `${what}, or choose another Python in the settings of training.`;
  return new ArmatureError('training.unavailable', message, { cause });
}

function firstLine(thrown: unknown): string {
  return (thrown instanceof Error ? thrown.message : String(thrown)).split('\n')[0] ?? '';
}
