import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { canonicalApi, parseTriplet } from '../../../proto/config/names.ts';
import { ArmatureError, toArmatureError } from '../../base/errors.ts';

/** What `meta.json` says of a module (wire contract 3.4). */
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

export const META_FILE = 'meta.json';
const MODULE_ID = /^([a-zA-Z0-9][\w-]*):([a-zA-Z0-9][\w-]*)$/;
const VISIBILITIES = ['private', 'public', 'public_unlisted'] as const;

type Fields = Readonly<Record<string, unknown>>;

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
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (cause) {
    throw invalid(file, `it is no JSON (${toArmatureError(cause).message})`);
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw invalid(file, 'it has to be an object');
  const fields = value as Fields;
  const moduleId = textOf(file, fields, 'module_id') ?? '';
  const [, namespace = '', name = ''] = MODULE_ID.exec(moduleId) ?? [];
  if (name === '') throw invalid(file, `module_id is "${moduleId}"; write namespace:name, as in acme:weather`);
  const entrypoint = textOf(file, fields, 'entrypoint') ?? '';
  if (entrypoint === '' || !isInside(entrypoint)) {
    throw invalid(file, `entrypoint is "${entrypoint}"; name the program of the package, relative to its top`);
  }
  const visibility = VISIBILITIES.find((one) => one === (fields['visibility'] ?? 'private'));
  if (visibility === undefined) {
    throw invalid(file, `visibility is ${JSON.stringify(fields['visibility'])}; it takes ${VISIBILITIES.join(', ')}`);
  }
  const linked = textOf(file, fields, 'markdown_link');
  return {
    file,
    moduleId,
    namespace,
    name,
    visibility,
    url: textOf(file, fields, 'url') ?? '',
    description: textOf(file, fields, 'description') ?? '',
    models: modelsIn(file, fields),
    entrypoint: path.posix.normalize(entrypoint),
    firstRun: textOf(file, fields, 'first_run'),
    // A link to a page is no file of ours.
    markdown: linked === undefined || /^https?:/.test(linked) ? undefined : linked.replace(/#.*$/, ''),
    build: buildOf(file, fields),
  };
}

function modelsIn(file: string, fields: Fields): readonly MetaModel[] {
  const models = fields['models'] ?? [];
  if (!Array.isArray(models)) throw invalid(file, 'models has to be a list');
  return models.map((one: unknown, index) => {
    const entry = (typeof one === 'object' && one !== null ? one : {}) as Fields;
    const api = canonicalApi(String(entry['api']));
    if (api === undefined) {
      throw invalid(
        file,
        `models[${index}].api is ${JSON.stringify(entry['api'])}; write a triplet, core:component:sensor`,
      );
    }
    const model = entry['model'];
    if (typeof model !== 'string' || parseTriplet(model) === undefined) {
      throw invalid(
        file,
        `models[${index}].model is ${JSON.stringify(model)}; write a triplet, acme:weather:thermometer`,
      );
    }
    return { api, model, description: textOf(file, entry, 'short_description') ?? '' };
  });
}

function buildOf(file: string, fields: Fields): ModuleMeta['build'] {
  const build = fields['build'];
  if (typeof build !== 'object' || build === null) return undefined;
  const command = textOf(file, build as Fields, 'build');
  if (command === undefined || command === '') return undefined;
  const made = textOf(file, build as Fields, 'path');
  if (made === undefined || made === '') {
    throw invalid(file, 'build.path is missing; name the archive or folder that build.build makes');
  }
  return { command, path: made };
}

function textOf(file: string, fields: Fields, key: string): string | undefined {
  const value = fields[key];
  if (value === undefined || value === null) return undefined;
  if (typeof value !== 'string')
    throw invalid(file, `${key} is ${JSON.stringify(value)}; it takes text in double quotes`);
  return value;
}

/** Whether a path leads to something below where it starts. */
function isInside(relative: string): boolean {
  const normal = path.posix.normalize(relative);
  return !normal.startsWith('../') && normal !== '..' && normal !== '.' && !normal.startsWith('/');
}

function invalid(file: string, what: string): ArmatureError {
  return new ArmatureError('config.invalid', `${file}: ${what}.`, { details: { path: file } });
}
