import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { moduleProgram, type ModuleKind } from '../interop/modules/programs.ts';

const run = promisify(execFile);

/**
 * A package of one of the test programs: `meta.json` and the files that it names, as a .tar.gz.
 * @param first a shell command that its launcher runs before anything else, such as `exit 7`
 */
export async function modulePackage(
  kind: ModuleKind,
  moduleId: string,
  version: string,
  first = 'true',
): Promise<Buffer> {
  const folder = await mkdtemp(path.join(os.tmpdir(), 'armature-package-'));
  try {
    const source = path.join(folder, 'module');
    await moduleProgram(kind, source, moduleId);
    const meta = path.join(source, 'meta.json');
    const described = (await readFile(meta, 'utf8')).replaceAll(/acme:(bare|pysdk|pygrpc)\b/g, moduleId);
    await writeFile(meta, described);
    // The launcher finds the other files beside it, wherever it is unpacked, and logs its version.
    const launcher = path.join(source, 'run.sh');
    const text = (await readFile(launcher, 'utf8')).replaceAll(`'${source}/`, `"$(dirname "$0")"'/`);
    await writeFile(launcher, text.replace('\n', `\necho "INFO this is version ${version}"\n${first}\n`));
    const archive = path.join(folder, 'module.tar.gz');
    await run('tar', ['-czf', archive, '-C', source, '.']);
    return await readFile(archive);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
