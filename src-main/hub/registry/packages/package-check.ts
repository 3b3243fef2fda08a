import {
  LARGEST_META_BYTES,
  META_FILE,
  readModuleMeta,
  type MetaModel,
  type ModuleMeta,
} from '../../../../proto/config/module-meta.ts';
import { canonicalModel } from '../../../../proto/config/names.ts';
import type { ArmatureError } from '../../../base/errors.ts';
import { tarLimits, type TarLimits } from '../../../base/tar/read-tar.ts';
import { badPackage, pathOf, type ArchiveTree } from './archive-tree.ts';
import { readArchive } from './read-archive.ts';

/** A model that a module offers. Its API is spelled as in this hub. */
export interface ModuleModel {
  readonly api: string;
  readonly model: string;
  readonly description: string;
  /** Markdown. */
  readonly documentation: string;
}

/** What the check of a module's package found. */
export interface PackageFacts {
  readonly meta: ModuleMeta;
  readonly models: readonly ModuleModel[];
  /** Models whose names do not begin with the module's id; see {@link foreignWarning}. */
  readonly foreign: readonly string[];
  /** Markdown; '' for none. */
  readonly readme: string;
}

/** Size of one Markdown file, and of all that are read. */
const MAX_TEXT_BYTES = 256 * 1024;
const MAX_ALL_BYTES = 2 * 1024 * 1024;

/**
 * Checks the package of a module as a machine would read it, without unpacking it: it is complete, nothing in it leads
 * outside, its `meta.json` is valid and agrees with the package.
 * @param file a gzipped tar archive
 * @param moduleId id under which it is published
 * @throws {ArmatureError} `registry.bad_package` naming what is wrong
 */
export async function checkPackage(
  file: string,
  moduleId: string,
  limits: TarLimits = tarLimits,
): Promise<PackageFacts> {
  const unread = new Map<string, number>();
  let textBytes = 0;
  const wants = (path: string, bytes: number): boolean => {
    if (path === META_FILE) return bytes <= LARGEST_META_BYTES;
    if (!/\.(md|markdown)$/i.test(path)) return false;
    if (bytes > MAX_TEXT_BYTES || textBytes + bytes > MAX_ALL_BYTES) {
      unread.set(path.toLowerCase(), bytes);
      return false;
    }
    textBytes += bytes;
    return true;
  };
  const { tree, contents: texts } = await readArchive(file, wants, limits);
  const metaBytes = texts.get(META_FILE);
  if (metaBytes === undefined) throw badPackage('it has no meta.json of at most 1 MiB at its top');
  const read = readModuleMeta(metaBytes.toString('utf8'), META_FILE);
  if ('problems' in read) throw badPackage(read.problems[0] ?? '');
  const { meta } = read;
  if (meta.module_id !== moduleId) {
    throw badPackage(`it is uploaded as ${moduleId}, but "module_id" of its meta.json is "${meta.module_id}"`);
  }
  requireProgram(tree, 'entrypoint', meta.entrypoint);
  if (meta.first_run != null && meta.first_run !== '') requireProgram(tree, 'first_run', meta.first_run);
  const textAt = (link: string | null | undefined): string => linkedText(texts, unread, link);
  const models = (meta.models ?? []).map((model) => modelOf(model, moduleId, textAt(model.markdown_link)));
  const readme = textAt(meta.markdown_link) || textAt('README.md');
  return { meta, models, foreign: foreignModels(models, moduleId), readme };
}

function requireProgram(tree: ArchiveTree, key: string, path: string): void {
  const file = tree.fileAt(pathOf(path));
  if (file === undefined) throw badPackage(`"${key}" of its meta.json is "${path}", which is no file in it`);
  if ((file.mode & 0o100) === 0)
    throw badPackage(`"${path}", its "${key}", is not executable: chmod +x it, then pack again`);
}

/**
 * The Markdown that a link names; '' without a link, or if the link leads out of the package.
 * @throws {ArmatureError} `registry.bad_package` if the text is too long to be shown
 */
function linkedText(
  texts: ReadonlyMap<string, Buffer>,
  unread: ReadonlyMap<string, number>,
  link: string | null | undefined,
): string {
  if (link == null || link === '' || /^[a-z][a-z0-9+.-]*:/i.test(link)) return '';
  const [file = '', anchor = ''] = link.split('#', 2);
  const path = file
    .split('/')
    .filter((step) => step !== '' && step !== '.')
    .join('/');
  const bytes = unread.get(path.toLowerCase());
  if (bytes !== undefined) {
    throw badPackage(
      `"${path}" has ${bytes} bytes; a text that is shown has at most ${MAX_TEXT_BYTES}, all of them ${MAX_ALL_BYTES}`,
    );
  }
  const found = [...texts].find(([name]) => name.toLowerCase() === path.toLowerCase());
  return found === undefined ? '' : markdownSection(found[1].toString('utf8'), anchor);
}

function modelOf({ api, model, short_description }: MetaModel, moduleId: string, documentation: string): ModuleModel {
  requireModel(model, moduleId, badPackage);
  return { api, model, description: short_description ?? '', documentation };
}

/** @throws {ArmatureError} from `refuse` if the name is not a triplet, or is that of a built-in model */
export function requireModel(model: string, moduleId: string, refuse: (why: string) => ArmatureError): void {
  const own = canonicalModel(model);
  if (own === undefined || model.split(':').length !== 3 || own.startsWith('core:')) {
    throw refuse(`the model "${model}" is none that a module can have: write it as ${moduleId}:NAME`);
  }
}

/** Models whose first two parts are not the module's id. The public registry accepts them, and authors publish such. */
export function foreignModels(models: readonly Pick<ModuleModel, 'model'>[], moduleId: string): readonly string[] {
  return models.map(({ model }) => model).filter((model) => !model.startsWith(`${moduleId}:`));
}

/** The warning to the publisher about such models. */
export function foreignWarning(models: readonly string[], moduleId: string): string {
  const names = models.map((model) => `"${model}"`).join(', ');
  return `${moduleId} has models of another family: ${names}. Machines find the module of a model by ${moduleId}:NAME, so they cannot name this module when it is missing, and another module may have the same models.`;
}

/**
 * The section of a Markdown text that an anchor names. Anchors are made of headings as code forges do. Gives the whole
 * text if the anchor is '' or names no heading.
 */
function markdownSection(text: string, anchor: string): string {
  if (anchor === '') return text;
  const lines = text.split('\n');
  let level = 0;
  let begin = -1;
  let isInCode = false;
  for (const [index, line] of lines.entries()) {
    if (/^\s*(```|~~~)/.test(line)) isInCode = !isInCode;
    const heading = isInCode ? null : /^(#{1,6})\s+(.*?)\s*#*$/.exec(line);
    if (heading === null) continue;
    const [, marks = '', words = ''] = heading;
    if (begin !== -1 && marks.length <= level) return lines.slice(begin, index).join('\n').trimEnd();
    if (begin === -1 && anchorOf(words) === anchor.toLowerCase()) [begin, level] = [index, marks.length];
  }
  return begin === -1 ? text : lines.slice(begin).join('\n').trimEnd();
}

function anchorOf(heading: string): string {
  return heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, '')
    .trim()
    .replace(/\s/g, '-');
}
