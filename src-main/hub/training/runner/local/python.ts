import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { ArmatureError, codeOf } from '../../../../base/errors.ts';

const MIN_VERSION = [3, 8] as const;
/** Enough to start Python on a busy computer. Packages are looked up but not loaded. */
const TIME_LIMIT_MS = 30_000;
const PROBE = `
import importlib.util, json, sys
print(json.dumps({"version": sys.version_info[:2], "missing": [n for n in sys.argv[1:] if importlib.util.find_spec(n) is None]}))
`;
/** For Debian 12, where this downloads 182 MB (measured). */
const INSTALL = 'apt install python3-torch python3-numpy python3-pil (0.8 GB on the disk)';

/**
 * Checks that Python is installed, with the packages that a script imports.
 * @throws {ArmatureError} `training.unavailable` with what to install
 */
export async function requirePython(python: string, packages: readonly string[]): Promise<void> {
  let probe: { readonly version: readonly number[]; readonly missing: readonly string[] };
  try {
    // -I: the result does not depend on the folder and environment of this program.
    const { stdout } = await promisify(execFile)(python, ['-I', '-c', PROBE, ...packages], { timeout: TIME_LIMIT_MS });
    probe = JSON.parse(stdout) as typeof probe;
  } catch (thrown) {
    const why = codeOf(thrown) === 'ENOENT' ? 'is not there' : `does not run (${firstLine(thrown)})`;
    throw unavailable(`Python, which training needs, ${why} at ${python}. Install it: ${INSTALL}`, thrown);
  }
  const { version, missing } = probe;
  const [major = 0, minor = 0] = version;
  if (major < MIN_VERSION[0] || (major === MIN_VERSION[0] && minor < MIN_VERSION[1])) {
    throw unavailable(
      `${python} is Python ${version.join('.')}, and training needs ${MIN_VERSION.join('.')} or newer. Install it: ${INSTALL}`,
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
