import { mkdir, readdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { canonicalApi } from '../../../proto/config/names.ts';
import { nearest } from '../../../proto/config/nearest.ts';
import { ArmatureError, toArmatureError } from '../../base/errors.ts';
import { badArgument, needed, readCommandLine, type ModuleIo } from './module-io.ts';
import { installSdk, packSdk } from './sdk-package.ts';
import type { NewModule, TemplateFile } from './templates/new-module.ts';
import { pythonFiles } from './templates/python.ts';
import { templateApis, typescriptFiles } from './templates/typescript.ts';

const NAME = /^[a-z0-9][a-z0-9_-]{0,59}$/;
const NAMESPACE = /^[a-zA-Z0-9][\w-]{0,59}$/;
/** How the tests of a new module are run, by its language. */
const TESTS: Readonly<Record<string, readonly string[]>> = {
  typescript: ['npm test'],
  python: ['./setup.sh', '.venv/bin/python -m unittest discover test'],
};
/** What the first part of a model is until the module is published under a namespace of its author's. */
const DEFAULT_NAMESPACE = 'local';

/** `armature module create`: a folder with a module that builds and runs as it is. */
export async function createCommand(args: readonly string[], io: ModuleIo): Promise<number> {
  const options = { api: 'string', model: 'string', language: 'string', folder: 'string' } as const;
  const line = readCommandLine(args, options, 1);
  const module = readNewModule(
    needed(line.positionals[0], 'NAME'),
    line.text('api') ?? 'core:component:sensor',
    line.text('model'),
  );
  const language = line.text('language') ?? 'typescript';
  const files = await filesIn(language, module, io.root);
  const folder = path.resolve(io.cwd, line.text('folder') ?? module.name);
  await writeAll(folder, files);
  if (language === 'typescript') await installSdk(folder, io.root);
  const shown = path.relative(io.cwd, folder) || '.';
  io.stdout(
    `created ${shown} with the model ${module.model} (${module.api})\n\n` +
      `  cd ${shown}\n${(TESTS[language] ?? []).map((step) => `  ${step}\n`).join('')}  ${commandPath(io.root)} module build\n\n` +
      `README.md says how to run it on a machine.\n`,
  );
  return 0;
}

function readNewModule(written: string, writtenApi: string, writtenModel: string | undefined): NewModule {
  const [first = '', second, ...more] = written.split(':');
  const [namespace, name] = second === undefined ? [DEFAULT_NAMESPACE, first] : [first, second];
  if (more.length > 0 || !NAME.test(name) || !NAMESPACE.test(namespace)) {
    throw badArgument(
      `NAME is "${written}"; write NAMESPACE:NAME or NAME, the name in small letters, digits, - and _, as in acme:weather.`,
    );
  }
  const api = canonicalApi(writtenApi.includes(':') ? writtenApi : `core:component:${writtenApi}`);
  if (api === undefined || !templateApis.includes(api)) {
    const guess = nearest(writtenApi, templateApis);
    const hint = guess === undefined ? '' : ` (did you mean ${guess}?)`;
    throw badArgument(`--api is "${writtenApi}"${hint}; there are ${templateApis.join(', ')}.`);
  }
  const modelName = writtenModel ?? api.split(':')[2] ?? '';
  if (!/^[\w-]+$/.test(modelName)) {
    throw badArgument(`--model is "${modelName}"; it takes letters, digits, - and _.`);
  }
  return {
    namespace,
    name,
    moduleId: `${namespace}:${name}`,
    api,
    modelName,
    model: `${namespace}:${name}:${modelName}`,
  };
}

/** How the program is called from another folder. */
function commandPath(root: string): string {
  const file = path.join(root, 'armature');
  return /^[\w./-]+$/.test(file) ? file : JSON.stringify(file);
}

async function filesIn(language: string, module: NewModule, root: string): Promise<readonly TemplateFile[]> {
  if (language === 'typescript') {
    const sdk = await packSdk(root);
    return [...typescriptFiles(module, sdk), { name: sdk.file, text: sdk.bytes }];
  }
  if (language === 'python') return pythonFiles(module);
  throw badArgument(`--language is "${language}"; there are typescript and python.`);
}

/** @throws {ArmatureError} `file.unwritable`, also for a folder that has something in it */
async function writeAll(folder: string, files: readonly TemplateFile[]): Promise<void> {
  try {
    await mkdir(folder, { recursive: true });
    const there = await readdir(folder);
    if (there.length > 0) {
      throw new ArmatureError(
        'file.unwritable',
        `${folder} is not empty (${there.slice(0, 3).join(', ')}); choose another NAME, or a folder with --folder.`,
      );
    }
    for (const { name, text, isExecutable } of files) {
      const file = path.join(folder, name);
      await mkdir(path.dirname(file), { recursive: true });
      await writeFile(file, text, { mode: isExecutable === true ? 0o755 : 0o644, flag: 'wx' });
    }
  } catch (thrown) {
    if (thrown instanceof ArmatureError) throw thrown;
    const message = `${folder} cannot be written: ${toArmatureError(thrown).message}.`;
    throw new ArmatureError('file.unwritable', message, { cause: thrown });
  }
}
