import { cp, mkdir, mkdtemp, rm, symlink } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { buildModuleSdk } from '../../build/module-sdk.ts';
import { moduleCommand } from '../../src-main/app/module-commands/module-command.ts';
import type { ModuleIo } from '../../src-main/app/module-commands/module-io.ts';

const repository = path.resolve(import.meta.dirname, '../..');

/** The result of a command of `armature module`. */
export interface ModuleCommandRun {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** An installed copy of the program in a folder of its own, with what the commands for authors of modules need. */
export interface ModuleProgram {
  /** A folder to work in. */
  readonly folder: string;
  /** Folder of the installed program. */
  readonly root: string;
  /** Runs `armature module` in a folder inside {@link folder}. */
  run(args: readonly string[], within?: string, more?: Partial<ModuleIo>): Promise<ModuleCommandRun>;
  remove(): Promise<void>;
}

/** Builds the SDK from the current sources. */
export async function installModuleProgram(): Promise<ModuleProgram> {
  const folder = await mkdtemp(path.join(os.tmpdir(), 'armature-authors-'));
  const root = path.join(folder, 'installed');
  await mkdir(root);
  for (const file of ['package.json', 'armature']) await cp(path.join(repository, file), path.join(root, file));
  await symlink(path.join(repository, 'node_modules'), path.join(root, 'node_modules'));
  await buildModuleSdk(repository, path.join(root, 'dist/module'));
  return {
    folder,
    root,
    async run(args, within = '.', more = {}) {
      let stdout = '';
      let stderr = '';
      const code = await moduleCommand(args, {
        stdout: (text) => (stdout += text),
        stderr: (text) => (stderr += text),
        env: { ...process.env, SVC_HOME: path.join(folder, 'home') },
        cwd: path.join(folder, within),
        root,
        signal: new AbortController().signal,
        ...more,
      });
      return { code, stdout, stderr };
    },
    remove: () => rm(folder, { recursive: true, force: true }),
  };
}
