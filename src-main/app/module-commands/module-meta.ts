import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { META_FILE, readModuleMeta, type ModuleMeta as WholeMeta } from '../../../proto/config/module-meta.ts';
import { ArmatureError, toArmatureError } from '../../base/errors.ts';

/** What `meta.json` says of a module. */
export interface ModuleMeta {
  readonly file: string;
  readonly moduleId: string;
  readonly namespace: string;
  readonly name: string;
  readonly visibility: 'private' | 'public' | 'public_unlisted';
  readonly url: string;
  readonly description: string;
  readonly models: readonly MetaModel[];
  /** The program within the package, with slashes. */
  readonly entrypoint: string;
  readonly firstRun: string | undefined;
  /** A file with a text about the module, within its folder. */
  readonly markdown: string | undefined;
  /** How the package is made; without it, by bundling. */
  readonly build: { readonly command: string; readonly path: string } | undefined;
}

export interface MetaModel {
  /** Triplets, in our spelling. */
  readonly api: string;
  readonly model: string;
  readonly description: string;
}

/** @throws {ArmatureError} `file.unreadable`, or `config.invalid` naming the file, the key, what it is and what is allowed */
export async function readMeta(folder: string): Promise<ModuleMeta> {
  const file = path.join(folder, META_FILE);
  let text: string;
  try {
    text = await readFile(file, 'utf8');
  } catch (cause) {
    throw new ArmatureError(
      'file.unreadable',
      `${file} cannot be read (${toArmatureError(cause).message}). Run this in the folder of a module; "armature module create" makes one.`,
      { cause },
    );
  }
  return parseMeta(text, file);
}

/** The same of a text. @param file for sentences */
export function parseMeta(text: string, file: string): ModuleMeta {
  const read = readModuleMeta(text, file);
  if ('problems' in read) {
    throw new ArmatureError('config.invalid', `${read.problems.join('.\n')}.`, { details: { path: file } });
  }
  const { meta } = read;
  const [namespace = '', name = ''] = meta.module_id.split(':');
  const linked = meta.markdown_link ?? '';
  return {
    file,
    moduleId: meta.module_id,
    namespace,
    name,
    visibility: meta.visibility ?? 'private',
    url: meta.url ?? '',
    description: meta.description ?? '',
    models: (meta.models ?? []).map(({ api, model, short_description }) => {
      return { api, model, description: short_description ?? '' };
    }),
    entrypoint: path.posix.normalize(meta.entrypoint),
    firstRun: meta.first_run == null || meta.first_run === '' ? undefined : meta.first_run,
    // A link to a page is no file of ours.
    markdown: linked === '' || /^https?:/.test(linked) ? undefined : linked.replace(/#.*$/, ''),
    build: buildOf(file, meta),
  };
}

function buildOf(file: string, { build }: WholeMeta): ModuleMeta['build'] {
  if (typeof build !== 'object' || build === null) return undefined;
  const { build: command, path: made } = build as Readonly<Record<string, unknown>>;
  if (command === undefined || command === null || command === '') return undefined;
  return {
    command: needed(file, 'build.build', command, 'write the command that makes the package'),
    path: needed(file, 'build.path', made, 'name the archive or folder that build.build makes'),
  };
}

function needed(file: string, key: string, value: unknown, next: string): string {
  if (typeof value === 'string' && value !== '') return value;
  const found = value === undefined ? 'missing' : JSON.stringify(value);
  throw new ArmatureError('config.invalid', `${file}: ${key} is ${found}; ${next}.`, { details: { path: file } });
}
