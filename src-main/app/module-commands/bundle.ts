import { existsSync } from 'node:fs';
import { chmod, copyFile, cp, mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { META_FILE } from '../../../proto/config/module-meta.ts';
import { ArmatureError, toArmatureError } from '../../base/errors.ts';
import type { ModuleMeta } from './module-meta.ts';
import { SDK_NAME } from './sdk-package.ts';

const DEFAULT_ENTRY = 'src/main.ts';
/** Folder beside `meta.json` with what goes into the package. */
export const OUT_FOLDER = 'dist';

/**
 * Puts a module in TypeScript or JavaScript into one file with everything it imports, and the other files of its
 * package, in `dist`. `@armature-machine/module` is the program's own copy, so nothing has to be installed.
 * @param root folder of the installed program
 * @returns the folder
 * @throws {ArmatureError} `config.invalid` with what does not compile
 */
export async function bundleModule(folder: string, meta: ModuleMeta, root: string): Promise<string> {
  const manifest = await readManifest(folder);
  const entry = path.join(folder, manifest.main ?? DEFAULT_ENTRY);
  if (!existsSync(entry)) {
    throw new ArmatureError(
      'config.invalid',
      `There is no ${entry}. Name the program as "main" in package.json, or say in ${META_FILE} how to build: "build": {"build": COMMAND, "path": FOLDER}.`,
    );
  }
  const code = await bundle(folder, entry, root);
  const out = path.join(folder, OUT_FOLDER);
  await rm(out, { recursive: true, force: true });
  const program = path.join(out, meta.entrypoint);
  await mkdir(path.dirname(program), { recursive: true });
  // A machine that watches the file must not see half of it.
  await writeFile(`${program}.part`, `#!/usr/bin/env node\n${code.replace(/^#!.*\n/, '')}`);
  await chmod(`${program}.part`, 0o755);
  await rename(`${program}.part`, program);
  await copyFile(meta.file, path.join(out, META_FILE));
  const beside = [...manifest.files, ...[meta.markdown, meta.firstRun].filter((name) => name !== undefined)];
  for (const name of new Set(beside)) await copyInto(folder, out, name);
  return out;
}

async function bundle(folder: string, entry: string, root: string): Promise<string> {
  const sdk = path.join(root, 'dist/module/index.js');
  if (!existsSync(sdk)) {
    throw new ArmatureError('file.unreadable', `There is no ${sdk}: run "npm run build" in ${root} first.`);
  }
  const { rolldown } = await import('rolldown');
  try {
    const made = await rolldown({
      input: entry,
      cwd: folder,
      platform: 'node',
      resolve: { alias: { [SDK_NAME]: sdk } },
      // A proto's descriptors as `protoc` writes them, to be imported like code.
      moduleTypes: { '.binpb': 'base64' },
      experimental: { attachDebugInfo: 'none' },
      onLog(level, log, handle) {
        // A missing file would be noticed only on the machine.
        if (log.code === 'UNRESOLVED_IMPORT') handle('error', log);
        else if (level === 'warn' && log.id?.startsWith(folder) === true) handle(level, log);
      },
    });
    const { output } = await made.generate({ format: 'esm', codeSplitting: false });
    await made.close();
    return output[0].code;
  } catch (thrown) {
    throw new ArmatureError('config.invalid', `The module does not compile.\n${toArmatureError(thrown).message}`, {
      cause: thrown,
    });
  }
}

interface Manifest {
  readonly main: string | undefined;
  readonly files: readonly string[];
}

async function readManifest(folder: string): Promise<Manifest> {
  const file = path.join(folder, 'package.json');
  if (!existsSync(file)) return { main: undefined, files: [] };
  try {
    const { main, files } = JSON.parse(await readFile(file, 'utf8')) as Readonly<Record<string, unknown>>;
    return {
      main: typeof main === 'string' ? main : undefined,
      files: Array.isArray(files) ? files.filter((name) => typeof name === 'string') : [],
    };
  } catch (cause) {
    throw new ArmatureError('config.invalid', `${file}: ${toArmatureError(cause).message}.`, { cause });
  }
}

async function copyInto(folder: string, out: string, name: string): Promise<void> {
  const from = path.join(folder, name);
  if (path.relative(folder, from).startsWith('..')) {
    throw new ArmatureError('config.invalid', `${name} is not in ${folder}; a package has only what is.`);
  }
  if (!existsSync(from))
    throw new ArmatureError('config.invalid', `There is no ${from}, which belongs into the package.`);
  await cp(from, path.join(out, name), { recursive: true });
}
